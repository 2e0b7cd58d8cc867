package looptest

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
)

// block is a random shard of a random graph, and what an engine has beside it.
type block[V any] struct {
	compiled.Block
	list []uint16
	slot []uint16 // of each edge, for Scatter
	cur  []V
}

func drawBlock[V any](t *rapid.T, value *rapid.Generator[V]) *block[V] {
	n := rapid.IntRange(1, 100).Draw(t, "vertices")
	b := &block[V]{}
	b.First = rapid.Uint32Range(0, 200).Draw(t, "first")
	b.N = b.First + uint32(n) + rapid.Uint32Range(0, 50).Draw(t, "after")
	b.Step = gas.Step{Iteration: rapid.IntRange(0, 20).Draw(t, "iteration"), Aggregate: rapid.Float64Range(0, 1).Draw(t, "aggregate")}
	b.Nbr = rapid.SliceOfN(rapid.Uint32Range(0, b.N-1), 0, 3*n).Draw(t, "neighbours")
	edges := len(b.Nbr)
	offsets := func(name string) []uint32 {
		off := rapid.SliceOfN(rapid.Uint32Range(0, uint32(edges)), n+1, n+1).Draw(t, name)
		slices.Sort(off)
		off[0], off[n] = 0, uint32(edges)
		return off
	}
	b.Off = offsets("offsets")
	if rapid.Bool().Draw(t, "weighted") {
		b.Weight = rapid.SliceOfN(rapid.Float32Range(0, 8), edges, edges).Draw(t, "weights")
	}
	degrees := func(name string) []uint32 {
		return rapid.SliceOfN(rapid.Uint32Range(0, 5), int(b.N), int(b.N)).Draw(t, name)
	}
	if rapid.Bool().Draw(t, "in-degrees") {
		b.In = degrees("in-degrees of vertices")
	}
	if rapid.Bool().Draw(t, "out-degrees") {
		b.Out = degrees("out-degrees of vertices")
	}
	b.Degree = degrees("degrees")
	b.cur = rapid.SliceOfN(value, int(b.N), int(b.N)).Draw(t, "values")
	for v := range n {
		if rapid.Bool().Draw(t, "listed") {
			b.list = append(b.list, uint16(v))
		}
	}
	b.slot = rapid.SliceOfN(rapid.Uint16Range(0, uint16(n-1)), edges, edges).Draw(t, "slots")
	return b
}
