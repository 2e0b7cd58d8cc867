package cpuengine

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
)

// TestFold checks that a program that is not compiled folds the edges of packed blocks, each
// with its weight and the value of its destination.
func TestFold(t *testing.T) {
	p := gas.Program[programs.Ballot, programs.Votes](programs.LPA{Seed: 3})
	sums := gas.Program[float32, float32](ranks{})
	rapid.Check(t, func(t *rapid.T) {
		g := testgraph.Draw(t)
		var e packed.Edges
		ballots, values := make([]programs.Ballot, g.N), make([]float32, g.N)
		for u := range g.N {
			ballots[u].Label, values[u] = uint32(u%3), float32(u)
			for _, x := range g.Edges {
				if int(x.Src) == u {
					e.Nbr, e.Dst, e.Weight = append(e.Nbr, x.Src), append(e.Dst, uint16(x.Dst)), append(e.Weight, x.Weight)
				}
			}
		}
		// Edges of one source in the order of destinations: a stable bubble is enough.
		for i := range e.Nbr {
			for j := i; j > 0 && e.Nbr[j-1] == e.Nbr[j] && e.Dst[j-1] > e.Dst[j]; j-- {
				e.Dst[j-1], e.Dst[j] = e.Dst[j], e.Dst[j-1]
				e.Weight[j-1], e.Weight[j] = e.Weight[j], e.Weight[j-1]
			}
		}
		var packer packed.Packer
		if err := packer.Sorted(shard.Header{Vertices: g.N, Weighted: true}, e.Nbr, e.Dst,
			shard.Plane{Narrow: e.Weight}); err != nil {
			t.Fatal(err)
		}
		blob := make([]byte, packer.Size())
		packer.Write(blob)
		side, err := packed.Decode(blob)
		if err == nil {
			err = side.CheckValues(uint32(g.N))
		}
		if err != nil {
			t.Fatal(err)
		}
		check(t, p, side, e, ballots)
		check(t, sums, side, e, values)
	})
}

// check folds twice: packed blocks, and the edges as they are.
func check[V any, A comparable](t *rapid.T, p gas.Program[V, A], side *packed.Side, e packed.Edges, cur []V) {
	var got, want [1 << 16]A
	for i := range got {
		got[i], want[i] = p.Zero(), p.Zero()
	}
	foldPacked(p)(&got, side.Range(0, side.Layout.Blocks), cur)
	for i, u := range e.Nbr {
		s := e.Dst[i]
		want[s] = p.Sum(want[s], p.Gather(cur[u], gas.Edge{Weight: float64(e.Weight[i])}, cur[s]))
	}
	if got != want {
		t.Fatal("the sums differ")
	}
}
