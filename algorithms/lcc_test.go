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

func TestLCC(t *testing.T) {
	cases(t, false, func(t rapid.TB, s *store.Store, g oracle.Graph, _ bool) {
		close64(t, "lcc", runs(t, s, algorithms.LCC{}).Values, oracle.LCC(g), 0)
	})
}

func TestLCCReal(t *testing.T) {
	for _, name := range []string{"ego-Facebook", "as-Caida20071105", "soc-Slashdot0902"} {
		if testing.Short() && name == "soc-Slashdot0902" {
			continue // long with the race detector
		}
		_, g := testgraph.LoadEdges(t, name, false)
		s := teststore.Build(t, g, teststore.Options{ShardVertices: 1000, Layout: store.Packed})
		close64(t, name, runs(t, s, algorithms.LCC{}).Values, oracle.LCC(g), 0)
	}
}

func TestLCCLDBC(t *testing.T) {
	ldbc(t, "LCC", func(t *testing.T, s *store.Store, d testgraph.LDBC, want []float64) {
		close64(t, "lcc", runs(t, s, algorithms.LCC{}).Values, want, 1e-14)
	})
}
