package dispatcher

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unsafe"

	"go.uber.org/zap"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/internal/hostmem"
)

// epochs are what a recorded job has to do with its epochs: when one is due, the
// one that is being written, and what the last whole state was. One is written
// at a time, by a goroutine; one that is due meanwhile is taken as soon as the
// writer is free.
type epochs[V any] struct {
	job         *checkpoint.Job
	policy      checkpoint.Policy
	chunk       uint32
	spare       *spare[V]  // nil unless epochs are written while the job runs
	active      bitset.Set // of the snapshot; likewise
	epochWriter epochWriter[V]
	sinceEpoch  sinceEpoch
	progress    progress
	// aggregates as they were before the iteration, which an error in its middle
	// leaves half changed.
	aggregates []float64
}

// epochWriter is the writing of one epoch.
type epochWriter[V any] struct {
	taken   *snapshot[V] // being written; nil: none
	cancel  context.CancelFunc
	wrote   chan error
	failing bool // the last epoch could not be written
}

// sinceEpoch is what was done since the last epoch was taken.
type sinceEpoch struct {
	last              time.Time // when that was
	iterations, pages int
}

// progress counts what changed the state.
type progress struct {
	now, saved, taking int  // as it is, in the last epoch, in the one that is being written
	whole              bool // there is a state to go on from
	within             bool // that is in the middle of an iteration
}

// epochBytes is the memory that epochs take, beside the process's own.
func epochBytes[V any](n uint32, p checkpoint.Policy) int64 {
	if !p.Wanted() {
		return 0
	}
	var v V
	size := int64(unsafe.Sizeof(v))
	kept := int64(spareChunks[V](n, checkpoint.DefaultChunk)) * checkpoint.DefaultChunk * size
	return min(kept, int64(n)*size) + 8*int64(bitset.Words(n)) + checkpoint.WriterBytes(n, int(size))
}

func newEpochs[V any](n uint32, o Options) (*epochs[V], error) {
	e := &epochs[V]{job: o.Job, policy: o.Checkpoints, chunk: o.Job.ChunkVertices()}
	e.epochWriter.wrote = make(chan error, 1)
	if !e.policy.Wanted() {
		return e, nil
	}
	var errs [2]error
	e.spare, errs[0] = newSpare[V](n, e.chunk)
	e.active, errs[1] = hostmem.Slice[uint64](bitset.Words(n))
	return e, errors.Join(errs[:]...)
}

func (e *epochs[V]) free() {
	if e.spare != nil {
		hostmem.Free(e.spare.values)
	}
	hostmem.Free(e.active)
}

// beginEpochs notes the first whole state.
func (j *Job[V, A]) beginEpochs() {
	if e := j.epochs; e != nil {
		e.progress.whole, e.sinceEpoch.last = true, time.Now()
		j.atBoundary()
	}
}

// atBoundary notes what stands between two iterations.
func (j *Job[V, A]) atBoundary() {
	j.epochs.progress.within = false
	j.epochs.aggregates = append(j.epochs.aggregates[:0], j.abilities.aggregates...)
}

// iterated is called after each iteration.
func (j *Job[V, A]) iterated(x *iteration) {
	e := j.epochs
	if e == nil {
		return
	}
	e.progress.now++
	e.sinceEpoch.iterations += max(1, x.Levels)
	switch {
	case j.opt.Mode != Async:
	case x.alone: // a GPU publishes its pages for itself
		e.sinceEpoch.pages += x.Pages
	case x.Method == Frontier: // it has no pages
		e.sinceEpoch.pages += max(1, x.Levels)
	}
	j.atBoundary()
	e.job.Progress(j.standing.position.step.Iteration)
	if e.due() && !j.last() { // what is left to do then is writing the results
		j.takeEpoch(false)
	}
}

// published is called after each page of an async job.
func (j *Job[V, A]) published() {
	e := j.epochs
	if e == nil {
		return
	}
	e.progress.now++
	e.sinceEpoch.pages++
	if e.dueWithin() {
		j.takeEpoch(true)
	}
}

// due reports whether an epoch is, between two iterations.
func (e *epochs[V]) due() bool {
	return e.policy.Every > 0 && e.sinceEpoch.iterations >= e.policy.Every || e.dueWithin()
}

// dueWithin reports whether an epoch is, by pages or time. One by iterations that found
// the writer at work waits for the end of the iteration: from there, the job goes on as
// if nothing had been.
func (e *epochs[V]) dueWithin() bool {
	return e.policy.Pages > 0 && e.sinceEpoch.pages >= e.policy.Pages ||
		e.policy.Interval > 0 && time.Since(e.sinceEpoch.last) >= e.policy.Interval
}

// takeEpoch takes a snapshot and begins to write it, unless one is being written.
func (j *Job[V, A]) takeEpoch(within bool) {
	e := j.epochs
	select {
	case err := <-e.epochWriter.wrote:
		j.took(err)
	default:
	}
	if e.epochWriter.taken != nil {
		return
	}
	if err := j.workers.values.fetch(); err != nil {
		j.epochFailed(err)
		return
	}
	e.epochWriter.taken = newSnapshot(j.arrays.Cur, j.activeNow(e.active, within), e.chunk, e.spare)
	e.sinceEpoch.last, e.sinceEpoch.iterations, e.sinceEpoch.pages, e.progress.taking = time.Now(), 0, 0, e.progress.now
	state, snapshot := j.state(within), e.epochWriter.taken
	ctx, cancel := context.WithCancel(context.Background()) // ends with Run
	e.epochWriter.cancel = cancel
	go func() {
		err := j.writeEpoch(ctx, state, snapshot)
		snapshot.drop()
		e.epochWriter.wrote <- err
	}()
}

