package builtins_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/internal/builtins"
	"github.com/garaph/garaph/internal/oracle"
	_ "github.com/garaph/garaph/internal/testsize" // fewer random cases
	"github.com/garaph/garaph/programs"
)

// graphOf stores a graph that is removed when the test ends.
func graphOf(t rapid.TB, list []oracle.Edge, weighted bool) *garaph.Graph {
	t.Helper()
	var ends [][2]int64
	var weights []float64
	for _, e := range list {
		ends = append(ends, [2]int64{int64(e.Src), int64(e.Dst)})
		if weighted {
			weights = append(weights, float64(e.Weight))
		}
	}
	g, err := garaph.FromSlice(context.Background(), ends, weights, garaph.GraphOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// valuesOf returns the results of a run by vertex, NaN where there are none.
func valuesOf(t rapid.TB, r *garaph.Result, n int) []float64 {
	t.Helper()
	all := make([]float64, n)
	for i := range all {
		all[i] = math.NaN()
	}
	values, err := garaph.ValuesOf[int64, float64](r, "")
	if err != nil {
		t.Fatal(err)
	}
	for id, x := range values.All() {
		all[id] = x
	}
	if err := errors.Join(values.Err(), r.Close()); err != nil {
		t.Fatal(err)
	}
	return all
}

func near(got, want, tolerance float64) bool {
	return math.IsNaN(got) && math.IsInf(want, 1) || math.Abs(got-want) <= tolerance*math.Abs(want)
}

// ways are different ways to run a job.
var ways = []garaph.RunOptions{
	{Device: "cpu"}, {Device: "cpu", Method: "pull"}, {Device: "cpu", Method: "notify-pull", Mode: "async"},
	{Device: "gpu", GPU: garaph.GPUOptions{Name: "emulated"}}, {Device: "hybrid", GPU: garaph.GPUOptions{Name: "emulated"}, Method: "pull"},
}

func ran(t rapid.TB, g *garaph.Graph, p any, o garaph.RunOptions) *garaph.Result {
	t.Helper()
	r, err := builtins.Run(context.Background(), g, p, o)
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	return r
}

// TestAutoDistances: distances are those of an oracle, whatever the weights are: exact where the weights
// are multiples of a unit.
func TestAutoDistances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]float32{1, 3, 0.25, 0.1, 1 << 20, 0x1p-30}).Draw(t, "unit")
		top := rapid.SampledFrom([]int{1, 255, 60000, 1 << 24}).Draw(t, "top")
		g := oracle.Graph{N: rapid.IntRange(2, 40).Draw(t, "n")}
		for v := range g.N {
			for range 1 + v%2 {
				g.Edges = append(g.Edges, oracle.Edge{
					Src: uint32(v), Dst: uint32(min(g.N-1, v+rapid.IntRange(0, 3).Draw(t, "hop"))),
					Weight: unit * float32(rapid.IntRange(top/2, top).Draw(t, "weight")),
				})
			}
		}
		want := oracle.SSSP(g, 0)
		tolerance := 0.
		if unit == 0.1 {
			tolerance = 1e-6
		}
		stored := graphOf(t, g.Edges, true)
		defer stored.Close()
		for _, o := range ways {
			got := valuesOf(t, ran(t, stored, builtins.Auto.SSSP(stored.Catalogue(), 0, nil), o), g.N)
			for v, x := range got {
				if !near(x, want[v], tolerance) {
					t.Fatalf("%+v: vertex %d: got %v, want %v", o, v, x, want[v])
				}
			}
		}
	})
}

