package algorithms_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

func checkPower(t rapid.TB, s *store.Store, g oracle.Graph) {
	t.Helper()
	hubs, authorities := oracle.HITS(g, 9)
	got := runs(t, s, algorithms.HITS{Iterations: 9})
	close64(t, "hubs", got.Values, hubs, 1e-12)
	close64(t, "authorities", got.Columns[0].Values.([]float64), authorities, 1e-12)
	close64(t, "eigenvector", runs(t, s, algorithms.Eigenvector{Iterations: 9}).Values, oracle.Eigenvector(g, 9), 1e-12)
}

func TestPower(t *testing.T) {
	cases(t, false, func(t rapid.TB, s *store.Store, g oracle.Graph, _ bool) { checkPower(t, s, g) })
}

// TestPowerReal compares values with those of the oracle, and the largest eigenvalue with that of ARPACK.
func TestPowerReal(t *testing.T) {
	_, g := testgraph.LoadEdges(t, "soc-Slashdot0902", false)
	checkPower(t, teststore.Build(t, g, teststore.Options{ShardVertices: 1000, Layout: store.Packed}), g)
	_, g = testgraph.LoadEdges(t, "ego-Facebook", true)
	s := teststore.Build(t, g, teststore.Options{ShardVertices: 1000})
	got := runs(t, s, algorithms.Eigenvector{Tolerance: 1e-9})
	if x := got.total("eigenvalue").(float64); x < 162.3738 || x > 162.3740 {
		t.Errorf("largest eigenvalue %v", x)
	}
}
