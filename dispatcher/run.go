package dispatcher

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/garaph/garaph/cpuengine"
	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/store"
)

// Run iterates until no vertex is active, or a limit of the options is reached. After a
// cancellation, the error is the context's, and the report covers the work done. If values
// overflowed, the error is an [OverflowError]. A recorded job resumes from its newest epoch, and
// leaves one after an error.
func (j *Job[V, A]) Run(ctx context.Context) (Report, error) {
	err := j.run(ctx)
	j.recorder.keepMachine()
	if err == nil {
		j.recorder.epochs.stop() // of a job that is done none is needed
	} else if lost := j.Save(); lost != nil {
		j.recorder.epochs.Wrote(lost)
	}
	return j.recorder.report, err
}

func (j *Job[V, A]) run(ctx context.Context) error {
	began := time.Now()
	if err := j.start(ctx); err != nil {
		return err
	}
	n := len(j.workers.gpus.live) * gpuengine.Goroutines // that wait while others compute
	if !j.recorder.report.InMemory {
		n += page.Readers
	}
	if n > 0 && j.plan.opt.MoreThreads != nil {
		defer j.plan.opt.MoreThreads(n)()
	}
	if err := j.startGPUs(ctx); err != nil {
		return err
	}
	j.recorder.begin(began)
	for !j.done() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := j.workers.survive(j.iterate(ctx)); err != nil {
			return err
		}
	}
	j.recorder.report.Converged = j.state.now.activated == 0
	return j.overflowed(ctx)
}

// iterate does one iteration, or several levels of frontiers. After a [failure] of a GPU the run
// goes on from the host's state, if that of the GPU was newer.
func (j *Job[V, A]) iterate(ctx context.Context) error {
	x := j.next()
	if x.report.Method == Frontier {
		err := j.plan.store.MapError(j.workers.advance(ctx, x, j.levelLimit()))
		if x.report.Levels > 0 && (err == nil || x.report.Device == CPU) { // there, what was done before an error is done
			err = errors.Join(err, j.record(x))
		}
		return err
	}
	err := j.workers.process(ctx, x)
	if err == nil {
		j.state.commit(x, j.workers.gpus.did(x))
	}
	for _, f := range x.lost {
		j.workers.lose(f.worker, f.error)
	}
	if err == nil {
		err = j.record(x)
	}
	return err
}

// next returns the next iteration, as the policy decides.
func (j *Job[V, A]) next() *iteration {
	began, o, s := time.Now(), j.workers.observe(), j.state
	d := s.policy.decide(o)
	x := &iteration{
		report: Iteration{
			Iteration: o.Iteration, Active: s.now.activated, Fraction: o.Fraction,
			Method: d.Method, Device: d.Device, Alpha: d.Alpha,
		},
		step: s.now.step, last: s.now.step.Iteration+1 == j.plan.opt.Iterations, alone: d.Device == GPU,
		began: began, read: j.plan.pages.BytesRead(), disk: store.DiskBytes(),
		measured: policy.Measurement{Observation: o, Decision: d},
	}
	if j.plan.opt.Device == GPU {
		x.report.Alpha = 0 // nothing was to choose
	}
	return x
}

// record reports an iteration, lets the policy learn from it, and does what is due before the next
// one.
func (j *Job[V, A]) record(x *iteration) error {
	if x.report.Device != CPU && x.report.Method != Frontier && len(x.lost) == 0 {
		j.workers.account(x)
	}
	x.measured.Seconds = time.Since(x.began).Seconds()
	j.state.policy.learn(x.measured)
	due := j.state.policy.maintain(j.workers.observe(), time.Since(x.began))
	if due.Fetch {
		if err := j.workers.gpus.fetch(); err != nil {
			return err
		}
	}
	if due.TimeCPU {
		j.workers.cpu.lookAtCPU()
	}
	x.report.Traffic.Requested = j.plan.pages.BytesRead() - x.read + x.loaded
	x.report.Traffic.BytesRead = store.DiskBytes() - x.disk
	if x.report.Levels == 1 {
		x.report.Levels = 0
	}
	j.hintDisk(max(1, x.report.Levels))
	x.report.Duration = time.Since(x.began)
	x.report.Seconds = x.report.Duration.Seconds()
	j.recorder.add(x.report)
	e := j.recorder.epochs
	e.iterated(x)
	if e == nil || !e.due.Due() || j.last() || !e.idle() { // after the last one, only results are left to be written
		return nil
	}
	if err := j.workers.gpus.fetch(); err != nil {
		e.Wrote(err)
		return nil
	}
	e.take(false)
	return nil
}

// done reports whether no iteration is left to do, and the host has all values.
func (j *Job[V, A]) done() bool {
	if !j.last() {
		return false
	}
	start := time.Now()
	err := j.workers.gpus.fetch()
	j.recorder.report.Duration += time.Since(start)
	_ = j.workers.survive(err) // which is never another one
	return err == nil
}

// last reports whether no iteration is left to do.
func (j *Job[V, A]) last() bool {
	s, limit := j.state, j.plan.opt.Iterations
	return s.now.activated == 0 || limit > 0 && s.now.step.Iteration == limit ||
		len(j.workers.gpus.live) == 0 && s.arrived()
}

// levelLimit returns the number of levels of frontiers that may be done before the job decides again, or
// takes a checkpoint.
func (j *Job[V, A]) levelLimit() int {
	limit := math.MaxInt
	if j.plan.opt.Iterations > 0 {
		limit = j.plan.opt.Iterations - j.state.now.step.Iteration
	}
	if j.plan.front.stored != nil && j.plan.opt.Method == Auto {
		limit = 1 // a larger frontier may be another decision
	}
	if j.plan.opt.hooks.end != nil {
		// twice as many each time, since buckets are emptied and filled for it
		j.state.asked = max(1, 2*j.state.asked)
		limit = min(limit, j.state.asked)
	}
	if e := j.recorder.epochs; e != nil && e.due.Every > 0 {
		limit = min(limit, max(1, e.due.Every-e.due.Iterations))
	}
	return limit
}

// Save writes an epoch of the state in which Run has left the job, unless it is saved already. It
// does nothing if the job is not recorded or cannot be resumed.
func (j *Job[V, A]) Save() error {
	if !j.recorder.epochs.unsaved() {
		return nil
	}
	if err := j.workers.gpus.fetch(); err != nil {
		return err
	}
	return j.recorder.epochs.save()
}

// iteration is the iteration in progress.
type iteration struct {
	report Iteration
	step   gas.Step
	last   bool       // the options allow no further one
	alone  bool       // GPUs do it, and the host does not get the values
	lost   []*failure // of GPUs, when the new values were made
	began  time.Time
	read   int64 // bytes of pages read before it
	disk   int64 // [store.DiskBytes] before it
	loaded int64 // bytes of rows read for frontiers

	requests []page.Request
	measured policy.Measurement
	cpu      struct { // what the CPU has done
		stats    cpuengine.Stats
		requests []page.Request // beside GPUs
		pages    []PageWork     // beside GPUs
		scan     policy.Scanned // beside GPUs
	}
	gpus struct { // what GPUs have done
		stats cpuengine.Stats
		began time.Time
		start float64 // of the work on pages, in seconds since the job began
		read  int64   // bytes of pages read before they began
	}
}
