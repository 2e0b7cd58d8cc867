package algorithms_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

func checkSCC(t rapid.TB, s *store.Store, want []uint32) {
	t.Helper()
	got := runs(t, s, algorithms.SCC{})
	count := int64(0)
	for v, label := range want {
		if got.Values[v] != gas.VertexID(label) {
			t.Fatalf("vertex %d: got %d, want %d", v, got.Values[v], label)
		}
		if label == uint32(v) {
			count++
		}
	}
	if got.total("components") != count {
		t.Errorf("%v components, want %d", got.total("components"), count)
	}
}

func TestSCC(t *testing.T) {
	cases(t, false, func(t rapid.TB, s *store.Store, g oracle.Graph, _ bool) { checkSCC(t, s, oracle.SCC(g)) })
}

// TestSCCReal compares labels with those of the oracle, and checks a long path and a long cycle.
func TestSCCReal(t *testing.T) {
	const n = 1_000_000
	long := oracle.Graph{N: n}
	want := make([]uint32, n)
	for v := uint32(0); v+1 < n; v++ {
		long.Edges = append(long.Edges, oracle.Edge{Src: v, Dst: v + 1})
		want[v+1] = v + 1
	}
	checkSCC(t, teststore.Build(t, long, teststore.Options{ShardVertices: 1 << 16}), want)
	long.Edges = append(long.Edges, oracle.Edge{Src: n - 1, Dst: 0})
	checkSCC(t, teststore.Build(t, long, teststore.Options{ShardVertices: 1 << 16}), make([]uint32, n))
	if testing.Short() {
		return // the oracle takes long
	}
	_, g := testgraph.LoadEdges(t, "soc-Slashdot0902", false)
	checkSCC(t, teststore.Build(t, g, teststore.Options{ShardVertices: 1000, Layout: store.Packed}), oracle.SCC(g))
}
