package algorithms

import (
	"context"
	"fmt"
	"slices"

	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/shard"
)

// Load reads the rows of the whole graph in a direction that was planned as Whole: what the
// operators of package frontier advance along. Env is their [frontier.Pool]. Rows are
// ascending, parallel edges and self-loops included. They must not be changed: other runs over
// the open graph may have them too. Of a weighted graph they are Arcs if weights were
// planned, and else Nbr.
func (e *Env) Load(ctx context.Context, dir shard.Direction) (*frontier.Rows, error) {
	if !slices.Contains(e.plan.Whole, dir) {
		return nil, fmt.Errorf("algorithm %T loads %s rows of the whole graph that its plan does not include",
			e.algorithm, dir)
	}
	whole := e.plan.whole(e.Graph, dir, e.Threads)
	bytes, _ := whole.Bytes(e.Graph)
	e.mu.Lock()
	defer e.mu.Unlock()
	if bytes > e.planned-e.used {
		return nil, fmt.Errorf("algorithm %T loads more than it planned: %d bytes, and %d for the %s rows of the whole graph",
			e.algorithm, e.planned, e.used+bytes, dir)
	}
	var r *frontier.Rows
	read := whole.Reads(e.Graph)
	shared, err := whole.Shared(e.store)
	switch {
	case err != nil:
	case e.renames():
		if r, err = whole.Load(ctx, e.store); err == nil {
			r, err = whole.Rename(ctx, e.Graph, r, e.ids)
		}
	default:
		r, read, err = shared.Acquire(ctx, e.Threads)
	}
	if err != nil {
		return nil, err
	}
	e.used += bytes
	e.loaded += read
	held, own := *r, e.renames() // r is the algorithm's
	e.arrays[address(r.Off)] = array{bytes: bytes, free: func() {
		if own {
			_ = whole.Free(&held) // plain memory, whose return does not fail
		} else {
			shared.Release(e.options.Memory == 0)
		}
	}}
	return r, nil
}