// TestAutoPrecision: a job is in single precision where its results are exact or near enough, and in
// double otherwise.
func TestAutoPrecision(t *testing.T) {
	path := func(n int, weight float32) (list []oracle.Edge) {
		for v := range uint32(n) {
			list = append(list, oracle.Edge{Src: v, Dst: v + 1, Weight: weight})
		}
		return list
	}
	star := path(1, 1)
	for v := range uint32(99) {
		star = append(star, oracle.Edge{Src: v + 2, Dst: 0, Weight: 1}, oracle.Edge{Src: 0, Dst: v + 2, Weight: 1})
	}
	long := path(300, 60001)
	strength := func(uint32) float64 { return 6e38 }
	for name, c := range map[string]struct {
		edges   []oracle.Edge
		program func(p builtins.Precision, g *garaph.Graph) any
		double  bool
	}{
		"short path":       {path(9, 60001), sssp, false},
		"long path":        {long, sssp, true},
		"tenths":           {path(9, 0.1), sssp, true},
		"quarters":         {path(300, 0.25), sssp, false},
		"multiples":        {path(300, 1<<30), sssp, false},
		"largest weights":  {path(9, math.MaxFloat32), sssp, true},
		"katz":             {star, func(p builtins.Precision, _ *garaph.Graph) any { return p.Katz(0.01, 1, 1e-6) }, false},
		"large katz":       {star, func(p builtins.Precision, _ *garaph.Graph) any { return p.Katz(0.099, 1, 1e-6) }, true},
		"exact katz":       {star, func(p builtins.Precision, _ *garaph.Graph) any { return p.Katz(0.01, 1, 1e-9) }, true},
		"pagerank":         {star, func(p builtins.Precision, _ *garaph.Graph) any { return p.PageRank(0.85, 1e-6, nil) }, false},
		"exact pagerank":   {star, func(p builtins.Precision, _ *garaph.Graph) any { return p.PageRank(0.85, 1e-9, nil) }, true},
		"damped pagerank":  {star, func(p builtins.Precision, _ *garaph.Graph) any { return p.PageRank(0.99, 1e-6, nil) }, true},
		"biased pagerank":  {star, func(p builtins.Precision, _ *garaph.Graph) any { return p.BiasedPageRank(0.85, 1e-6, []uint32{1}, nil) }, false},
		"strong pagerank":  {star, func(p builtins.Precision, _ *garaph.Graph) any { return p.BiasedPageRank(0.85, 1e-6, nil, strength) }, true},
		"without weights":  {nil, sssp, false},
		"circuit, doubled": {long, func(builtins.Precision, *garaph.Graph) any { return programs.Circuit{Ground: 9, Volts: 1} }, true},
	} {
		t.Run(name, func(t *testing.T) {
			weighted := c.edges != nil
			if !weighted {
				c.edges = path(300, 1)
			}
			g := graphOf(t, c.edges, weighted)
			defer g.Close()
			r := ran(t, g, c.program(builtins.Auto, g), garaph.RunOptions{Iterations: 2000})
			kind := r.Table("").Columns()[0].Kind.String()
			auto := valuesOf(t, r, int(g.Catalogue().Vertices))
			if double := kind == "float64"; double != c.double {
				t.Errorf("results are of %s", kind)
			}
			for v, want := range valuesOf(t, ran(t, g, c.program(builtins.Double, g), garaph.RunOptions{Iterations: 2000}), len(auto)) {
				if !near(auto[v], want, 1e-6) && !math.IsNaN(want) {
					t.Errorf("vertex %d: got %v, want %v", v, auto[v], want)
				}
			}
		})
	}
}

func sssp(p builtins.Precision, g *garaph.Graph) any { return p.SSSP(g.Catalogue(), 0, nil) }

// TestAutoResumed: a job that goes on in double precision is one job, and is resumed in it.
func TestAutoResumed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "g")
	var list [][2]int64
	var weights []float64
	for v := range int64(300) {
		list, weights = append(list, [2]int64{v, v + 1}), append(weights, 60001)
	}
	g, err := garaph.FromSlice(t.Context(), list, weights, garaph.GraphOptions{Folder: name})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	program := builtins.Auto.SSSP(g.Catalogue(), 0, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := garaph.RunOptions{Device: "cpu", Method: "pull", Checkpoints: garaph.Checkpoints{Every: 1}, Job: g.NewJob(checkpoint.Spec{Name: "sssp"})}
	begun := 0
	o.Progress = func(it garaph.Iteration) {
		if it.Iteration == 9 {
			begun++
		}
		if begun == 2 {
			cancel()
		}
	}
	if _, err := builtins.Run(ctx, g, program, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	jobs, err := g.Jobs()
	if err != nil || len(jobs) != 1 || jobs[0].Status != checkpoint.Interrupted {
		t.Fatalf("%+v, %v", jobs, err)
	}
	o.Progress = nil
	if o.Job, err = g.OpenJob(0); err != nil {
		t.Fatal(err)
	}
	r, err := builtins.Run(t.Context(), g, program, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Report.Before < 9 {
		t.Errorf("it began again, after %d iterations", r.Report.Before)
	}
	if got := valuesOf(t, r, 301); got[300] != 300*60001 {
		t.Errorf("got %v", got[300])
	}
}
