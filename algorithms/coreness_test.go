package algorithms_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

// sameCores compares core numbers with the wanted ones, with different numbers of threads, in
// memory and with the least memory.
func sameCores(t testing.TB, s *store.Store, want []int64) {
	t.Helper()
	for _, threads := range []int{1, 4} {
		for _, memory := range []int64{0, starved} {
			got, report := run(t, s, algorithms.Coreness{}, algorithms.Options{Threads: threads, Memory: memory})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%d threads, memory %d: %s", threads, memory, diff)
			}
			if diff := cmp.Diff([]algorithms.Total{{Name: "largest core number", Value: slices.Max(want)}}, report.Totals); diff != "" {
				t.Fatal(diff)
			}
		}
	}
}

func TestCoreness(t *testing.T) {
	for _, x := range testgraph.All() {
		for _, symmetric := range []bool{false, true} {
			for _, layout := range []store.Layout{store.CSC, store.Packed} {
				t.Run(fmt.Sprintf("%s, %s, symmetric %v", x.Name, layout, symmetric), func(t *testing.T) {
					s := teststore.Build(t, x.Graph, teststore.Options{Symmetric: symmetric, Layout: layout})
					sameCores(t, s, oracle.Coreness(x.Graph))
				})
			}
		}
	}
}

func TestCorenessRandom(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		g := testgraph.Draw(r)
		s, err := teststore.BuildIn(folder, g, teststore.Draw(r))
		if err != nil {
			r.Fatal(err)
		}
		defer s.Close()
		out, err := algorithms.Run(t.Context(), s, algorithms.Coreness{}, algorithms.Options{Threads: rapid.IntRange(1, 8).Draw(r, "threads")})
		if err != nil {
			r.Fatal(err)
		}
		defer out.Close()
		if diff := cmp.Diff(oracle.Coreness(g), out.Values); diff != "" {
			r.Fatal(diff)
		}
	})
}

// TestCorenessReal: what NetworkX finds, on many threads that lower bounds at once.
func TestCorenessReal(t *testing.T) {
	for _, c := range []struct {
		name       string
		undirected bool
	}{{"ego-Facebook", true}, {"as-Caida20071105", true}, {"soc-Slashdot0902", false}} {
		t.Run(c.name, func(t *testing.T) {
			ids, g := testgraph.LoadEdges(t, c.name, c.undirected)
			expected := testgraph.LoadExpected(t, c.name+"-kcore")
			s := teststore.Build(t, g, teststore.Options{ShardVertices: 1000})
			got, _ := run(t, s, algorithms.Coreness{}, algorithms.Options{Threads: 8})
			for v, id := range ids {
				if float64(got[v]) != expected[id] {
					t.Fatalf("vertex %d: core number %d, want %v", id, got[v], expected[id])
				}
			}
		})
	}
}

// TestCorenessPath: bounds fall one vertex after another along a path, on which no pass may be
// the last one too early.
func TestCorenessPath(t *testing.T) {
	const n = 3000
	g, want := oracle.Graph{N: n}, make([]int64, n)
	for v := range uint32(n) {
		want[v] = 1
		if v > 0 {
			g.Edges = append(g.Edges, oracle.Edge{Src: v * 1009 % n, Dst: (v - 1) * 1009 % n})
		}
	}
	sameCores(t, teststore.Build(t, g, teststore.Options{ShardVertices: 500}), want)
}
