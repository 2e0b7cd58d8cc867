package looptest

import (
	"cmp"
	"slices"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
)

// block is a random shard of a random graph, and what an engine has beside it.
type block[V any] struct {
	compiled.Block
	list []uint16
	slot []uint16 // of each edge, for Fold
	cur  []V
}

func drawBlock[V any](t *rapid.T, value *rapid.Generator[V]) *block[V] {
	n := rapid.IntRange(1, 100).Draw(t, "vertices")
	b := &block[V]{}
	b.First = rapid.Uint32Range(0, 200).Draw(t, "first")
	b.N = b.First + uint32(n) + rapid.Uint32Range(0, 50).Draw(t, "after")
	b.Step = gas.Step{
		Iteration: rapid.IntRange(0, 20).Draw(t, "iteration"), Aggregate: rapid.Float64Range(0, 1).Draw(t, "aggregate"),
	}
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
		if rapid.Bool().Draw(t, "wide") {
			b.Weight, b.Wide = nil, rapid.SliceOfN(rapid.Float64Range(0, 8), edges, edges).Draw(t, "wide weights")
		}
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

// pack packs the block's edges, in half of the cases with their ends and values
// spread over more vertices, for other widths.
func (b *block[V]) pack(t *rapid.T) (*packed.Side, []V) {
	cur, h := b.cur, shard.Header{
		First: b.First, Vertices: int(b.N - b.First), Weighted: b.Weight != nil || b.Wide != nil, Wide: b.Wide != nil,
	}
	nbr, slot := slices.Clone(b.Nbr), slices.Clone(b.slot)
	if rapid.Bool().Draw(t, "spread") {
		cur = slices.Repeat(cur, 1<<17/len(cur)+1)
		h.Vertices = rapid.SampledFrom([]int{12288, 1<<14 - 1, 1 << 14, 1<<16 - 1}).Draw(t, "vertices of the packed shard")
		gap := uint32(1) << rapid.IntRange(0, 16).Draw(t, "gap")
		for i := range nbr {
			nbr[i] = nbr[i] * gap % (1 << 17)
			slot[i] *= uint16(h.Vertices / 100)
		}
	}
	order := make([]int, len(nbr))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return cmp.Or(cmp.Compare(nbr[x], nbr[y]), cmp.Compare(slot[x], slot[y]))
	})
	var e packed.Edges
	for _, i := range order {
		e.Nbr, e.Dst = append(e.Nbr, nbr[i]), append(e.Dst, slot[i])
		switch {
		case h.Wide:
			e.Wide = append(e.Wide, b.Wide[i])
		case h.Weighted:
			e.Weight = append(e.Weight, b.Weight[i])
		}
	}
	var p packed.Packer
	if err := p.Sorted(h, e.Nbr, e.Dst, shard.Plane{Narrow: e.Weight, Wide: e.Wide}); err != nil {
		t.Fatal(err)
	}
	blob := make([]byte, p.Size())
	p.Write(blob)
	s, err := packed.Decode(blob)
	if err == nil {
		err = s.CheckValues(uint32(len(cur)))
	}
	if err != nil {
		t.Fatal(err)
	}
	return s, cur
}
