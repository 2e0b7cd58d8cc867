package subgraph

import (
	"context"
	"sync/atomic"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// Along is which way hops lead.
type Along string

// The ways.
const (
	Out  Along = "out"  // along edges
	In   Along = "in"   // against them
	Both Along = "both" // either
)

// Grow adds to a set all vertices at most hops away from it. Each hop reads the shards that have the
// newest vertices.
func Grow(ctx context.Context, s *store.Store, set *Set, hops int, along Along, o algorithms.Options) error {
	if hops <= 0 {
		return nil
	}
	return algorithms.Visit(ctx, s, &growth{set: set, hops: hops, along: along}, o)
}

// growth is a search by levels.
type growth struct {
	set   *Set
	hops  int
	along Along
}

func (x *growth) directions(g *store.Catalogue) []shard.Direction {
	switch {
	case g.Symmetric || x.along == Out:
		return []shard.Direction{shard.Out}
	case x.along == In:
		return []shard.Direction{shard.In}
	}
	return []shard.Direction{shard.In, shard.Out}
}

// Plan is rows, the set, and two levels of it.
func (x *growth) Plan(g *store.Catalogue, _ int) algorithms.Plan {
	return algorithms.Plan{Rows: x.directions(g), Arrays: []algorithms.Array{
		{Name: "the set of vertices", Bytes: Bytes(g)}, {Name: "two levels of the search", Bytes: 2 * Bytes(g)},
	}}
}

// Visit goes from level to level.
func (x *growth) Visit(ctx context.Context, e *algorithms.Env) error {
	var levels [2]bitset.Set
	for i := range levels {
		words, err := algorithms.Make[uint64](e, bitset.Words(e.Graph.Vertices))
		if err != nil {
			return err
		}
		levels[i] = words
	}
	now, next := levels[0], levels[1]
	copy(now, x.set.bits)
	directions := x.directions(e.Graph)
	for hop := range x.hops {
		var found atomic.Bool
		err := e.Rows().EachOf(ctx, now.Any, func(_ int, b *algorithms.Block) error {
			any := false
			for i := range b.Len {
				if !now.Has(b.Vertex(i)) {
					continue
				}
				for _, dir := range directions {
					for _, u := range b.Row(dir, i) {
						if !x.set.Has(u) { // it is added at the end of the level
							next.Add(u)
							any = true
						}
					}
				}
			}
			if any {
				found.Store(true)
			}
			return nil
		})
		if err != nil {
			return err
		}
		e.Progress("hops", int64(hop+1), int64(x.hops))
		if !found.Load() {
			return nil
		}
		for i, word := range next {
			x.set.bits[i] |= word
		}
		now, next = next, now
		next.Clear()
	}
	return nil
}
