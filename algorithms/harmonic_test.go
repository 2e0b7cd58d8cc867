package algorithms_test

import (
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

// TestHarmonic checks that estimates are near, and those of a symmetric graph are exact where they are counts.
func TestHarmonic(t *testing.T) {
	cases(t, false, func(t rapid.TB, s *store.Store, g oracle.Graph, symmetric bool) {
		harmonic, reached := oracle.Harmonic(g)
		got := runs(t, s, algorithms.Harmonic{Seed: 1})
		if symmetric {
			close64(t, "reached", got.Columns[1].Values.([]float64), reached, 1e-9)
		}
		for v, want := range harmonic {
			if math.Abs(got.Values[v]-want) > 0.4*want {
				t.Errorf("vertex %d: got %v, want %v", v, got.Values[v], want)
			}
		}
	})
}

func TestHarmonicReal(t *testing.T) {
	_, g := testgraph.LoadEdges(t, "ego-Facebook", false)
	s := teststore.Build(t, g, teststore.Options{ShardVertices: 1000, Layout: store.Packed, Symmetric: true})
	got := runs(t, s, algorithms.Harmonic{Seed: 1})
	want, _ := oracle.Harmonic(teststore.Mirrored(g))
	var errors []float64
	for v := range want {
		errors = append(errors, math.Abs(got.Values[v]-want[v])/want[v])
	}
	slices.Sort(errors)
	if median := errors[len(errors)/2]; median > 0.05 {
		t.Errorf("the median error is %v", median)
	}
	if d := got.total("effective diameter").(float64); d < 4.3 || d > 5.1 {
		t.Errorf("effective diameter %v; SNAP publishes 4.7", d)
	}
}

// TestHarmonicPairs checks that neighbours count exactly, whatever the hashes of their ids are.
func TestHarmonicPairs(t *testing.T) {
	var g oracle.Graph
	for v := uint32(0); v < 4000; v += 2 {
		g.Edges = append(g.Edges, oracle.Edge{Src: v, Dst: v + 1})
	}
	g.N = 4000
	s := teststore.Build(t, g, teststore.Options{Symmetric: true, ShardVertices: 1000})
	for v, x := range runs(t, s, algorithms.Harmonic{}).Values {
		if x != 1 {
			t.Fatalf("vertex %d: got %v, want 1", v, x)
		}
	}
}
