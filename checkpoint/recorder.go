package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"go.uber.org/zap"
)

// Recorder writes and restores the epochs of a job, and logs that.
type Recorder struct {
	Job  *Job
	Log  *zap.Logger
	Unit string // of iterations, in the plural

	failing bool // the last epoch could not be written
}

// Begin begins the job within inPlace, as [Job.Begin] does. A new job without periodic epochs runs unrecorded if the
// record cannot be written.
func (r *Recorder) Begin(inPlace func(func() error) error, id Identity, p Policy) error {
	err := inPlace(func() error { return r.Job.Begin(id, p) })
	if err != nil && r.Job.ID() == 0 && !p.Wanted() {
		r.Log.Info(fmt.Sprintf("the run could not be resumed after a crash: %v", err))
		return nil
	}
	return err
}

// Restore is like [Job.Restore].
func (r *Recorder) Restore(ctx context.Context, sink Sink) (Restored, error) {
	from, err := r.Job.Restore(ctx, sink)
	for _, passed := range from.Passed {
		r.Log.Warn(fmt.Sprintf("job %d: a checkpoint is skipped: %v", r.Job.ID(), passed))
	}
	if err == nil && from.Number > 0 {
		r.Log.Info(fmt.Sprintf("job %d goes on from checkpoint %d, after %d %s",
			r.Job.ID(), from.Number, from.State.Iteration, r.Unit))
	}
	return from, err
}

// Write writes an epoch.
func (r *Recorder) Write(ctx context.Context, s State, source Source) error {
	start := time.Now()
	n, err := r.Job.Epochs().Write(ctx, s, source)
	if n == 0 {
		return err
	}
	r.Log.Debug(fmt.Sprintf("wrote checkpoint %d, after %d %s", n, s.Iteration, r.Unit),
		zap.Duration("took", time.Since(start)))
	return errors.Join(err, r.Job.Wrote(n, s.Iteration))
}

// Wrote logs that epochs cannot be written, and that they can be again, given the error of each Write.
func (r *Recorder) Wrote(err error) {
	switch {
	case err == nil && r.failing:
		r.Log.Info("checkpoints are written again")
	case err != nil && !r.failing:
		r.Log.Warn(strings.ReplaceAll(err.Error(), "\n", "; ") + "; older checkpoints stay")
	}
	r.failing = err != nil
}

// Schedule says when the next epoch of a job is due.
type Schedule struct {
	Policy
	Iterations, Pages int           // since Restart
	Took              time.Duration // if above 0, so much time passes before the next one

	since time.Time
}

// Restart begins to wait for the next epoch.
func (s *Schedule) Restart() { s.since, s.Iterations, s.Pages = time.Now(), 0, 0 }

// Due reports whether an epoch is due between two iterations.
func (s *Schedule) Due() bool {
	return s.Every > 0 && s.Iterations >= s.Every && (s.Took == 0 || time.Since(s.since) >= s.Took) || s.DueWithin()
}

// DueWithin reports whether an epoch is due by pages or time.
func (s *Schedule) DueWithin() bool {
	return s.Policy.Pages > 0 && s.Pages >= s.Policy.Pages || s.Interval > 0 && s.Left() <= 0
}

// Left returns the time until an epoch is due by time.
func (s *Schedule) Left() time.Duration {
	if s.Interval <= 0 {
		return math.MaxInt64
	}
	return max(s.Interval, s.Took) - time.Since(s.since)
}

// wordBytes is the size of a word of Arrays.
const wordBytes = 8

// ArraysBytes is the memory that the writing of Arrays takes at most.
const ArraysBytes = writers * (DefaultChunk*wordBytes + 2*DefaultChunk/8)

// Arrays are a [Source] and a [Sink] for a state of arrays: words in place of the values of vertices. The arrays
// follow one another, each from a new word on.
type Arrays [][]byte

// State returns a state of the arrays.
func (a Arrays) State(iteration int) (State, error) {
	var words int64
	for _, array := range a {
		words += (int64(len(array)) + wordBytes - 1) / wordBytes
	}
	if words == 0 || words > math.MaxUint32 {
		return State{}, fmt.Errorf("write a checkpoint: the state has %d words, expected 1 to 2³²-1", words)
	}
	return State{Vertices: uint32(words), ValueBytes: wordBytes, Iteration: iteration}, nil
}

// Begin implements [Sink]. The arrays must have the sizes that they had.
func (a Arrays) Begin(s State) error {
	want, err := a.State(s.Iteration)
	if err == nil && (s.Vertices != want.Vertices || s.ValueBytes != want.ValueBytes) {
		err = fmt.Errorf("%w: it has %d values of %d bytes, the job %d of %d", ErrDiffers,
			s.Vertices, s.ValueBytes, want.Vertices, want.ValueBytes)
	}
	return err
}

// Fill implements [Source].
func (a Arrays) Fill(from, to uint32, values []byte, _ []uint64) error {
	clear(values)
	a.each(from, to, values, func(array, part []byte) { copy(part, array) })
	return nil
}

// Take implements [Sink].
func (a Arrays) Take(from, to uint32, values []byte, _ []uint64) error {
	a.each(from, to, values, func(array, part []byte) { copy(array, part) })
	return nil
}

// each calls f with the parts of arrays in the words from one to before another, and the same parts of these words.
func (a Arrays) each(from, to uint32, words []byte, f func(array, part []byte)) {
	first, last, begin := wordBytes*int64(from), wordBytes*int64(to), int64(0)
	for _, array := range a {
		low, high := max(first, begin), min(last, begin+int64(len(array)))
		if low < high {
			f(array[low-begin:high-begin], words[low-first:high-first])
		}
		begin += (int64(len(array)) + wordBytes - 1) / wordBytes * wordBytes
	}
}
