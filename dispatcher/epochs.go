package dispatcher

import (
	"context"
	"errors"
	"math"
	"unsafe"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/internal/hostmem"
)

// epochs schedules and writes the checkpoints of a recorded job. Its methods accept a nil receiver:
// that of a job which is not recorded. One epoch is written at a time, by a goroutine; one that is
// due meanwhile is taken when the writer is free.
type epochs[V, A any] struct {
	plan   *plan[V, A]
	state  *state[V, A]
	report *Report
	chunk  uint32
	spare  *spare[V]  // nil unless epochs are written while the job runs
	active bitset.Set // of the snapshot; nil unless epochs are written while the job runs

	checkpoint.Recorder
	due    checkpoint.Schedule
	writer struct { // the goroutine that writes an epoch
		cancel context.CancelFunc
		done   chan error // receives its result
	}
	// changes counts those of the state: all, those in the last epoch, and those in the epoch being written.
	changes struct{ all, saved, taken int }
	whole   bool // there is a state to go on from
	// aggregates holds the aggregates before the iteration: an error in its middle leaves the present ones half changed.
	aggregates []float64
}

// epochBytes returns the memory that epochs take, beside the process's own.
func epochBytes[V any](n uint32, p checkpoint.Policy) int64 {
	if !p.Wanted() {
		return 0
	}
	var v V
	size := int64(unsafe.Sizeof(v))
	kept := int64(spareChunks[V](n, checkpoint.DefaultChunk)) * checkpoint.DefaultChunk * size
	return min(kept, int64(n)*size) + 8*int64(bitset.Words(n)) + checkpoint.WriterBytes(n, int(size))
}

func newEpochs[V, A any](p *plan[V, A], s *state[V, A], report *Report) (*epochs[V, A], error) {
	e := &epochs[V, A]{plan: p, state: s, report: report, chunk: p.opt.Job.ChunkVertices(),
		Recorder: checkpoint.Recorder{Job: p.opt.Job, Log: p.opt.Log, Unit: "iterations"},
		due:      checkpoint.Schedule{Policy: p.opt.Checkpoints}}
	e.writer.done = make(chan error, 1)
	if !e.due.Wanted() {
		return e, nil
	}
	var errs [2]error
	e.spare, errs[0] = newSpare[V](p.shape.cat.Vertices, e.chunk)
	e.active, errs[1] = hostmem.Slice[uint64](bitset.Words(p.shape.cat.Vertices))
	return e, errors.Join(errs[:]...)
}

func (e *epochs[V, A]) free() {
	if e == nil {
		return
	}
	if e.spare != nil {
		hostmem.Free(e.spare.values)
	}
	hostmem.Free(e.active)
}

// begin starts the schedule: from now on the state can be saved.
func (e *epochs[V, A]) begin() {
	if e != nil {
		e.whole = true
		e.due.Restart()
		e.boundary()
	}
}

// boundary notes the state between two iterations.
func (e *epochs[V, A]) boundary() {
	e.state.within = false
	e.aggregates = append(e.aggregates[:0], e.state.aggregates...)
}

// iterated counts an iteration.
func (e *epochs[V, A]) iterated(x *iteration) {
	if e == nil {
		return
	}
	e.changes.all++
	e.due.Iterations += max(1, x.report.Levels)
	switch {
	case e.plan.opt.Mode != Async:
	case x.alone: // a GPU publishes its pages for itself
		e.due.Pages += x.report.Pages
	case x.report.Method == Frontier: // it has no pages
		e.due.Pages += max(1, x.report.Levels)
	}
	e.boundary()
	e.Job.Progress(e.state.now.step.Iteration)
}

// published counts a page of an async job, and takes an epoch if one is due by pages or time. One by iterations that
// found the writer at work waits for the end of the iteration: a job resumed from there computes what an uninterrupted
// one does.
func (e *epochs[V, A]) published() {
	if e == nil {
		return
	}
	e.changes.all++
	e.due.Pages++
	if e.due.DueWithin() && e.idle() {
		e.take(true)
	}
}

// idle reports whether no epoch is being written.
func (e *epochs[V, A]) idle() bool {
	select {
	case err := <-e.writer.done:
		e.took(err)
	default:
	}
	return e.state.taken == nil
}

// take takes a snapshot of the host's values, which must be the newest, and starts writing it.
func (e *epochs[V, A]) take(within bool) {
	snapshot := newSnapshot(e.state.arrays.Cur, e.state.activeNow(e.active, within), e.chunk, e.spare)
	e.state.taken = snapshot
	e.due.Restart()
	e.changes.taken = e.changes.all
	state := e.snapshotState(within)
	ctx, cancel := context.WithCancel(context.Background()) // ends with Run
	e.writer.cancel = cancel
	go func() {
		err := e.Write(ctx, state, snapshot)
		snapshot.drop()
		e.writer.done <- err
	}()
}

// snapshotState returns what an epoch holds beside values and active set. Within an iteration of
// an async job the aggregates are those of the present values.
func (e *epochs[V, A]) snapshotState(within bool) checkpoint.State {
	aggregates := e.aggregates
	if within {
		aggregates = e.state.aggregates
	}
	s := checkpoint.State{
		Vertices: e.plan.shape.cat.Vertices, ValueBytes: e.plan.shape.valueBytes, Iteration: e.state.now.step.Iteration,
		Within:    within,
		Aggregate: checkpoint.Float(e.state.now.step.Aggregate), Previous: checkpoint.Float(e.state.now.previous),
		Policy: policy.Encode(e.state.policy.known), Work: e.report.work(),
	}
	if e.state.now.unsummed { // the next iteration sums again
		s.Previous = checkpoint.Float(math.NaN())
	}
	for _, a := range aggregates {
		s.Aggregates = append(s.Aggregates, checkpoint.Float(a))
	}
	return s
}

// took notes how the writing of the snapshot ended. The job goes on in any case.
func (e *epochs[V, A]) took(err error) {
	e.writer.cancel()
	e.state.taken = nil
	if errors.Is(err, context.Canceled) { // the job is done
		return
	}
	if e.Wrote(err); err == nil {
		e.changes.saved = e.changes.taken
	}
}

// stop cancels the writing of an epoch, without waiting for its end.
func (e *epochs[V, A]) stop() {
	if e != nil && e.state.taken != nil {
		e.writer.cancel()
	}
}

// wait waits for the epoch being written.
func (e *epochs[V, A]) wait() {
	if e != nil && e.state.taken != nil {
		e.took(<-e.writer.done)
	}
}

// unsaved waits for the epoch being written, and reports whether the state has changed since.
func (e *epochs[V, A]) unsaved() bool {
	e.wait()
	return e != nil && e.whole && e.changes.all != e.changes.saved
}

// save writes an epoch of the host's values, which must be the newest, after the run.
func (e *epochs[V, A]) save() error {
	within := e.plan.opt.Mode == Async && e.state.within
	active := e.state.activeNow(e.state.arrays.Active, within) // in place: the run is over
	err := e.Write(context.Background(), e.snapshotState(within), newSnapshot(e.state.arrays.Cur, active, e.chunk, nil))
	if err == nil {
		e.changes.saved = e.changes.all
	}
	return err
}
