package oracle_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
)

const far = gas.Unreached

var inf = math.Inf(1)

// TestByHand has results that are plain to see in the drawing of the graph.
func TestByHand(t *testing.T) {
	for _, c := range []struct {
		name  string
		graph oracle.Graph
		hops  []int64
		least []float64
		wcc   []uint32
	}{
		{"one vertex", testgraph.OneVertex(), []int64{0}, []float64{0}, []uint32{0}},
		{"path", testgraph.Path(), []int64{0, 1, 2, 3, 4}, []float64{0, 1, 2, 3, 4}, []uint32{0, 0, 0, 0, 0}},
		{"star in",
			oracle.Graph{N: 8, Edges: []oracle.Edge{{Src: 1}, {Src: 2}, {Src: 3}, {Src: 4}, {Src: 5}, {Src: 6}, {Src: 7}}},
			[]int64{0, far, far, far, far, far, far, far}, []float64{0, inf, inf, inf, inf, inf, inf, inf}, make([]uint32, 8)},
		{"two components", testgraph.TwoComponents(), []int64{0, far, 1, far, 2, far},
			[]float64{0, inf, 1, inf, 2, inf}, []uint32{0, 1, 0, 1, 0, 1}},
		{"self-loops", testgraph.SelfLoops(), []int64{0, 1, 2, far}, []float64{0, 1, 2, inf}, []uint32{0, 0, 0, 3}},
		{"multi-edges", testgraph.MultiEdges(), []int64{0, 1, 2, 1}, []float64{0, 1, 3, 4}, make([]uint32, 4)},
		{"weighted diamond", testgraph.WeightedDiamond(), []int64{0, 1, 2, 1, 2},
			[]float64{0, 0.5, 0.75, 1.75, 2}, make([]uint32, 5)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.hops, oracle.BFS(c.graph, 0)); diff != "" {
				t.Error("BFS", diff)
			}
			if diff := cmp.Diff(c.least, oracle.SSSP(c.graph, 0)); diff != "" {
				t.Error("SSSP", diff)
			}
			if diff := cmp.Diff(c.wcc, oracle.WCC(c.graph)); diff != "" {
				t.Error("WCC", diff)
			}
		})
	}
}

func TestDegrees(t *testing.T) {
	in, out := oracle.Degrees(testgraph.MultiEdges())
	if !slices.Equal(in, []uint32{1, 3, 2, 1}) || !slices.Equal(out, []uint32{4, 2, 1, 0}) {
		t.Errorf("got %v, %v", in, out)
	}
}

func TestPageRankByHand(t *testing.T) {
	near := func(t *testing.T, got, want []float64) {
		t.Helper()
		for v := range want {
			if math.Abs(got[v]-want[v]) > 1e-12 {
				t.Fatalf("got %v, want %v", got, want)
			}
		}
	}
	near(t, oracle.PageRank(testgraph.OneVertex(), 0.85, -1, 0, 1e-15), []float64{1})
	near(t, oracle.PageRank(testgraph.Cycle(), 0.85, -1, 3, 0), []float64{1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6})
	// 0 → 1 with d = 1/2: a = 1/4 + b/4, a + b = 1.
	edge := oracle.Graph{N: 2, Edges: []oracle.Edge{{Src: 0, Dst: 1, Weight: 1}}}
	near(t, oracle.PageRank(edge, 0.5, -1, 0, 1e-15), []float64{2. / 5, 3. / 5})
	// The same from source 0: a = 1/2 + b/2, a + b = 1.
	near(t, oracle.PageRank(edge, 0.5, 0, 0, 1e-15), []float64{2. / 3, 1. / 3})
	// One iteration from (1/2, 1/2).
	near(t, oracle.PageRank(edge, 0.5, -1, 1, 0), []float64{3. / 8, 5. / 8})
}

// TestProperties checks what must hold on every graph.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := testgraph.Draw(t)
		source := rapid.Uint32Range(0, uint32(g.N-1)).Draw(t, "source")
		hops, least, wcc := oracle.BFS(g, source), oracle.SSSP(g, source), oracle.WCC(g)
		for _, e := range g.Edges {
			if hops[e.Src] != far && hops[e.Dst] > hops[e.Src]+1 {
				t.Fatalf("edge %v shortens BFS", e)
			}
			if least[e.Dst] > least[e.Src]+float64(e.Weight) {
				t.Fatalf("edge %v shortens SSSP", e)
			}
			if wcc[e.Src] != wcc[e.Dst] {
				t.Fatalf("edge %v joins components", e)
			}
		}
		for v, label := range wcc {
			if label > uint32(v) || wcc[label] != label {
				t.Fatalf("label %d of %d is not the least of its component", label, v)
			}
			if (hops[v] == far) != math.IsInf(least[v], 1) {
				t.Fatalf("%d is reached by one of BFS and SSSP only", v)
			}
		}
		for _, s := range []int{-1, int(source)} {
			sum := 0.0
			for _, r := range oracle.PageRank(g, 0.85, s, 20, 0) {
				sum += r
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Fatalf("PageRank sums to %v", sum)
			}
		}
	})
}