// activeNow puts the active set into bits. Within an iteration of an async job,
// it is that of the iteration and what rose since, so that the iteration can be
// begun again.
func (j *Job[V, A]) activeNow(bits bitset.Set, within bool) bitset.Set {
	copy(bits, j.arrays.Active)
	if within {
		for w, rising := range j.arrays.Rising {
			bits[w] |= rising
		}
	}
	return bits
}

// state is what an epoch holds beside values and active set. Within an iteration
// of an async job the aggregates are those of the values as they are.
func (j *Job[V, A]) state(within bool) checkpoint.State {
	aggregates := j.epochs.aggregates
	if within {
		aggregates = j.abilities.aggregates
	}
	s := checkpoint.State{
		Vertices: j.shape.cat.Vertices, ValueBytes: j.shape.valueBytes, Iteration: j.standing.position.step.Iteration, Within: within,
		Aggregate: checkpoint.Float(j.standing.position.step.Aggregate), Previous: checkpoint.Float(j.standing.position.previous),
		Policy: policy.Encode(j.policy.State), Work: j.report.work(),
	}
	if j.standing.position.unsummed { // the next iteration sums again
		s.Previous = checkpoint.Float(math.NaN())
	}
	for _, a := range slices.Clone(aggregates) {
		s.Aggregates = append(s.Aggregates, checkpoint.Float(a))
	}
	return s
}

func (j *Job[V, A]) writeEpoch(ctx context.Context, s checkpoint.State, source checkpoint.Source) error {
	start := time.Now()
	n, err := j.epochs.job.Epochs().Write(ctx, s, source)
	if n == 0 {
		return err
	}
	j.opt.Log.Debug(fmt.Sprintf("wrote checkpoint %d, after %d iterations", n, s.Iteration), zap.Duration("took", time.Since(start)))
	return errors.Join(err, j.epochs.job.Wrote(n, s.Iteration))
}

// took notes how the writing of the snapshot ended. The job goes on in any case.
func (j *Job[V, A]) took(err error) {
	e := j.epochs
	e.epochWriter.cancel()
	e.epochWriter.taken = nil
	switch {
	case err == nil && e.epochWriter.failing:
		j.opt.Log.Info("checkpoints are written again")
		fallthrough
	case err == nil:
		e.progress.saved, e.epochWriter.failing = e.progress.taking, false
	case errors.Is(err, context.Canceled): // the job is done
	default:
		j.epochFailed(err)
	}
}

// epochFailed warns, once, that epochs cannot be had.
func (j *Job[V, A]) epochFailed(err error) {
	if !j.epochs.epochWriter.failing {
		j.epochs.epochWriter.failing = true
		j.opt.Log.Warn(oneLine(err) + "; the job goes on, and older checkpoints stay")
	}
}

// oneLine puts joined errors into one line.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// snapshotNow is the one that is being written; nil: none.
func (j *Job[V, A]) snapshotNow() *snapshot[V] {
	if j.epochs == nil {
		return nil
	}
	return j.epochs.epochWriter.taken
}

// keep is called before shards of an array are written to.
func (j *Job[V, A]) keep(array []V, shards []int) {
	taken := j.snapshotNow()
	if taken == nil {
		return
	}
	for _, i := range shards {
		from, to := j.shape.interval(i)
		taken.keep(array, from, to)
	}
}

// endEpochs ends the run's epochs. A job that ended with an error leaves its
// state, so that it can be resumed. After one that is done an epoch that is being
// written is not wanted any more, and nobody waits here until that has stopped.
func (j *Job[V, A]) endEpochs(cause error) {
	if j.epochs == nil {
		return
	}
	if cause == nil {
		if e := j.epochs; e.epochWriter.taken != nil {
			e.epochWriter.cancel()
		}
		return
	}
	if err := j.Save(); err != nil {
		j.opt.Log.Warn("the state in which the job ended is lost: " + oneLine(err) + "; older checkpoints stay")
	}
}

// waitEpoch waits for the epoch that is being written.
func (j *Job[V, A]) waitEpoch() {
	if e := j.epochs; e.epochWriter.taken != nil {
		j.took(<-e.epochWriter.wrote)
	}
}

// Save writes an epoch of the state in which Run has left the job, unless one is
// there. Without a recorded job, or a state to go on from, it does nothing.
func (j *Job[V, A]) Save() error {
	e := j.epochs
	if e == nil {
		return nil
	}
	j.waitEpoch()
	if !e.progress.whole || e.progress.now == e.progress.saved {
		return nil
	}
	if err := j.workers.values.fetch(); err != nil {
		return err
	}
	within := j.opt.Mode == Async && e.progress.within
	active := j.arrays.Active
	if within {
		active = j.activeNow(active, true) // the run is over
	}
	err := j.writeEpoch(context.Background(), j.state(within), newSnapshot(j.arrays.Cur, active, e.chunk, nil))
	if err == nil {
		e.progress.saved = e.progress.now
	}
	return err
}
