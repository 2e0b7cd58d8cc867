package algorithms

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/internal/panics"
)

// Resumable is an [Algorithm] that has checkpoints on the CPU: its Run calls [Env.Steps].
type Resumable interface {
	// Steps returns the name of its steps in the plural, such as "iterations", and the version of its states and of the
	// code that determines its results. A job is resumed by the same version, or, if that is "", by the same executable.
	Steps() (name, version string)
}

// IsResumable reports whether an [Algorithm] is [Resumable].
func IsResumable(algorithm any) bool {
	_, is := algorithm.(Resumable)
	return is
}

// State is the data that a step of an algorithm needs from the steps before it.
type State struct {
	Done    *int  // steps that are done
	Numbers []any // pointers to what else changes, as JSON
	Arrays  []any // pointers to slices of [Make], which keep their lengths
	// Check, if not nil, returns an error if restored arrays and numbers are none that a run has had.
	Check func() error
}

// Steps calls step until it returns false or an error. A run that is recorded goes on from its newest checkpoint, and
// writes one between two steps when it is due, and after an error. Therefore a step that returns an error leaves the
// state as it was, or as after some of its work. No checkpoint is written after the last step.
func (e *Env) Steps(ctx context.Context, s State, step func() (again bool, err error)) error {
	r := e.recorded
	if r != nil {
		if err := r.restore(ctx, e, s); err != nil {
			return err
		}
	}
	again, err := true, error(nil)
	for again && err == nil {
		if err = ctx.Err(); err == nil {
			again, err = step()
		}
		if r != nil {
			r.stepped(e, s, again, err)
		}
	}
	return err
}

// Due notes that a number of steps is done, and reports whether a checkpoint is due. A step that takes long
// looks at it, and ends early. It may be called from many goroutines.
func (e *Env) Due(done int) bool {
	r := e.recorded
	if r == nil {
		return false
	}
	r.recorder.Job.Progress(done)
	now := r.schedule
	now.Iterations = done - r.saved
	return done > r.saved && now.Due()
}

// Tasks calls f(lane, i) for i from *done to n-1, in ascending order of their beginning, on a number of goroutines. It
// ends early when a checkpoint is due, and when the context ends. Calls that have begun return before that, and *done
// becomes the number of the first task that was not begun.
func (e *Env) Tasks(ctx context.Context, lanes int, done *int, n int, f func(lane, i int)) error {
	var next atomic.Int64
	next.Store(int64(*done))
	err := e.Each(ctx, lanes, func(_, lane int) error {
		for ctx.Err() == nil && !e.Due(int(next.Load())) {
			i := int(next.Add(1)) - 1
			if i >= n {
				break
			}
			f(lane, i)
		}
		return nil
	})
	if err == nil || !panicked(err) {
		*done = min(n, int(next.Load()))
		err = ctx.Err()
	}
	return err
}

// recorded is the record of a run.
type recorded struct {
	recorder checkpoint.Recorder
	schedule checkpoint.Schedule
	saved    int // steps in the newest checkpoint
}

// newRecorded returns the record of the job of a run, or nil if it has none.
func newRecorded(algorithm any, o Options) *recorded {
	named, is := algorithm.(Resumable)
	if !is || o.Job == nil || !o.Job.Begun() {
		return nil
	}
	name, _ := named.Steps()
	r := &recorded{recorder: checkpoint.Recorder{Job: o.Job, Log: o.Log, Unit: name}}
	r.schedule.Policy = o.Checkpoints
	return r
}

// restore takes over the newest checkpoint, if there is one.
func (r *recorded) restore(ctx context.Context, e *Env, s State) error {
	defer r.schedule.Restart()
	arrays, err := e.bytesOf(s)
	if err != nil {
		return err
	}
	from, err := r.recorder.Restore(ctx, arrays)
	if err != nil || from.Number == 0 {
		return err
	}
	*s.Done, r.saved = from.State.Iteration, from.State.Iteration
	var numbers []json.RawMessage
	if err = json.Unmarshal(from.State.Policy, &numbers); err == nil && len(numbers) != len(s.Numbers) {
		err = fmt.Errorf("it has %d numbers, expected %d", len(numbers), len(s.Numbers))
	}
	for i := 0; i < len(numbers) && err == nil; i++ {
		err = json.Unmarshal(numbers[i], s.Numbers[i])
	}
	if err == nil && s.Check != nil {
		err = s.Check()
	}
	if err != nil {
		return fmt.Errorf("job %d: checkpoint %d: %w: %w; `garaph jobs rm` removes the job, which can be run again",
			r.recorder.Job.ID(), from.Number, checkpoint.ErrDamaged, err)
	}
	return nil
}

// stepped notes a step, and writes a checkpoint if one is due, or the last one after an error.
func (r *recorded) stepped(e *Env, s State, again bool, err error) {
	if due := e.Due(*s.Done) && again; err == nil && !due || err != nil && (*s.Done == r.saved || panicked(err)) {
		return
	}
	begin := time.Now()
	err = r.save(e, s)
	if r.recorder.Wrote(err); err == nil {
		r.saved = *s.Done
	}
	r.schedule.Restart()
	r.schedule.Took = time.Since(begin)
}

// save writes a checkpoint, after the end of the context, too.
func (r *recorded) save(e *Env, s State) error {
	arrays, err := e.bytesOf(s)
	if err != nil {
		return err
	}
	state, err := arrays.State(*s.Done)
	if err == nil {
		state.Policy, err = json.Marshal(s.Numbers)
	}
	if err != nil {
		return err
	}
	return r.recorder.Write(context.Background(), state, arrays)
}

// panicked reports whether an error is a panic, after which a step may have left anything.
func panicked(err error) bool {
	var p *panics.Error
	return errors.As(err, &p)
}

// bytesOf returns the memory of the arrays of a state.
func (e *Env) bytesOf(s State) (list checkpoint.Arrays, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, pointer := range s.Arrays {
		slice := reflect.ValueOf(pointer).Elem()
		array, ours := e.arrays[slice.UnsafePointer()]
		if !ours && slice.Len() > 0 {
			return nil, fmt.Errorf("algorithm %T has a state of values not allocated by algorithms.Make", e.algorithm)
		}
		list = append(list, unsafe.Slice((*byte)(slice.UnsafePointer()), array.bytes))
	}
	return list, nil
}

// stateVersion is the version of the states of the algorithms of this package, and of the code that determines the
// bits of their results.
const stateVersion = "1"
