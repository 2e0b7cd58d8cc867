package algorithms_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// checkSample follows a sample layer by layer: the vertices of each have as many edges as they must have, all of
// them edges of the graph.
func checkSample(t rapid.TB, s *store.Store, g oracle.Graph, c algorithms.Sample) {
	t.Helper()
	out := runs(t, s, c)
	stored := map[[2]uint32]int{}
	degree := make([]int, g.N)
	for _, e := range g.Edges {
		v := e.Dst
		if c.Along == shard.Out {
			v = e.Src
		}
		stored[[2]uint32{e.Src, e.Dst}]++
		degree[v]++
	}
	layer, met, at := c.Seeds, map[uint32]bool{}, 0
	for _, v := range c.Seeds {
		met[v] = true
	}
	for k, fanout := range c.Fanouts {
		next := map[uint32]bool{}
		for _, v := range layer {
			want := fanout
			if fanout < 0 || degree[v] == 0 || !c.Replace && degree[v] < fanout {
				want = degree[v]
			}
			taken := map[[2]uint32]int{}
			for range want {
				edge := [2]uint32{uint32(out.Keys[at]), uint32(out.Values[at])}
				own, other := edge[1], edge[0]
				if c.Along == shard.Out {
					own, other = other, own
				}
				taken[edge]++
				if own != v || out.Columns[0].Values.([]int64)[at] != int64(k+1) || stored[edge] == 0 ||
					(!c.Replace || fanout < 0) && taken[edge] > stored[edge] {
					t.Fatalf("row %d: edge %v of vertex %d in layer %d", at, edge, v, k+1)
				}
				next[other] = true
				at++
			}
		}
		layer = nil
		for v := range uint32(g.N) {
			if next[v] && !met[v] {
				layer, met[v] = append(layer, v), true
			}
		}
	}
	if at != len(out.Keys) || out.total("vertices") != int64(len(met)) {
		t.Fatalf("%d rows and %v vertices: expected %d and %d", len(out.Keys), out.total("vertices"), at, len(met))
	}
}

func TestSample(t *testing.T) {
	cases(t, false, func(t rapid.TB, s *store.Store, g oracle.Graph, _ bool) {
		for i, fanouts := range [][]int{{1}, {3, 2, 2}, {-1, 2}, {2, -1}} {
			seeds := []uint32{0}
			if g.N > 5 {
				seeds = []uint32{1, 3, uint32(g.N - 1)}
			}
			for _, along := range []shard.Direction{shard.In, shard.Out} {
				checkSample(t, s, g, algorithms.Sample{
					Seeds: seeds, Fanouts: fanouts, Along: along, Replace: i%2 == 1, Seed: 7,
				})
			}
		}
	})
}

// TestSampleChances checks that each of 12 edges is chosen about as often as the others.
func TestSampleChances(t *testing.T) {
	g := oracle.Graph{N: 13}
	for v := range uint32(12) {
		g.Edges = append(g.Edges, oracle.Edge{Src: v + 1, Dst: 0})
	}
	s := teststore.Build(t, g, teststore.Options{Layout: store.Packed})
	for _, replace := range []bool{false, true} {
		counts := make([]float64, g.N)
		for seed := range uint64(1000) {
			out, err := algorithms.Run(t.Context(), s,
				algorithms.Sample{Seeds: []uint32{0}, Fanouts: []int{3}, Replace: replace, Seed: seed}, algorithms.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range out.Keys {
				counts[v]++
			}
			out.Close()
		}
		chi := 0.
		for _, n := range counts[1:] {
			chi += (n - 250) * (n - 250) / 250
		}
		if chi > 11+5*4.7 {
			t.Errorf("replace %v: χ² %v with 11 degrees of freedom: %v", replace, chi, counts)
		}
	}
}
