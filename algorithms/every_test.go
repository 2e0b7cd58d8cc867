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
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// starved stands for the least memory that a run accepts.
const starved = 1

// run runs an algorithm and returns its values.
func run[T algorithms.Value](
	t testing.TB, s *store.Store, a algorithms.Algorithm[T], o algorithms.Options,
) ([]T, algorithms.Report) {
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

// numbering is an algorithm that gives each vertex a number, with an oracle.
type numbering struct {
	algorithm algorithms.Algorithm[int64]
	oracle    func(oracle.Graph) []int64
	total     algorithms.Total // with the sum or the largest of the values, if largest
	largest   bool
	stages    []string
}

var (
	triangles = numbering{algorithms.Triangles{}, oracleTriangles, algorithms.Total{Name: "triangles"}, false,
		[]string{"degrees", "sizes of rows", "rows", "intersecting rows"}}
	truss = numbering{algorithms.Truss{}, oracleTruss, algorithms.Total{Name: "kmax"}, true,
		[]string{"degrees", "counting triangles", "peeling edges"}}
	cores = numbering{algorithms.Coreness{}, oracleCoreness, algorithms.Total{Name: "largest core number"}, true,
		[]string{"degrees"}}
	numberings = []numbering{
		triangles, truss, {algorithms.WideTruss{}, truss.oracle, truss.total, true, nil},
		cores, {algorithms.CorenessInPasses{}, cores.oracle, cores.total, true, []string{"degrees", "core numbers, pass 1"}},
	}
)

// same compares the numbers of a stored graph with the wanted ones, with different numbers of threads, in memory
// and with the least memory, and on an emulated GPU if the algorithm can be.
func (x numbering) same(t testing.TB, s *store.Store, want []int64) {
	t.Helper()
	total, sum := x.total, int64(0)
	for _, n := range want {
		if sum += n; x.largest {
			sum = slices.Max(want)
		}
	}
	if total.Name == triangles.total.Name {
		sum /= 3
	}
	total.Value = sum
	var ways []algorithms.Options
	for _, threads := range []int{1, 3, 16} {
		for _, memory := range []int64{0, starved} {
			ways = append(ways, algorithms.Options{Threads: threads, Memory: memory})
		}
	}
	if algorithms.HasGPU(x.algorithm) {
		ways = append(ways, algorithms.Options{Device: algorithms.GPU, GPU: device.EmulatedName})
	}
	for _, o := range ways {
		got, report := run(t, s, x.algorithm, o)
		if !slices.Equal(want, got) {
			t.Fatalf("%T, %+v: %s", x.algorithm, o, cmp.Diff(want, got))
		}
		if diff := cmp.Diff([]algorithms.Total{total}, report.Totals); diff != "" {
			t.Fatalf("%T: %s", x.algorithm, diff)
		}
	}
}

// TestNumbers compares results with those of oracles on the named graphs, on many triangles, and on
// paths: on these bounds of core numbers fall one vertex after another, and the longer one is
// longer than what a task peels.
func TestNumbers(t *testing.T) {
	graphs := append(testgraph.All(),
		testgraph.Named{Name: "two triangles of an edge", Graph: oracle.Graph{N: 5, Edges: []oracle.Edge{
			{Src: 4, Dst: 1}, {Src: 1, Dst: 4}, {Src: 4, Dst: 0}, {Src: 1, Dst: 0}, {Src: 3, Dst: 4}, {Src: 1, Dst: 3},
			{Src: 1, Dst: 3}, {Src: 3, Dst: 3},
		}}})
	for _, g := range graphs {
		for _, symmetric := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, symmetric %v", g.Name, symmetric), func(t *testing.T) {
				s := teststore.Build(t, g.Graph, teststore.Options{Symmetric: symmetric, Layout: store.Packed})
				for _, x := range numberings {
					x.same(t, s, x.oracle(g.Graph))
				}
			})
		}
	}
	s := teststore.Build(t, manyTriangles(), teststore.Options{ShardVertices: 3000, Layout: store.Packed})
	for _, x := range numberings {
		x.same(t, s, x.oracle(manyTriangles()))
	}
	for _, x := range numberings[3:] {
		x.same(t, teststore.Build(t, path(600), teststore.Options{ShardVertices: 100}), slices.Repeat([]int64{1}, 600))
	}
	cores.same(t, teststore.Build(t, path(6000), teststore.Options{ShardVertices: 500, Layout: store.Packed}),
		slices.Repeat([]int64{1}, 6000))
}

