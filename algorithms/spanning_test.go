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

func checkForest(t rapid.TB, s *store.Store, g oracle.Graph, weighted bool) {
	t.Helper()
	if !weighted {
		for i := range g.Edges {
			g.Edges[i].Weight = 1
		}
	}
	want, sum := oracle.Forest(g), 0.
	got := runs(t, s, algorithms.Forest{})
	if len(got.Keys) != len(want) {
		t.Fatalf("%d edges, want %d", len(got.Keys), len(want))
	}
	for i, e := range want {
		sum += float64(e.Weight)
		if got.Keys[i] != gas.VertexID(e.Src) || got.Values[i] != gas.VertexID(e.Dst) {
			t.Fatalf("edge %d: got %d, %d, want %+v", i, got.Keys[i], got.Values[i], e)
		}
		if weighted && got.Columns[0].Values.([]float64)[i] != float64(e.Weight) {
			t.Fatalf("edge %d: got %v, want %+v", i, got.Columns[0].Values.([]float64)[i], e)
		}
	}
	if got.total("weight") != sum {
		t.Errorf("weight %v, want %v", got.total("weight"), sum)
	}
}

func TestForest(t *testing.T) {
	for _, weighted := range []bool{false, true} {
		cases(t, weighted, func(t rapid.TB, s *store.Store, g oracle.Graph, _ bool) { checkForest(t, s, g, weighted) })
	}
}

func TestForestReal(t *testing.T) {
	_, g := testgraph.LoadEdges(t, "as-Caida20071105-weighted", false)
	o := teststore.Options{ShardVertices: 1000, Layout: store.Packed, Weighted: true, Symmetric: true}
	s := teststore.Build(t, g, o)
	checkForest(t, s, g, true)
}
