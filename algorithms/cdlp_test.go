package algorithms_test

import (
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

func checkCDLP(t rapid.TB, s *store.Store, g oracle.Graph, iterations int, symmetric bool) {
	t.Helper()
	got := runs(t, s, algorithms.CDLP{Iterations: iterations})
	for v, label := range oracle.CDLP(g, iterations, symmetric) {
		if got.Values[v] != gas.VertexID(label) {
			t.Fatalf("%d iterations: vertex %d: got %d, want %d", iterations, v, got.Values[v], label)
		}
	}
	labels := slices.Clone(got.Values)
	slices.Sort(labels)
	if want := int64(len(slices.Compact(labels))); got.total("communities") != want {
		t.Errorf("%v communities, want %d", got.total("communities"), want)
	}
}

func TestCDLP(t *testing.T) {
	cases(t, false, func(t rapid.TB, s *store.Store, g oracle.Graph, symmetric bool) {
		for _, iterations := range []int{1, 2, 10} {
			checkCDLP(t, s, g, iterations, symmetric)
		}
	})
}

// TestCDLPReal compares labels with those of the oracle, among them rows whose labels a table has no room for.
func TestCDLPReal(t *testing.T) {
	hub := oracle.Graph{N: 100_000}
	for v := uint32(2); v < 100_000; v++ {
		hub.Edges = append(hub.Edges, oracle.Edge{Src: v, Dst: 0}, oracle.Edge{Src: v/2 + 1, Dst: 1})
	}
	checkCDLP(t, teststore.Build(t, hub, teststore.Options{ShardVertices: 10_000}), hub, 3, false)
	_, g := testgraph.LoadEdges(t, "soc-Slashdot0902", false)
	checkCDLP(t, teststore.Build(t, g, teststore.Options{ShardVertices: 1000, Layout: store.Packed}), g, 5, false)
}

// TestCDLPFew checks iterations after such that change few labels: those of a path, among triangles.
func TestCDLPFew(t *testing.T) {
	g := path(40)
	for v := uint32(g.N); v < 3000; v += 3 {
		g.Edges = append(g.Edges, oracle.Edge{Src: v, Dst: v + 1}, oracle.Edge{Src: v + 1, Dst: v + 2},
			oracle.Edge{Src: v + 2, Dst: v})
	}
	g.N = 3001
	o := teststore.Options{Layout: store.Packed, ShardVertices: 100}
	checkCDLP(t, teststore.Build(t, g, o), g, 30, false)
	o.Symmetric = true
	checkCDLP(t, teststore.Build(t, g, o), teststore.Mirrored(g), 30, true)
}

func TestCDLPLDBC(t *testing.T) {
	ldbc(t, "CDLP", func(t *testing.T, s *store.Store, d testgraph.LDBC, want []float64) {
		for v, label := range runs(t, s, algorithms.CDLP{Iterations: d.CDLPIterations}).Values {
			if float64(d.IDs[label]) != want[v] {
				t.Errorf("vertex %d: got %d, want %v", d.IDs[v], d.IDs[label], want[v])
			}
		}
	})
}