// path is a path of n vertices, whose ids are not in order.
func path(n int) oracle.Graph {
	g := oracle.Graph{N: n}
	for v := 1; v < n; v++ {
		g.Edges = append(g.Edges, oracle.Edge{Src: uint32(v * 1009 % n), Dst: uint32((v - 1) * 1009 % n)})
	}
	return g
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

// drawDense is a graph of few vertices and many triangles: its first vertices are a clique.
func drawDense(t *rapid.T) oracle.Graph {
	n := rapid.Uint32Range(4, 90).Draw(t, "vertices") // with rows of one word of bits and of two
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

// TestNumbersRandom compares results with those of oracles on random graphs, stored in any way.
func TestNumbersRandom(t *testing.T) {
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
		x := rapid.SampledFrom(numberings).Draw(r, "algorithm")
		out, err := algorithms.Run(t.Context(), s, x.algorithm,
			algorithms.Options{Threads: rapid.IntRange(1, 8).Draw(r, "threads")})
		if err != nil {
			r.Fatal(err)
		}
		defer out.Close()
		if diff := cmp.Diff(x.oracle(g), out.Values); diff != "" {
			r.Fatalf("%T: %s", x.algorithm, diff)
		}
	})
}

// TestNumbersReal checks that the totals are those that SNAP and others publish, and each vertex
// has what the oracles count.
func TestNumbersReal(t *testing.T) {
	for _, c := range []struct {
		x          numbering
		graph      string
		undirected bool
		total      int64
	}{
		{triangles, "ego-Facebook", true, 1_612_010},
		{triangles, "as-Caida20071105", true, 36_365},
		{triangles, "soc-Slashdot0902", false, 602_592},
		{truss, "as-Caida20071105", true, 16},
		{truss, "ego-Facebook", true, 97},
	} {
		t.Run(fmt.Sprintf("%T of %s", c.x.algorithm, c.graph), func(t *testing.T) {
			if testing.Short() && c.graph == "soc-Slashdot0902" {
				t.Skip("long with the race detector")
			}
			_, g := testgraph.LoadEdges(t, c.graph, c.undirected)
			s := teststore.Build(t, g, teststore.Options{ShardVertices: 1000, Layout: store.Packed})
			got, report := run(t, s, c.x.algorithm, algorithms.Options{Threads: 3})
			if report.Totals[0].Value != c.total {
				t.Errorf("%+v, published is %d", report.Totals, c.total)
			}
			if c.total == 97 { // plain peeling takes minutes
				return
			}
			if want := c.x.oracle(g); !slices.Equal(want, got) {
				t.Error(cmp.Diff(want, got))
			}
		})
	}
}

// TestNumbersStarved checks that with a byte less than the least budget a run is refused before it reads anything.
func TestNumbersStarved(t *testing.T) {
	s := teststore.Build(t, manyTriangles(), teststore.Options{ShardVertices: 1000, Layout: store.Packed})
	for _, x := range numberings {
		_, err := algorithms.Run(t.Context(), s, x.algorithm, algorithms.Options{Threads: 2, Memory: starved})
		var need *algorithms.MemoryError
		if !errors.As(err, &need) {
			t.Fatal(err)
		}
		_, err = algorithms.Run(t.Context(), s, x.algorithm, algorithms.Options{Threads: 2, Memory: need.Least() - 1})
		if !errors.As(err, &need) {
			t.Errorf("%T with a byte less: %v", x.algorithm, err)
		}
	}
	_, inMemory := run(t, s, triangles.algorithm, algorithms.Options{Threads: 2})
	_, streamed := run(t, s, triangles.algorithm, algorithms.Options{Threads: 2, Memory: starved})
	if !inMemory.InMemory || streamed.InMemory || streamed.Requested <= 2*inMemory.Requested {
		t.Errorf("read %d bytes in memory (%v), %d with little (%v)",
			inMemory.Requested, inMemory.InMemory, streamed.Requested, streamed.InMemory)
	}
}

// TestNumbersCancel checks that a run ends with the error of its context at every stage.
func TestNumbersCancel(t *testing.T) {
	s := teststore.Build(t, manyTriangles(), teststore.Options{ShardVertices: 1000, Layout: store.Packed})
	for _, x := range numberings {
		for _, stage := range x.stages {
			ctx, cancel := context.WithCancel(t.Context())
			o := algorithms.Options{Threads: 2, Progress: func(p algorithms.Progress) {
				if p.Stage == stage && p.Done < p.Total {
					cancel()
				}
			}}
			if _, err := algorithms.Run(ctx, s, x.algorithm, o); !errors.Is(err, context.Canceled) {
				t.Errorf("%T, %s: %v", x.algorithm, stage, err)
			}
			cancel()
		}
	}
}
