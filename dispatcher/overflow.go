package dispatcher

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/panics"
)

// OverflowError reports values that are wrong because numbers overflowed.
type OverflowError struct {
	Graph, Program string
	Values         int64  // how many are wrong
	Vertices       uint32 // of how many
	First          string // the user's id of the first such vertex
}

func (e *OverflowError) Error() string {
	return fmt.Sprintf("%s on %s: numbers left their range: %d of %d values are wrong, the first that of vertex %q",
		e.Program, e.Graph, e.Values, e.Vertices, e.First)
}

// overflowed asks a program that is [gas.Overflowable] about the values of a job
// that is done, and returns an [OverflowError] if it reports some.
func (j *Job[V, A]) overflowed(ctx context.Context) error {
	program, able := j.plan.program.(gas.Overflowable[V])
	if !able {
		return nil
	}
	return j.Refuse(ctx, func(from, to uint32, wrong func(v uint32)) error {
		for v := from; v < to; v++ {
			if program.Overflowed(j.state.arrays.Cur[v]) {
				wrong(j.state.arrays.ID(v))
			}
		}
		return nil
	})
}

// Refuse returns an [OverflowError] if find reports wrong values of a job that is done. It calls
// find for intervals of places, on several goroutines. wrong gets the ids of vertices.
func (j *Job[V, A]) Refuse(ctx context.Context, find func(from, to uint32, wrong func(v uint32)) error) error {
	var values atomic.Int64
	firsts := make([]uint32, len(j.plan.shape.firsts)) // by shard, where there is one
	err := j.plan.eachShard(ctx, func(i int) error {
		firsts[i] = math.MaxUint32 // no vertex has this id
		return panics.Guard(j.plan.program, func() error {
			from, to := j.plan.shape.interval(i)
			return find(from, to, func(v uint32) {
				values.Add(1)
				firsts[i] = min(firsts[i], v)
			})
		})
	})
	if err != nil || values.Load() == 0 {
		return err
	}
	e := &OverflowError{Graph: j.plan.store.Name(), Program: j.plan.name(), Values: values.Load(),
		Vertices: j.plan.shape.cat.Vertices}
	if e.First, err = j.plan.store.IDs().Text(slices.Min(firsts)); err != nil {
		return fmt.Errorf("%w (%w)", e, err)
	}
	return e
}
