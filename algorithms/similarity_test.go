package algorithms_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

func checkSimilarity(t rapid.TB, s *store.Store, g oracle.Graph, pairs [][2]uint32) {
	t.Helper()
	got := runs(t, s, algorithms.Similarity{Pairs: pairs})
	for i, p := range pairs {
		common, measures := oracle.Similarity(g, p[0], p[1])
		u, v, n := got.Keys[i], got.Values[i], got.Columns[0].Values.([]int64)[i]
		if u != gas.VertexID(p[0]) || v != gas.VertexID(p[1]) || n != common {
			t.Fatalf("pair %v: got %d, %d, %d in common, want %d", p, u, v, n, common)
		}
		for k, want := range measures {
			close64(t, got.Columns[k+1].Name, got.Columns[k+1].Values.([]float64)[i:][:1], []float64{want}, 1e-12)
		}
	}
}

func TestSimilarity(t *testing.T) {
	cases(t, false, func(t rapid.TB, s *store.Store, g oracle.Graph, _ bool) {
		var pairs [][2]uint32
		for v := range uint32(min(g.N, 12)) {
			pairs = append(pairs, [2]uint32{v, uint32(g.N-1) - v}, [2]uint32{0, v}, [2]uint32{v, v})
		}
		checkSimilarity(t, s, g, pairs)
	})
}

func TestSimilarityReal(t *testing.T) {
	_, g := testgraph.LoadEdges(t, "as-Caida20071105", false)
	s := teststore.Build(t, g, teststore.Options{ShardVertices: 1000, Layout: store.Packed})
	var pairs [][2]uint32
	for v := uint32(0); v < 20; v++ {
		pairs = append(pairs, [2]uint32{v, g.Edges[97*v].Dst}, [2]uint32{g.Edges[97*v].Dst, 1000 * v})
	}
	checkSimilarity(t, s, g, pairs)
}

// checkNearest compares the most similar vertices with those of all pairs, in order.
func checkNearest(t rapid.TB, s *store.Store, g oracle.Graph, c algorithms.Similarity) {
	t.Helper()
	got, row := runs(t, s, c), 0
	for u := range uint32(g.N) {
		type pair struct {
			v       uint32
			measure float64
		}
		var want []pair
		for v := range uint32(g.N) {
			if common, measures := oracle.Similarity(g, u, v); v != u && common > 0 {
				want = append(want, pair{v, measures[c.By]})
			}
		}
		slices.SortStableFunc(want, func(x, y pair) int { return cmp.Compare(y.measure, x.measure) })
		for _, p := range want[:min(c.Nearest, len(want))] {
			measure := got.Columns[1+c.By].Values.([]float64)
			if got.Keys[row] != gas.VertexID(u) || math.Abs(measure[row]-p.measure) > 1e-12 {
				t.Fatalf("row %d: vertices %d, %d: %v, expected %d with %v", row, got.Keys[row], got.Values[row], measure[row],
					p.v, p.measure)
			}
			common, _ := oracle.Similarity(g, u, uint32(got.Values[row]))
			if got.Columns[0].Values.([]int64)[row] != common {
				t.Fatalf("row %d: not %d common neighbours", row, common)
			}
			row++
		}
	}
	if row != len(got.Keys) {
		t.Fatalf("%d rows, expected %d", len(got.Keys), row)
	}
}

func TestSimilarityNearest(t *testing.T) {
	cases(t, false, func(t rapid.TB, s *store.Store, g oracle.Graph, _ bool) {
		if g.N > 100 {
			return // the oracle takes long
		}
		for by := range algorithms.AdamicAdar + 1 {
			checkNearest(t, s, g, algorithms.Similarity{Nearest: 3, By: by})
		}
	})
}
