package dispatcher

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/page"
)

// position is where a job stands beside its values and active set.
type position struct {
	step      gas.Step
	previous  float64 // aggregate
	activated uint64  // active vertices
	degrees   uint64  // Σ Degree of them
	unsummed  bool    // the aggregates by shard are not those of the values
}

// standing is a position, and the last one of which the host has values and active set.
type standing struct {
	position
	safe       position
	safeCounts policy.Counts
}

// Run iterates until no vertex is active, or as often as the options allow.
// After a cancellation the error is the context's, and the report covers what
// was done; values that overflowed are an [OverflowError]. A recorded job goes on from
// its newest epoch; after an error it
// leaves one.
func (j *Job[V, A]) Run(ctx context.Context) (Report, error) {
	err := j.run(ctx)
	j.keepMachine()
	j.endEpochs(err)
	return j.report, err
}

func (j *Job[V, A]) run(ctx context.Context) error {
	began := time.Now()
	j.phase(Loading)
	if err := j.start(ctx); err != nil {
		return err
	}
	if n := j.waiting(); n > 0 && j.opt.MoreThreads != nil {
		defer j.opt.MoreThreads(n)()
	}
	if err := j.startGPUs(ctx); err != nil {
		return err
	}
	if len(j.gpus) > 0 && !j.last() && j.policy.peek(j.observe()) == Frontier {
		read, err := j.loadGPURows(ctx)
		j.report.LoadRead += read
		if j.survive(err) != nil {
			return err
		}
	}
	j.report.Load = time.Since(began)
	j.report.LoadRead += j.pages.BytesRead() + j.front.held.bytesRead()
	j.report.BytesRead += j.report.LoadRead
	j.beginEpochs()
	for !j.done() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := j.iterate(ctx); err != nil {
			return err
		}
	}
	j.report.Converged = j.activated == 0
	return j.overflowed(ctx)
}

// phase tells who looks on that a phase begins.
func (j *Job[V, A]) phase(p Phase) {
	if j.opt.Trace.Phase != nil {
		j.opt.Trace.Phase(p)
	}
}

// iterate does one iteration. A [failure] loses a GPU: where that had the newest values
// alone, the job goes on from those of the host.
func (j *Job[V, A]) iterate(ctx context.Context) error {
	began := time.Now()
	o := j.observe()
	x := j.next(began, o, j.policy.decide(o))
	if x.Method == Frontier {
		err := j.store.MapError(j.advance(ctx, x))
		if x.Levels > 0 && (err == nil || x.Device == CPU) { // there, what was done before an error is done
			err = errors.Join(err, j.record(x))
		}
		return j.survive(err)
	}
	if j.front.advancer != nil {
		j.front.advancer.Forget()
	}
	err := j.prepare(x)
	if err == nil {
		err = j.store.MapError(j.work(ctx, x))
	}
	if err == nil {
		err = j.exchange(ctx, x)
	}
	if err == nil {
		err = j.commit(x)
	}
	if err == nil {
		err = j.record(x)
	}
	return j.survive(err)
}

// survive loses the GPU of a failure; other errors end the job.
func (j *Job[V, A]) survive(err error) error {
	var f *failure
	if errors.As(err, &f) {
		j.lose(f.worker, f.error)
		return nil
	}
	return err
}

// prepare brings the newest values to the workers of an iteration.
func (j *Job[V, A]) prepare(x *iteration) error {
	if j.epochs != nil {
		j.epochs.within = true
	}
	if !x.alone {
		if err := j.values.fetch(); err != nil {
			return err
		}
	}
	if x.Device != CPU {
		if err := j.values.supply(); err != nil {
			return err
		}
	}
	if !j.place.behind() {
		j.safe, j.safeCounts = j.position, j.policy.Counts
	}
	return nil
}

// work does the pages of an iteration.
func (j *Job[V, A]) work(ctx context.Context, x *iteration) error {
	if x.Device != CPU {
		if err := j.loadPages(ctx); err != nil {
			return err
		}
	}
	x.at.worked = time.Now()
	if j.opt.Trace.Queue != nil {
		j.opt.Trace.Queue(len(shardsOfAll(x.requests, j.pages.Spans())))
	}
	if x.Device == CPU {
		return j.onCPU(ctx, x)
	}
	return j.onGPUs(ctx, x)
}

// commit makes the new values of an iteration current.
func (j *Job[V, A]) commit(x *iteration) error {
	x.Edges += x.byGPUs.Edges + x.byHost.Edges
	x.Vertices = x.byGPUs.Vertices + x.byHost.Vertices
	x.Pages += x.byGPUs.Pages + len(x.times)
	x.BytesBack = x.byGPUs.Back
	j.activated, j.degrees = x.byGPUs.Activated+x.byHost.Activated, x.byGPUs.Degrees+x.byHost.Degrees
	aggregate := x.byGPUs.Aggregate
	if !x.alone {
		marked := x.Device == CPU && x.Method == NotifyPull
		if j.opt.Mode == Sync {
			j.makeCurrent(x.requests, marked)
		}
		j.arrays.Advance()
		if marked {
			clear(j.arrays.Marks)
		}
	}
	j.placed(x)
	switch {
	case x.lost: // what the GPU counted is lost with it
		j.recount()
		if err := j.resum(); err != nil {
			return err
		}
		aggregate = j.aggregate()
	case x.Device == CPU:
		aggregate = j.aggregate()
	default:
		j.unsummed = true
		for i := range j.aggregates {
			if x.shards[i].state == onHost {
				aggregate += j.aggregates[i]
			}
		}
	}
	j.previous = j.step.Aggregate
	j.step = gas.Step{Iteration: j.step.Iteration + 1, Aggregate: aggregate}
	return nil
}

