package algorithms_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

func TestBetweenness(t *testing.T) {
	cases(t, false, func(t rapid.TB, s *store.Store, g oracle.Graph, symmetric bool) {
		want := oracle.Betweenness(g)
		for v := range want {
			if symmetric {
				want[v] /= 2
			}
		}
		close64(t, "betweenness", runs(t, s, algorithms.Betweenness{}).Values, want, 1e-9)
	})
}

// TestBetweennessReal compares a symmetric graph with the same one stored as directed, whose rows are not
// chosen among.
func TestBetweennessReal(t *testing.T) {
	_, g := testgraph.LoadEdges(t, "ego-Facebook", false)
	o := teststore.Options{ShardVertices: 1000, Layout: store.Packed, Symmetric: true}
	s := teststore.Build(t, g, o)
	samples := algorithms.Betweenness{Samples: 200, Seed: 7}
	all := runs(t, s, samples)
	if all.total("sources") != int64(200) {
		t.Errorf("%v sources", all.total("sources"))
	}
	o.Symmetric = false
	directed := runs(t, teststore.Build(t, teststore.Mirrored(g), o), samples).Values
	for v := range directed {
		directed[v] /= 2
	}
	close64(t, "symmetric", all.Values, directed, 1e-9)
}

func TestBetweennessWeighted(t *testing.T) {
	cases(t, true, func(t rapid.TB, s *store.Store, g oracle.Graph, symmetric bool) {
		c := algorithms.Betweenness{Weighted: true}
		if slices.ContainsFunc(g.Edges, func(e oracle.Edge) bool { return e.Weight == 0 }) {
			if _, err := algorithms.Run(context.Background(), s, c, algorithms.Options{}); err == nil {
				t.Fatal("no error for a weight of 0")
			}
			return
		}
		want := oracle.WeightedBetweenness(g)
		for v := range want {
			if symmetric {
				want[v] /= 2
			}
		}
		close64(t, "betweenness", runs(t, s, c).Values, want, 1e-9)
	})
}

// TestBetweennessUnits checks that weights of 1 are as none, and small ones, of many equal sums.
func TestBetweennessUnits(t *testing.T) {
	g := testgraph.Skewed(7, 600, 1)
	for i := range g.Edges {
		g.Edges[i].Weight = 1
	}
	s := teststore.Build(t, g, teststore.Options{Layout: store.Packed, Weighted: true, ShardVertices: 50})
	close64(t, "units", runs(t, s, algorithms.Betweenness{Weighted: true}).Values, oracle.Betweenness(g), 1e-9)
	for i := range g.Edges {
		g.Edges[i].Weight = float32(1 + i%5)
	}
	s = teststore.Build(t, g, teststore.Options{Layout: store.Packed, Weighted: true, ShardVertices: 50})
	close64(t, "weights", runs(t, s, algorithms.Betweenness{Weighted: true}).Values, oracle.WeightedBetweenness(g), 1e-9)
}

// TestBetweennessError checks that estimates are within the error, and that a smaller one takes more paths.
func TestBetweennessError(t *testing.T) {
	cases(t, false, func(t rapid.TB, s *store.Store, g oracle.Graph, symmetric bool) {
		c := algorithms.Betweenness{Error: 0.1, Confidence: 0.99, Seed: 4}
		want, got := oracle.Betweenness(g), runs(t, s, c)
		pairs := float64(g.N) * float64(g.N-1)
		for v := range want {
			if symmetric {
				want[v] /= 2
			}
			if math.Abs(got.Values[v]-want[v]) > c.Error*pairs {
				t.Fatalf("vertex %d: got %v, want %v within %v", v, got.Values[v], want[v], c.Error*pairs)
			}
		}
	})
	g := testgraph.Skewed(6, 200, 2)
	s := teststore.Build(t, g, teststore.Options{Layout: store.Packed, ShardVertices: 20})
	coarse := runs(t, s, algorithms.Betweenness{Error: 0.05, Confidence: 0.9, Seed: 1})
	fine := runs(t, s, algorithms.Betweenness{Error: 0.005, Confidence: 0.9, Seed: 1})
	if coarse.total("paths").(int64) >= fine.total("paths").(int64) {
		t.Errorf("%v and %v paths", coarse.total("paths"), fine.total("paths"))
	}
	pairs := float64(g.N) * float64(g.N-1)
	for v, want := range oracle.Betweenness(g) {
		if math.Abs(fine.Values[v]-want)/pairs > 0.005 {
			t.Errorf("vertex %d: got %v, want %v", v, fine.Values[v], want)
		}
	}
}
