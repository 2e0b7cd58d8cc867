package dispatcher

import (
	"time"

	"github.com/garaph/garaph/dispatcher/policy"
)

// decider holds the policy state of a run and an optional observer.
type decider struct {
	known policy.State
	facts policy.Facts
	look  func(policy.Event) // may be nil
}

// set replaces the state of the policy.
func (d *decider) set(s policy.State) {
	d.known = s
	d.note(policy.Event{State: &s})
}

func (d *decider) decide(o policy.Observation) policy.Decision {
	decision, s := policy.Decide(o, d.known)
	d.known = s
	d.note(policy.Event{Observation: &o, Decision: &decision})
	return decision
}

// peek returns the method of the next decision without deciding.
func (d *decider) peek(o policy.Observation) Method {
	decision, _ := policy.Decide(o, d.known)
	return decision.Method
}

func (d *decider) maintain(o policy.Observation, took time.Duration) policy.Upkeep {
	upkeep, s := policy.Maintain(o, d.known, took.Seconds())
	d.known = s
	d.note(policy.Event{Observation: &o, Seconds: took.Seconds(), Upkeep: &upkeep})
	return upkeep
}

func (d *decider) learn(m policy.Measurement) {
	d.known = policy.Learn(d.known, m)
	d.note(policy.Event{Measurement: &m})
}

func (d *decider) note(e policy.Event) {
	if d.look != nil {
		d.look(e)
	}
}
