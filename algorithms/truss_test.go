package algorithms_test

import (
	"context"
	"errors"
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

// sameTruss compares the truss numbers of a stored graph with given ones, with different
// numbers of threads, in memory and with the least memory.
func sameTruss(t testing.TB, s *store.Store, want []int64) {
	t.Helper()
	for _, threads := range []int{1, 3, 16} {
		for _, memory := range []int64{0, starved} {
			for _, a := range []algorithms.Algorithm[int64]{algorithms.Truss{}, algorithms.WideTruss{}} {
				got, report := run(t, s, a, algorithms.Options{Threads: threads, Memory: memory})
				if !slices.Equal(want, got) {
					t.Fatalf("%T, %d threads, memory %d: %s", a, threads, memory, cmp.Diff(want, got))
				}
				if diff := cmp.Diff([]algorithms.Total{{Name: "kmax", Value: slices.Max(want)}}, report.Totals); diff != "" {
					t.Fatal(diff)
				}
			}
		}
	}
}

// joined are cliques in a row: each of the given size shares a vertex with the next one.
func joined(sizes ...uint32) (g oracle.Graph) {
	first := uint32(0)
	for _, size := range sizes {
		for v := range size {
			for u := range v {
				g.Edges = append(g.Edges, oracle.Edge{Src: first + v, Dst: first + u})
			}
		}
		first += size - 1
	}
	g.N = int(first) + 1
	return g
}

// TestTrussOf is the truss numbers of some graphs, by hand.
func TestTrussOf(t *testing.T) {
	for _, c := range []struct {
		name string
		g    oracle.Graph
		want []int64
	}{
		{"a path", testgraph.Path(), []int64{2, 2, 2, 2, 2}},
		{"a vertex alone", oracle.Graph{N: 3, Edges: []oracle.Edge{{Src: 2, Dst: 0}, {Src: 1, Dst: 1}}}, []int64{2, 0, 2}},
		{"an edge, a triangle and a clique of five", joined(2, 3, 5), []int64{2, 3, 3, 5, 5, 5, 5, 5}},
		{"a wheel: each rim edge is in one triangle", oracle.Graph{N: 6, Edges: []oracle.Edge{
			{Src: 0, Dst: 1}, {Src: 0, Dst: 2}, {Src: 0, Dst: 3}, {Src: 0, Dst: 4}, {Src: 0, Dst: 5},
			{Src: 1, Dst: 2}, {Src: 2, Dst: 3}, {Src: 3, Dst: 4}, {Src: 4, Dst: 5}, {Src: 5, Dst: 1}, {Src: 1, Dst: 5},
		}}, []int64{3, 3, 3, 3, 3, 3}},
		{"a clique of four but for an edge, and a triangle on it", oracle.Graph{N: 5, Edges: []oracle.Edge{
			{Src: 0, Dst: 1}, {Src: 0, Dst: 2}, {Src: 0, Dst: 3}, {Src: 1, Dst: 2}, {Src: 1, Dst: 3}, {Src: 4, Dst: 2}, {Src: 4, Dst: 1},
		}}, []int64{3, 3, 3, 3, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, oracle.Truss(c.g)); diff != "" {
				t.Errorf("the oracle: %s", diff)
			}
			sameTruss(t, teststore.Build(t, c.g, teststore.Options{ShardVertices: 3}), c.want)
		})
	}
}

func TestTruss(t *testing.T) {
	for _, x := range testgraph.All() {
		for _, symmetric := range []bool{false, true} {
			for _, layout := range []store.Layout{store.CSC, store.Packed} {
				t.Run(fmt.Sprintf("%s, %s, symmetric %v", x.Name, layout, symmetric), func(t *testing.T) {
					sameTruss(t, teststore.Build(t, x.Graph, teststore.Options{Symmetric: symmetric, Layout: layout}), oracle.Truss(x.Graph))
				})
			}
		}
	}
}