// placed notes who has the new values.
func (j *Job[V, A]) placed(x *iteration) {
	if x.Device == CPU {
		for _, i := range shardsOfAll(x.requests, j.pages.Spans()) {
			j.place.wrote(host, i)
		}
		return
	}
	for i, w := range x.shards {
		switch {
		case w.state == idle:
		case x.alone:
			j.place.wrote(w.by, i)
		default:
			j.place.shared(w.by, i)
		}
	}
}

// record takes down what an iteration did, and does what is due for the sake of later
// ones.
func (j *Job[V, A]) record(x *iteration) error {
	if x.handout != nil {
		j.account(x)
	}
	x.measured.Seconds = time.Since(x.at.began).Seconds()
	j.policy.learn(x.measured)
	err := j.maintain(time.Since(x.at.began))
	if err != nil {
		return err
	}
	x.BytesRead = j.pages.BytesRead() - x.at.read + x.loaded
	if x.Levels == 1 {
		x.Levels = 0
	}
	j.hintDisk(max(1, x.Levels))
	x.Duration = time.Since(x.at.began)
	x.Seconds = x.Duration.Seconds()
	j.add(x.Iteration)
	j.iterated(x)
	return nil
}

// maintain does what the policy wants after an iteration.
func (j *Job[V, A]) maintain(took time.Duration) error {
	due := j.policy.maintain(j.observe(), took)
	if due.Fetch {
		if err := j.values.fetch(); err != nil {
			return err
		}
	}
	if due.TimeCPU {
		j.lookAtCPU()
	}
	return nil
}

// rewind returns to the host's state, if that of a GPU was newer, which is lost.
func (j *Job[V, A]) rewind() {
	if !j.place.behind() {
		return
	}
	j.place.rewind()
	j.position = j.safe
	s := j.policy.State
	s.Counts = j.safeCounts
	j.policy.set(s)
	copy(j.unsettled, j.firsts) // the step is an earlier one
	clear(j.arrays.Rising)
	clear(j.arrays.Marks)
	done := slices.IndexFunc(j.report.Iterations, func(it Iteration) bool { return it.Iteration >= j.step.Iteration })
	if done >= 0 { // they are done again
		j.report.Iterations = j.report.Iterations[:done]
	}
	if n := len(j.report.Iterations); n > 0 && j.merged.each > 1 {
		last := &j.report.Iterations[n-1]
		last.Levels = min(last.Levels, j.step.Iteration-last.Iteration)
	}
}

// start brings the job to where its first iteration can begin.
func (j *Job[V, A]) start(ctx context.Context) error {
	begun, err := j.endInit(ctx)
	if err != nil {
		return err
	}
	resumed, err := j.restore(ctx)
	if err != nil {
		return err
	}
	if !begun || resumed {
		if j.degrees, err = j.init(ctx, resumed); err != nil {
			return err
		}
	}
	j.activated = uint64(j.arrays.Active.Count(0, j.cat.Vertices))
	if !resumed {
		j.step = gas.Step{Aggregate: j.aggregate()}
	}
	j.report.InMemory = j.pages.InMemory()
	if j.policy.Limit == 0 { // that of the job's first run holds, wherever it goes on
		if !j.report.InMemory {
			j.phase(TimingDisk)
			j.report.AccessRatio = j.store.AccessRatio()
			j.phase(Loading)
		}
		j.policy.set(policy.Start(j.policy.facts, j.policy.State, j.report.AccessRatio))
	}
	j.report.NotifyLimit = j.policy.Limit
	if len(j.gpus) == 0 && !j.last() && j.policy.peek(j.observe()) == Frontier {
		read, err := j.loadRows(ctx)
		if err != nil {
			return err
		}
		j.report.LoadRead += read
		clear(j.arrays.Next) // so that memory is there
	}
	if !j.report.InMemory {
		j.opt.Log.Info("the graph does not fit into memory: pages are streamed from disk",
			zap.Int64("memory", j.opt.Memory), zap.Float64("notify limit", j.policy.Limit))
		j.cpu.engine.Yield = true
	}
	return nil
}

// done reports whether no iteration is left to do, and the host has all values.
func (j *Job[V, A]) done() bool {
	if !j.last() {
		return false
	}
	start := time.Now()
	err := j.values.fetch()
	j.report.Duration += time.Since(start)
	_ = j.survive(err) // which is never another one
	return err == nil
}

// last reports whether no iteration is left to do.
func (j *Job[V, A]) last() bool {
	return j.activated == 0 || j.opt.Iterations > 0 && j.step.Iteration == j.opt.Iterations || j.arrived()
}

// waiting is how many goroutines wait for a disk or a GPU while others compute.
func (j *Job[V, A]) waiting() (n int) {
	if !j.report.InMemory {
		n += page.Readers
	}
	return n + len(j.gpus)*gpuengine.Goroutines
}
