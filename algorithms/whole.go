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
// ascending, parallel edges and self-loops included; they belong to the run, are freed with
// its arrays, and must not be changed. Of a weighted graph they are Arcs if weights were
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
	r, err := whole.Load(ctx, e.store)
	if err == nil && e.renames() {
		r, err = whole.Rename(ctx, e.Graph, r, e.ids)
	}
	if err != nil {
		return nil, err
	}
	e.used += bytes
	e.loaded += whole.Reads(e.Graph)
	held := *r // r is the algorithm's
	// plain memory, whose return does not fail
	e.arrays[address(held.Off)] = array{bytes: bytes, free: func() { _ = whole.Free(&held) }}
	return r, nil
}
