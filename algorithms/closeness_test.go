package algorithms_test

import (
	"cmp"
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

func checkCloseness(t rapid.TB, s *store.Store, g oracle.Graph, most int) {
	t.Helper()
	harmonic, reached := oracle.Harmonic(g)
	closeness := oracle.Closeness(g)
	var all []uint32
	for v := range uint32(g.N) {
		all = append(all, v)
	}
	got := runs(t, s, algorithms.Closeness{Sources: all})
	close64(t, "closeness", got.Values, closeness, 1e-12)
	close64(t, "harmonic", got.Columns[0].Values.([]float64), harmonic, 1e-12)
	for v, n := range got.Columns[1].Values.([]int64) {
		if n != int64(reached[v]) || got.Keys[v] != gas.VertexID(v) {
			t.Fatalf("row %d: vertex %d reaches %d, expected %v", v, got.Keys[v], n, reached[v])
		}
	}
	for _, by := range []bool{false, true} {
		want := closeness
		if by {
			want = harmonic
		}
		order := slices.Clone(all)
		slices.SortStableFunc(order, func(u, v uint32) int { return cmp.Compare(want[v], want[u]) })
		got := runs(t, s, algorithms.Closeness{Most: most, Harmonic: by})
		values := got.Values
		if by {
			values = got.Columns[0].Values.([]float64)
		}
		if len(values) != min(most, g.N) {
			t.Fatalf("%d rows, expected %d of %d", len(values), most, g.N)
		}
		for i, v := range order[:len(values)] {
			close64(t, "largest", values[i:][:1], want[v:][:1], 1e-12)
			close64(t, "largest", values[i:][:1], want[got.Keys[i]:][:1], 1e-12)
		}
	}
}

func TestCloseness(t *testing.T) {
	cases(t, false, func(t rapid.TB, s *store.Store, g oracle.Graph, _ bool) { checkCloseness(t, s, g, 3) })
}

func TestClosenessReal(t *testing.T) {
	_, g := testgraph.LoadEdges(t, "ego-Facebook", false)
	s := teststore.Build(t, g, teststore.Options{ShardVertices: 1000, Layout: store.Packed, Symmetric: true})
	checkCloseness(t, s, teststore.Mirrored(g), 20)
}
