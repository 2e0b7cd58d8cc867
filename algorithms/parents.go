package algorithms

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// NoParent is the parent of a vertex that has none: a source, or what is not reached.
const NoParent = gas.VertexID(math.MaxUint32)

// Parents finds from the lengths of shortest paths what is before each vertex on one of them: the
// smallest in-neighbour that is nearer, and over which a path has that very length. Where there is
// none, because weights of 0 make vertices equally near, or because one is too small to change a
// sum, these get theirs in rounds: the smallest such neighbour that had one at the beginning of the
// round. So parents lead to sources, in no circle, and depend on the lengths and the graph alone.
type Parents[V any] struct {
	Values  []V // by dense id
	Weights bool
	Reached func(v uint32) bool
	Begins  func(v uint32) bool // a path begins there
	Nearer  func(a, b V) bool
	// Over reports whether a path over an edge from a vertex of length src is as long as value.
	Over func(src V, weight float64, value V) bool
}

// Plan returns rows of in-edges, the parents, and the vertices of the rounds.
func (p Parents[V]) Plan(g *store.Catalogue, _ int) Plan {
	return Plan{
		Rows: []shard.Direction{shard.In}, Weights: p.Weights,
		Arrays: []Array{{"the parents", 4 * int64(g.Vertices)},
			{"vertices without one yet", 2 * 8 * int64(bitset.Words(g.Vertices))}},
	}
}

// Run goes over all rows, and in each round over those of the vertices that are left.
func (p Parents[V]) Run(ctx context.Context, e *Env) ([]gas.VertexID, error) {
	var parents []gas.VertexID
	var left, found bitset.Set
	words := bitset.Words(e.Graph.Vertices)
	err := makeAll(e, into(&parents, int(e.Graph.Vertices)), into(&left, words), into(&found, words))
	if err != nil {
		return nil, err
	}
	var some atomic.Bool
	err = e.Rows().Each(ctx, func(_ int, b *Block) error {
		for i := range b.Len {
			v := b.Vertex(i)
			parents[v] = NoParent
			if !p.Reached(v) || p.Begins(v) {
				continue
			}
			if parents[v] = p.parent(b, i, nil); parents[v] == NoParent {
				left.Add(v)
				some.Store(true)
			}
		}
		return nil
	})
	for round := int64(1); err == nil && some.Load(); round++ {
		e.Progress("equally near vertices", round, -1)
		some.Store(false)
		err = e.Rows().EachOf(ctx, left.Any, func(_ int, b *Block) error {
			for i := range b.Len {
				v := b.Vertex(i)
				if !left.Has(v) {
					continue
				}
				if u := p.parent(b, i, left); u != NoParent {
					parents[v] = u
					found.Add(v)
					some.Store(true)
				}
			}
			return nil
		})
		for i, word := range found {
			left[i] &^= word
		}
		found.Clear()
	}
	return parents, err
}

// parent returns the smallest neighbour in row i over which a path is as long as the vertex says, and that is nearer;
// if left is not nil, one that is as near and not left.
func (p Parents[V]) parent(b *Block, i int, left bitset.Set) gas.VertexID {
	value := p.Values[b.Vertex(i)]
	var weights shard.Plane
	if p.Weights {
		weights = b.Weights(shard.In, i)
	}
	for k, u := range b.Row(shard.In, i) {
		var fits bool
		if left == nil {
			fits = p.Nearer(p.Values[u], value)
		} else {
			fits = p.Reached(u) && !left.Has(u) && !p.Nearer(value, p.Values[u])
		}
		if fits && p.Over(p.Values[u], weights.At(k), value) {
			return gas.VertexID(u)
		}
	}
	return NoParent
}
