package dispatcher

import (
	"time"

	"github.com/garaph/garaph/dispatcher/policy"
)

// decider is the policy of one run: what it knows, and who looks on.
type decider struct {
	policy.State
	facts policy.Facts
	look  func(policy.Event) // nil: nobody
}

// set replaces what the policy knows.
func (d *decider) set(s policy.State) {
	d.State = s
	d.note(policy.Event{State: &s})
}

func (d *decider) decide(o policy.Observation) policy.Decision {
	decision, s := policy.Decide(o, d.State)
	d.State = s
	d.note(policy.Event{Observation: &o, Decision: &decision})
	return decision
}

// peek is the method that would be decided for.
func (d *decider) peek(o policy.Observation) Method {
	decision, _ := policy.Decide(o, d.State)
	return decision.Method
}

func (d *decider) maintain(o policy.Observation, took time.Duration) policy.Upkeep {
	upkeep, s := policy.Maintain(o, d.State, took.Seconds())
	d.State = s
	d.note(policy.Event{Observation: &o, Seconds: took.Seconds(), Upkeep: &upkeep})
	return upkeep
}

func (d *decider) learn(m policy.Measurement) {
	d.State = policy.Learn(d.State, m)
	d.note(policy.Event{Measurement: &m})
}

func (d *decider) note(e policy.Event) {
	if d.look != nil {
		d.look(e)
	}
}

// observe says where the job stands before its next iteration.
func (j *Job[V, A]) observe() policy.Observation {
	o := policy.Observation{
		Facts: j.policy.facts, Iteration: j.standing.position.step.Iteration, Fraction: j.fraction(),
		AggregateChanged: j.abilities.aggregable != nil && (j.standing.position.step.Iteration == 0 || j.standing.position.step.Aggregate != j.standing.position.previous),
		GPUs:             len(j.workers.gpus), ResidentEdges: j.workers.residentEdges(),
		HostStale: j.shape.bytesIn(j.workers.place.stale(host)), Behind: j.workers.place.behind(),
	}
	for _, g := range j.workers.gpus {
		o.GPUStale += j.shape.bytesIn(j.workers.place.stale(g.number))
	}
	return o
}

// fraction is f, the share of the edges that lead out of active vertices.
func (j *Job[V, A]) fraction() float64 {
	if j.shape.notifyEdges == 0 {
		return 0
	}
	return float64(j.standing.position.degrees) / float64(j.shape.notifyEdges)
}
