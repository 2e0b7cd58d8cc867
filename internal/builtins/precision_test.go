package builtins_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"pgregory.net/rapid"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/internal/builtins"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/registry"
	_ "github.com/garaph/garaph/internal/testsize" // fewer random cases
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
	{Device: "gpu", GPU: garaph.GPUOptions{Name: "emulated"}},
	{Device: "hybrid", GPU: garaph.GPUOptions{Name: "emulated"}, Method: "pull"},
}

// making returns the program of a command line without its graph. Ids are dense.
func making(t rapid.TB, g *garaph.Graph, line string) (builtins.Program, any) {
	t.Helper()
	args := strings.Fields(line)
	p := builtins.All[slices.IndexFunc(builtins.All, func(p builtins.Program) bool { return p.Name == args[0] })]
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	setup := p.Setup(fs)
	if err := fs.Parse(args[1:]); err != nil {
		t.Fatal(err)
	}
	vertex := func(flag string) (uint32, error) {
		v, err := strconv.Atoi(fs.Lookup(flag).Value.String())
		return uint32(v), err
	}
	program, err := setup(registry.Env{
		Graph: builtins.GraphOf(g), Flags: fs, Iterations: 2000, Info: func(string) {}, Warn: func(string) {},
		Pairs:  func(string) ([][2]uint32, error) { return [][2]uint32{{0, 1}}, nil },
		Vertex: vertex, MaxInDegree: g.MaxInDegree,
		Sources: func() (list []uint32, err error) {
			ids, err := fs.GetStringArray("source")
			for _, id := range ids {
				v, _ := strconv.Atoi(id)
				list = append(list, uint32(v))
			}
			return list, err
		},
		Strengths: func() (func(uint32) float64, error) {
			sums, err := g.Strengths(context.Background(), garaph.AlgorithmOptions{})
			return sums.Of, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p, program
}

func ran(t rapid.TB, g *garaph.Graph, line string, o garaph.RunOptions) *garaph.Result {
	t.Helper()
	p, program := making(t, g, line)
	r, err := p.Run(builtins.Job{Context: context.Background(), Graph: g, Options: o}, program)
	if err != nil {
		t.Fatalf("%s, %+v: %v", line, o, err)
	}
	return r
}

// TestAutoDistances checks that distances are those of an oracle, whatever the weights are: exact where the weights
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
			got := valuesOf(t, ran(t, stored, "sssp --source 0", o), g.N)
			for v, x := range got {
				if !near(x, want[v], tolerance) {
					t.Fatalf("%+v: vertex %d: got %v, want %v", o, v, x, want[v])
				}
			}
		}
	})
}

// TestAutoPrecision checks that a job is in single precision where its results are exact or near enough, and in
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
	heavy := slices.Clone(star)
	for i := range heavy {
		heavy[i].Weight = 0x1p120
	}
	for name, c := range map[string]struct {
		edges   []oracle.Edge
		command string
		double  bool
	}{
		"short path":       {path(9, 60001), "sssp --source 0", false},
		"long path":        {long, "sssp --source 0", true},
		"tenths":           {path(9, 0.1), "sssp --source 0", true},
		"quarters":         {path(300, 0.25), "sssp --source 0", false},
		"multiples":        {path(300, 1<<30), "sssp --source 0", false},
		"largest weights":  {path(9, math.MaxFloat32), "sssp --source 0", true},
		"katz":             {star, "katz --alpha 0.01", false},
		"large katz":       {star, "katz --alpha 0.099", true},
		"exact katz":       {star, "katz --alpha 0.01 --tolerance 1e-9", true},
		"pagerank":         {star, "pagerank", false},
		"exact pagerank":   {star, "pagerank --tolerance 1e-9", true},
		"damped pagerank":  {star, "pagerank --damping 0.99", true},
		"biased pagerank":  {star, "pagerank --weighted --source 1", false},
		"strong pagerank":  {heavy, "pagerank --weighted", true},
		"several sources":  {star, "pagerank --source 1 --source 2", false},
		"without weights":  {nil, "sssp --source 0", false},
		"circuit, doubled": {long, "circuit --source 0 --ground 9", true},
	} {
		t.Run(name, func(t *testing.T) {
			weighted := c.edges != nil
			if !weighted {
				c.edges = path(300, 1)
			}
			g := graphOf(t, c.edges, weighted)
			defer g.Close()
			inDouble := c.command
			if !strings.HasPrefix(inDouble, "circuit") {
				inDouble += " --precision 64"
			}
			r := ran(t, g, c.command, garaph.RunOptions{Iterations: 2000})
			kind := r.Table("").Columns()[0].Kind.String()
			auto := valuesOf(t, r, int(g.Catalogue().Vertices))
			if double := kind == "float64"; double != c.double {
				t.Errorf("results are of %s", kind)
			}
			for v, want := range valuesOf(t, ran(t, g, inDouble, garaph.RunOptions{Iterations: 2000}), len(auto)) {
				if !near(auto[v], want, 1e-6) && !math.IsNaN(want) {
					t.Errorf("vertex %d: got %v, want %v", v, auto[v], want)
				}
			}
		})
	}
}

// TestAutoResumed checks that a job that goes on in double precision is one job, and is resumed in it.
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
	p, program := making(t, g, "sssp --source 0")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	o := garaph.RunOptions{
		Device: "cpu", Method: "pull", Checkpoints: garaph.Checkpoints{Every: 1},
		Job: g.NewJob(checkpoint.Spec{Name: "sssp"}),
	}
	begun := 0
	o.Progress = func(it garaph.Iteration) {
		if it.Iteration == 9 {
			begun++
		}
		if begun == 2 {
			cancel()
		}
	}
	if _, err := p.Run(builtins.Job{Context: ctx, Graph: g, Options: o}, program); !errors.Is(err, context.Canceled) {
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
	r, err := p.Run(builtins.Job{Context: t.Context(), Graph: g, Options: o}, program)
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