// drawDense is a graph of few vertices and many triangles: its first vertices are a clique.
func drawDense(t *rapid.T) oracle.Graph {
	n := rapid.Uint32Range(4, 40).Draw(t, "vertices")
	g := oracle.Graph{N: int(n)}
	for u := range rapid.Uint32Range(4, min(n, 9)).Draw(t, "clique") {
		for v := range u {
			g.Edges = append(g.Edges, oracle.Edge{Src: u, Dst: v})
		}
	}
	for range rapid.IntRange(0, int(n*n/3)).Draw(t, "edges") {
		// of two the smaller: low ids have more neighbours
		u := min(rapid.Uint32Range(0, n-1).Draw(t, "u"), rapid.Uint32Range(0, n-1).Draw(t, "or"))
		g.Edges = append(g.Edges, oracle.Edge{Src: u, Dst: rapid.Uint32Range(0, n-1).Draw(t, "v")})
	}
	return g
}

// TestTrussRandom: as the oracle on any graph.
func TestTrussRandom(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		g := drawDense(r)
		if rapid.Bool().Draw(r, "any") {
			g = testgraph.Draw(r)
		}
		s, err := teststore.BuildIn(folder, g, teststore.Draw(r))
		if err != nil {
			r.Fatal(err)
		}
		defer s.Close()
		out, err := algorithms.Run(t.Context(), s, algorithms.Truss{}, algorithms.Options{Threads: rapid.IntRange(1, 8).Draw(r, "threads")})
		if err != nil {
			r.Fatal(err)
		}
		defer out.Close()
		if diff := cmp.Diff(oracle.Truss(g), out.Values); diff != "" {
			r.Fatal(diff)
		}
	})
}

// TestTrussLarge has many edges in each round, and rows that are searched.
func TestTrussLarge(t *testing.T) {
	g := manyTriangles()
	sameTruss(t, teststore.Build(t, g, teststore.Options{ShardVertices: 3000}), oracle.Truss(g))
}

// TestTrussReal: as plain peeling; and with the largest k that is published for these graphs.
func TestTrussReal(t *testing.T) {
	for _, c := range []struct {
		name  string
		kmax  int64
		plain bool // which takes minutes on the other
	}{{"as-Caida20071105", 16, true}, {"ego-Facebook", 97, false}} {
		t.Run(c.name, func(t *testing.T) {
			_, g := testgraph.LoadEdges(t, c.name, true)
			s := teststore.Build(t, g, teststore.Options{ShardVertices: 1000})
			want, _ := run(t, s, algorithms.Truss{}, algorithms.Options{Threads: 1})
			if c.plain {
				want = oracle.Truss(g)
			}
			got, report := run(t, s, algorithms.Truss{}, algorithms.Options{Threads: 4})
			if !slices.Equal(want, got) {
				t.Fatal(cmp.Diff(want, got))
			}
			if report.Totals[0].Value != c.kmax {
				t.Errorf("the largest k is %d, want %d", report.Totals[0].Value, c.kmax)
			}
		})
	}
}

// TestTrussStarved: with a byte less than the least budget the run is refused.
func TestTrussStarved(t *testing.T) {
	s := teststore.Build(t, manyTriangles(), teststore.Options{ShardVertices: 1000})
	_, err := algorithms.Run(t.Context(), s, algorithms.Truss{}, algorithms.Options{Threads: 2, Memory: starved})
	var need *algorithms.MemoryError
	if !errors.As(err, &need) {
		t.Fatal(err)
	}
	if _, err := algorithms.Run(t.Context(), s, algorithms.Truss{}, algorithms.Options{Threads: 2, Memory: need.Least() - 1}); !errors.As(err, &need) {
		t.Errorf("with a byte less: %v", err)
	}
}

// TestTrussCancel: the run ends with the error of its context at every stage.
func TestTrussCancel(t *testing.T) {
	s := teststore.Build(t, manyTriangles(), teststore.Options{ShardVertices: 1000})
	for _, stage := range []string{"degrees", "counting triangles", "peeling edges"} {
		ctx, cancel := context.WithCancel(t.Context())
		o := algorithms.Options{Threads: 2, Progress: func(p algorithms.Progress) {
			if p.Stage == stage && p.Done < p.Total && ctx.Err() == nil {
				cancel()
			}
		}}
		if _, err := algorithms.Run(ctx, s, algorithms.Truss{}, o); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", stage, err)
		}
		cancel()
	}
}
