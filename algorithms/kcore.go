package algorithms

import (
	"context"
	"sync/atomic"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/store"
)

// KCore finds the k-core of a graph of parallel edges, as the vertex program of that name: the value of a
// vertex in it is 1, of another 0. Edges count in both directions; a self-loop counts twice in a directed
// graph, and once in an undirected one.
//
// A vertex that is removed takes itself from the degrees of its neighbours, so that each edge is
// looked at once. Where the budget has no room for the rows of the whole graph, those of removed
// vertices are read as they are needed, or in passes over all rows of a directed graph.
type KCore struct{ K uint32 }

// Plan returns the rows of both directions, the degrees, and the values.
func (KCore) Plan(g *store.Catalogue, _ int) Plan {
	n := int64(g.Vertices)
	arrays := []Array{{"the degrees", 4 * n}, {"the values", 8 * n}}
	return Plan{
		Places: true,
		Whole:  BothRows(g),
		Arrays: append(arrays, Array{"vertices to remove", 4 * n}),
		Less: &Plan{
			Places: true, Rows: BothRows(g), Some: true,
			Arrays: append(arrays[:2:2], Array{"vertices to remove", 8 * int64(bitset.Words(g.Vertices))}),
		},
	}
}

// Run removes what is not in the core.
func (c KCore) Run(ctx context.Context, e *Env) ([]int64, error) {
	degree, err := Make[uint32](e, int(e.Graph.Vertices))
	if err != nil {
		return nil, err
	}
	whole, err := LoadEnds(ctx, e)
	if err != nil {
		return nil, err
	}
	err = eachDegree(ctx, e, BothRows(e.Graph), nil, func(v, n uint32) { degree[v] += n })
	switch {
	case err != nil || c.K == 0:
	case whole:
		err = c.remove(ctx, e, degree)
	default:
		err = c.removeInPasses(ctx, e, degree)
	}
	if err != nil {
		return nil, err
	}
	values, err := Make[int64](e, len(degree))
	if err != nil {
		return nil, err
	}
	core := int64(0)
	for v, d := range degree {
		if d >= c.K {
			values[v] = 1
			core++
		}
	}
	e.Total("members", core)
	return values, nil
}

// remove removes the vertices with fewer than K edges from rows in memory.
func (c KCore) remove(ctx context.Context, e *Env, degree []uint32) error {
	memory, err := Make[uint32](e, len(degree))
	if err != nil {
		return err
	}
	p := &corePeeling{env: e, core: degree, peeled: frontier.New(memory, e.Threads), parallel: true}
	err = frontier.FilterAll(ctx, e, len(degree), p.peeled, func(v uint32) bool { return degree[v] < c.K })
	if err != nil {
		return err
	}
	return p.spread(ctx, 0, c.K-1)
}

// removeInPasses reads the rows of removed vertices, as often as that removes others.
func (c KCore) removeInPasses(ctx context.Context, e *Env, degree []uint32) error {
	words, err := Make[uint64](e, bitset.Words(e.Graph.Vertices))
	if err != nil {
		return err
	}
	p, pending := &corePeeling{core: degree}, bitset.Set(words)
	more := false
	for v, d := range degree {
		if d < c.K {
			pending.Add(uint32(v))
			more = true
		}
	}
	for more && err == nil {
		var fell atomic.Bool
		err = eachVertexOf(ctx, e, "removing vertices", pending, func(_ int, v uint32, ends *Ends) {
			if atomic.LoadUint64(&pending[v/64])>>(v%64)&1 == 0 {
				return
			}
			pending.Remove(v)
			ends.parallel = true
			for u, more := ends.Next(); more; u, more = ends.Next() {
				if p.fall(u, c.K-1) {
					pending.Add(u)
					fell.Store(true)
				}
			}
		})
		more = fell.Load()
	}
	return err
}

// ColumnName returns "core".
func (KCore) ColumnName() string { return "core" }

// KCoreCommand describes the algorithm that runs in place of the vertex program kcore, with its flag --k.
var KCoreCommand = registry.Command{
	Name: "peeling", Value: KCore{},
	Setup: func(*pflag.FlagSet) registry.Make {
		return func(e registry.Env) (any, error) {
			k, err := e.Flags.GetUint32("k")
			return KCore{K: k}, err
		}
	},
}
