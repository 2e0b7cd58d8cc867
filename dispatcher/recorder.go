package dispatcher

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/store"
)

// recorder reports what a job does: to its caller, to those of [Options.Trace], to checkpoints and
// to later jobs.
type recorder[V, A any] struct {
	plan   *plan[V, A]
	state  *state[V, A]
	report Report
	disk   int64 // [store.DiskBytes] when the job was opened
	// merged says how many iterations the report merges into one, and how many are in the last one.
	merged struct{ each, last int }
	epochs *epochs[V, A] // nil unless the run is recorded
}

// open takes the memory of checkpoints.
func (r *recorder[V, A]) open() (err error) {
	r.report.Compiled, r.report.GPU.Without = r.plan.compiled, r.plan.without
	if r.plan.opt.Job != nil {
		r.epochs, err = newEpochs(r.plan, r.state, &r.report)
	}
	return err
}

// begin reports what was done until the first iteration, from began on.
func (r *recorder[V, A]) begin(began time.Time) {
	r.report.Preparation.Load = time.Since(began)
	held, _, _ := r.plan.front.counts()
	reads := &r.report.Preparation.Reads
	reads.BytesRead = store.DiskBytes() - r.disk
	reads.Requested += r.plan.pages.BytesRead() + held
	r.report.Reads.add(*reads)
	r.epochs.begin()
}

// pageDone reports a page of an iteration.
func (r *recorder[V, A]) pageDone(x *iteration, w PageWork) {
	w.Iteration = x.report.Iteration
	r.plan.opt.Trace.Page(w)
}

// add adds an iteration to the report.
func (r *recorder[V, A]) add(it Iteration) {
	if it.Devices == nil {
		it.Devices = map[Device]DeviceWork{it.Device: {it.Pages, it.Edges, it.Seconds}}
	}
	report := &r.report
	if len(report.Iterations) == MaxIterations && r.merged.last >= r.merged.each {
		for i := range MaxIterations / 2 {
			pair := report.Iterations[2*i:]
			pair[0].merge(pair[1])
			report.Iterations[i] = pair[0]
		}
		clear(report.Iterations[MaxIterations/2:])
		report.Iterations = report.Iterations[:MaxIterations/2]
		r.merged.each, r.merged.last = 2*max(1, r.merged.each), 2*r.merged.last
	}
	if r.merged.last < r.merged.each && len(report.Iterations) > 0 {
		report.Iterations[len(report.Iterations)-1].merge(it)
		r.merged.last++
	} else {
		kept := it
		kept.Devices = maps.Clone(it.Devices) // others may keep that of it
		report.Iterations = append(report.Iterations, kept)
		r.merged.last = 1
	}
	report.Edges += it.Edges
	report.Reads.add(it.Traffic.Reads)
	report.Duration += it.Duration
	if report.Devices == nil {
		report.Devices = map[Device]DeviceWork{}
	}
	addWorks(report.Devices, it.Devices)
	r.plan.opt.Progress(it)
}

// rewind removes the iterations that are done again, from the present position on.
func (r *recorder[V, A]) rewind() {
	list, now := r.report.Iterations, r.state.now.step.Iteration
	if done := slices.IndexFunc(list, func(it Iteration) bool { return it.Iteration >= now }); done >= 0 {
		list = list[:done]
	}
	if n := len(list); n > 0 && r.merged.each > 1 {
		list[n-1].Levels = min(list[n-1].Levels, now-list[n-1].Iteration)
	}
	r.report.Iterations = list
}

// keepMachine leaves what the job has measured to later ones.
func (r *recorder[V, A]) keepMachine() {
	measured := len(r.plan.devices) > 0 && !r.state.policy.known.Fixed && r.state.policy.known.Speeds != (policy.Speeds{})
	folder := r.plan.machineFolder()
	if folder == "" || r.plan.without != sooner && !measured {
		return
	}
	err := changeMachine(folder, func(m *machine) {
		key := jobKey(fmt.Sprintf("%T", r.plan.program), r.plan.opt.Threads, r.plan.allEdges())
		jobs, n := m.Jobs[key], float64(r.report.Done()-r.report.Before)
		if r.report.Converged && r.report.Before == 0 {
			jobs.Iterations = n
		}
		if r.plan.without == sooner {
			took := policy.Took{Seconds: r.report.Duration.Seconds(), Amount: n * float64(r.plan.allEdges())}
			took.Mix(&jobs.Pass)
		} else {
			m.Speeds[r.speedsKey()] = r.state.policy.known.Speeds
			m.Open = r.plan.opened.Seconds()
		}
		m.Jobs[key] = jobs
	})
	if err != nil {
		r.plan.opt.Log.Debug("the speeds of this machine are not kept", zap.Error(err))
	}
}

// speedsKey names what speeds depend on.
func (r *recorder[V, A]) speedsKey() string {
	from := "disk"
	if r.plan.pages.InMemory() {
		from = "memory"
	}
	return sized(fmt.Sprintf("%s, %d threads, from %s, %T", r.report.GPU.Name, r.plan.opt.Threads, from, r.plan.program),
		r.plan.allEdges())
}
