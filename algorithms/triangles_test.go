package algorithms_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// starved stands for the least memory that a run accepts.
const starved = 1

// run runs an algorithm and returns its values.
func run[T algorithms.Value](t testing.TB, s *store.Store, a algorithms.Algorithm[T], o algorithms.Options) ([]T, algorithms.Report) {
	t.Helper()
	out, err := algorithms.Run(t.Context(), s, a, o)
	var need *algorithms.MemoryError
	if errors.As(err, &need) && o.Memory == starved {
		o.Memory = need.Least()
		out, err = algorithms.Run(t.Context(), s, a, o)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	return slices.Clone(out.Values), out.Report
}

// same compares the triangles of a stored graph with the oracle's, with different
// numbers of threads, in memory and with the least memory.
func same(t testing.TB, s *store.Store, want []int64) {
	t.Helper()
	total := int64(0)
	for _, n := range want {
		total += n
	}
	for _, threads := range []int{1, 3, 16} {
		for _, memory := range []int64{0, starved} {
			got, report := run(t, s, algorithms.Triangles{}, algorithms.Options{Threads: threads, Memory: memory})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%d threads, memory %d: %s", threads, memory, diff)
			}
			if diff := cmp.Diff([]algorithms.Total{{Name: "triangles", Value: total / 3}}, report.Totals); diff != "" {
				t.Fatal(diff)
			}
		}
	}
}

func TestTriangles(t *testing.T) {
	graphs := append(testgraph.All(), testgraph.Named{Name: "two triangles of an edge", Graph: oracle.Graph{N: 5, Edges: []oracle.Edge{
		{Src: 4, Dst: 1}, {Src: 1, Dst: 4}, {Src: 4, Dst: 0}, {Src: 1, Dst: 0}, {Src: 3, Dst: 4}, {Src: 1, Dst: 3}, {Src: 1, Dst: 3}, {Src: 3, Dst: 3},
	}}})
	for _, x := range graphs {
		for _, symmetric := range []bool{false, true} {
			for _, layout := range []store.Layout{store.CSC, store.Packed} {
				t.Run(fmt.Sprintf("%s, %s, symmetric %v", x.Name, layout, symmetric), func(t *testing.T) {
					s := teststore.Build(t, x.Graph, teststore.Options{Symmetric: symmetric, Layout: layout})
					same(t, s, oracle.Triangles(x.Graph))
				})
			}
		}
	}
}

// TestTrianglesRandom: as the oracle on any graph, parallel edges, self-loops and hubs
// among them.
func TestTrianglesRandom(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		g := testgraph.Draw(r)
		s, err := teststore.BuildIn(folder, g, teststore.Draw(r))
		if err != nil {
			r.Fatal(err)
		}
		defer s.Close()
		out, err := algorithms.Run(t.Context(), s, algorithms.Triangles{}, algorithms.Options{Threads: rapid.IntRange(1, 8).Draw(r, "threads")})
		if err != nil {
			r.Fatal(err)
		}
		defer out.Close()
		if diff := cmp.Diff(oracle.Triangles(g), out.Values); diff != "" {
			r.Fatal(diff)
		}
	})
}

// manyTriangles is a graph with rows longer than a block, more vertices than hubs,
// and many shards: a wheel within a ring whose vertices know the next three.
func manyTriangles() oracle.Graph {
	const n = 20_000
	g := oracle.Graph{N: n}
	for v := uint32(1); v < n; v++ {
		g.Edges = append(g.Edges, oracle.Edge{Src: 0, Dst: v}, oracle.Edge{Src: v, Dst: 1})
		for k := uint32(1); k <= 3; k++ {
			g.Edges = append(g.Edges, oracle.Edge{Src: v, Dst: (v + k*7) % n})
		}
	}
	return g
}

func TestTrianglesLarge(t *testing.T) {
	g := manyTriangles()
	s := teststore.Build(t, g, teststore.Options{ShardVertices: 3000})
	same(t, s, oracle.Triangles(g))
}

// TestTrianglesReal: the totals are those that SNAP publishes, and each vertex has
// what the oracle counts.
func TestTrianglesReal(t *testing.T) {
	for _, c := range []struct {
		name       string
		undirected bool
		total      int64
	}{
		{"ego-Facebook", true, 1_612_010},
		{"as-Caida20071105", true, 36_365},
		{"soc-Slashdot0902", false, 602_592},
	} {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.name == "soc-Slashdot0902" {
				t.Skip("long with the race detector")
			}
			_, g := testgraph.LoadEdges(t, c.name, c.undirected)
			s := teststore.Build(t, g, teststore.Options{ShardVertices: 1000})
			got, report := run(t, s, algorithms.Triangles{}, algorithms.Options{Threads: 3})
			if diff := cmp.Diff(oracle.Triangles(g), got); diff != "" {
				t.Fatal(diff)
			}
			if report.Totals[0].Value != c.total {
				t.Errorf("%d triangles, SNAP counts %d", report.Totals[0].Value, c.total)
			}
		})
	}
}

// TestTrianglesStarved: with the least budget rows are read in each pass, and with
// a MiB less the run is refused before it reads anything.
func TestTrianglesStarved(t *testing.T) {
	g := manyTriangles()
	s := teststore.Build(t, g, teststore.Options{ShardVertices: 1000})
	_, err := algorithms.Run(t.Context(), s, algorithms.Triangles{}, algorithms.Options{Threads: 2, Memory: starved})
	var need *algorithms.MemoryError
	if !errors.As(err, &need) {
		t.Fatal(err)
	}
	want := oracle.Triangles(g)
	whole, inMemory := run(t, s, algorithms.Triangles{}, algorithms.Options{Threads: 2})
	got, streamed := run(t, s, algorithms.Triangles{}, algorithms.Options{Threads: 2, Memory: need.Least()})
	if !slices.Equal(got, want) || !slices.Equal(whole, want) {
		t.Error("other triangles")
	}
	if !inMemory.InMemory || streamed.InMemory || streamed.BytesRead <= 2*inMemory.BytesRead {
		t.Errorf("read %d bytes in memory (%v), %d with little (%v)", inMemory.BytesRead, inMemory.InMemory, streamed.BytesRead, streamed.InMemory)
	}
	if _, err := algorithms.Run(t.Context(), s, algorithms.Triangles{}, algorithms.Options{Threads: 2, Memory: need.Least() - 1}); !errors.As(err, &need) {
		t.Errorf("with a byte less: %v", err)
	}
}

// TestTrianglesCancel: the run ends with the error of its context at every stage.
func TestTrianglesCancel(t *testing.T) {
	s := teststore.Build(t, manyTriangles(), teststore.Options{ShardVertices: 1000})
	for _, stage := range []string{"degrees", "sizes of rows", "rows", "intersecting rows"} {
		ctx, cancel := context.WithCancel(t.Context())
		o := algorithms.Options{Threads: 2, Progress: func(p algorithms.Progress) {
			if p.Stage == stage {
				cancel()
			}
		}}
		if _, err := algorithms.Run(ctx, s, algorithms.Triangles{}, o); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", stage, err)
		}
		cancel()
	}
}
