package cli

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"pgregory.net/rapid"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/builtins"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
)

// seeing reads ids in all of its methods, and has no compiled loops.
type seeing struct{}

func (seeing) Init(v gas.Vertex) (int64, bool)             { return int64(v.ID), true }
func (seeing) Zero() int64                                 { return 0 }
func (seeing) Gather(src int64, _ gas.Edge, _ int64) int64 { return src % 1001 }
func (seeing) Sum(a, b int64) int64                        { return a + b }
func (seeing) Apply(v gas.Vertex, _, acc int64, s gas.Step) int64 {
	return (acc*int64(v.ID+1) + int64(v.ID) + int64(s.Aggregate)) % 1e9
}
func (seeing) Activate(v gas.Vertex, old, new int64) bool  { return old != new || v.ID%3 == 0 }
func (seeing) Aggregate(v gas.Vertex, value int64) float64 { return float64(value % int64(v.ID+2)) }
func (seeing) Result(v gas.Vertex, value int64) int64      { return value + int64(v.In) + 7*int64(v.Out) }

// orders is a graph that was imported in both orders.
type orders struct {
	t    testing.TB
	dir  string
	name func(v uint32) string
	g    oracle.Graph
}

// run runs a command over one of the graphs, whose path is in the place of "GRAPH", and returns its output.
func (x *orders) run(order string, args ...string) string {
	x.t.Helper()
	args = slices.Clone(args)
	for i, a := range args {
		args[i] = strings.ReplaceAll(a, "GRAPH", filepath.Join(x.dir, order))
	}
	var out, err bytes.Buffer
	if code := Run(context.Background(), args, nil, &out, &err, append(builtinPrograms(), x.own()...)...); code != 0 {
		x.t.Fatalf("%s: garaph %s: %d: %s", order, strings.Join(args, " "), code, err.String())
	}
	return out.String()
}

func (x *orders) own() []Program { return []Program{New("seeing", "ids", seeing{})} }

// same compares the output of a command over both graphs: lines of columns, in which floats may have been rounded
// otherwise.
func (x *orders) same(args ...string) {
	x.t.Helper()
	want, got := strings.Split(x.run("input", args...), "\n"), strings.Split(x.run("degree", args...), "\n")
	if len(want) != len(got) {
		x.t.Fatalf("%v: %d lines, expected %d", args, len(got), len(want))
	}
	for i := range want {
		w, g := strings.Fields(want[i]), strings.Fields(got[i])
		if !slices.EqualFunc(w, g, equalNumbers) {
			x.t.Fatalf("%v: line %d is %q, expected %q", args, i, got[i], want[i])
		}
	}
}

func equalNumbers(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return a == b || errX == nil && errY == nil && strings.ContainsAny(a+b, ".e") &&
		math.Abs(x-y) <= 1e-6*max(math.Abs(x), 1e-6)
}

// pairs writes the ends of some edges to a file, and returns its name.
func (x *orders) pairs() string {
	var text strings.Builder
	for _, e := range x.g.Edges[:min(30, len(x.g.Edges))] {
		fmt.Fprintf(&text, "%s %s\n", x.name(e.Src), x.name(e.Dst))
	}
	name := filepath.Join(x.dir, "pairs.txt")
	if err := os.WriteFile(name, []byte(text.String()), 0o666); err != nil {
		x.t.Fatal(err)
	}
	return name
}

// newOrders imports a graph twice, with further flags.
func newOrders(t testing.TB, dir string, g oracle.Graph, name func(v uint32) string, flags ...string) *orders {
	t.Helper()
	x := &orders{t: t, dir: dir, name: name, g: g}
	var text strings.Builder
	for _, e := range g.Edges {
		fmt.Fprintf(&text, "%s %s %d\n", name(e.Src), name(e.Dst), 1+(e.Src*7+e.Dst*3)%9)
	}
	edges := filepath.Join(dir, "edges.txt")
	if err := os.WriteFile(edges, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, order := range []string{"input", "degree"} {
		x.run(order, append([]string{"import", edges, "GRAPH", "--force", "--quiet", "--order", order}, flags...)...)
	}
	return x
}

// everything compares all programs and algorithms, and other commands.
func (x *orders) everything() {
	x.t.Helper()
	var first, last string // of an edge, which is no loop if there is another
	for _, e := range x.g.Edges {
		if first, last = x.name(e.Src), x.name(e.Dst); first != last {
			break
		}
	}
	needs := map[string][]string{
		"bfs": {"--source", first, "--parents"}, "sssp": {"--source", first, "--parents"}, "sswp": {"--source", first},
		"heat":    {"--source", first, "--iterations", "9"},
		"circuit": {"--source", first, "--ground", last, "--iterations", "9"},
		"surfers": {"--source", first}, "closeness": {"--source", first},
		"sample": {"--source", first, "--fanouts", "3,2"},
		"kcore":  {"--k", "2"}, "katz": {"--iterations", "3"}, "similarity": {"--pairs", x.pairs()},
		"neural": {"--iterations", "5"},
	}
	for _, b := range builtins.All {
		if b.Name == "circuit" && first == last {
			continue
		}
		args := append([]string{"run", b.Name, "GRAPH", "--quiet", "--output", "-"}, needs[b.Name]...)
		x.same(args...)
		if !b.IsAlgorithm() {
			x.same(append(args, "--threads", "3", "--iterations", "2")...)
			x.same(append(args, "--device", "gpu", "--gpu", "emulated", "--iterations", "4")...)
		}
	}
	x.same("run", "seeing", "GRAPH", "--quiet", "--output", "-", "--iterations", "5")
	x.same("run", "pagerank", "GRAPH", "--quiet", "--output", "-", "--source", first)
	x.same("run", "pagerank", "GRAPH", "--quiet", "--output", "-", "--weighted")
	for _, algorithm := range []string{"components", "triangles", "lcc", "cdlp"} {
		x.same("run", algorithm, "GRAPH", "--quiet", "--output", "-", "--device", "gpu", "--gpu", "emulated")
	}
	x.same("run", "similarity", "GRAPH", "--quiet", "--output", "-", "--nearest", "3")
	x.same("run", "closeness", "GRAPH", "--quiet", "--output", "-", "--most", "4")
	x.same("run", "betweenness", "GRAPH", "--quiet", "--output", "-", "--weighted")
	x.same("run", "betweenness", "GRAPH", "--quiet", "--output", "-", "--samples", "5")
	x.same("run", "wcc", "GRAPH", "--quiet", "--top", "5")
	x.same("run", "degrees", "GRAPH", "--quiet", "--top", "5")
	x.same("neighbors", "GRAPH", first)
	x.same("community", "GRAPH", "--query", first, "--max-size", "3", "--threads", "1", "--quiet", "--output", "-")
	if first != last {
		x.same("path", "GRAPH", first, last, "--quiet")
	}
	for _, format := range []string{"text", "graphml"} {
		x.same("export", "GRAPH", "--output", "-", "--quiet", "--format", format)
	}
	x.run("degree", "verify", "GRAPH", "--quiet")
	for _, order := range []string{"input", "degree"} {
		x.run(order, "subgraph", "GRAPH", "--output", "GRAPH.all", "--all", "--quiet", "--force")
	}
	x.same("export", "GRAPH.all", "--output", "-", "--quiet", "--format", "text")
}

func gaps(v uint32) string  { return strconv.Itoa(int(v)*7 + 300) }
func named(v uint32) string { return fmt.Sprintf("v%d", v) }
func dense(v uint32) string { return strconv.Itoa(int(v)) }

// TestOrders compares graphs that are stored in the order of ids and of degrees.
func TestOrders(t *testing.T) {
	for _, g := range testgraph.All() {
		if len(g.Graph.Edges) == 0 {
			continue
		}
		t.Run(g.Name, func(t *testing.T) { newOrders(t, t.TempDir(), g.Graph, gaps, "--weights", "yes").everything() })
	}
	skewed := testgraph.Skewed(8, 2000, 3)
	for name, x := range map[string]struct {
		name  func(uint32) string
		flags []string
	}{
		"directed":   {gaps, []string{"--weights", "yes", "--rows"}},
		"undirected": {named, []string{"--undirected"}},
		"float64":    {gaps, []string{"--undirected", "--weights", "float64"}},
		"rows":       {dense, []string{"--layout", "csc", "--weights", "no"}},
		"dense":      {dense, []string{"--ids", "dense", "--weights", "no", "--dedup"}},
	} {
		t.Run(name, func(t *testing.T) { newOrders(t, t.TempDir(), skewed, x.name, x.flags...).everything() })
	}
}

// TestOrdersRandom is like TestOrders, for random graphs.
func TestOrdersRandom(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		g := testgraph.Draw(rt)
		if len(g.Edges) == 0 {
			return
		}
		flags := []string{"--weights", rapid.SampledFrom([]string{"yes", "no"}).Draw(rt, "weights")}
		if rapid.Bool().Draw(rt, "undirected") {
			flags = append(flags, "--undirected")
		}
		newOrders(t, dir, g, gaps, flags...).everything()
	})
}

// TestOrdersReal is like TestOrders, for a real graph and a small budget.
func TestOrdersReal(t *testing.T) {
	_, g := testgraph.LoadEdges(t, "as-Caida20071105", true)
	x := newOrders(t, t.TempDir(), g, gaps, "--undirected", "--memory", "200MiB")
	first := x.name(g.Edges[0].Src)
	for _, args := range [][]string{
		{"bfs", "--source", first, "--parents"}, {"wcc"}, {"wcc", "--iterations", "0"}, {"pagerank"}, {"cdlp"}, {"scc"},
		{"leiden"}, {"triangles"}, {"coreness", "--memory", "90MiB"}, {"lpa"}, {"truss"}, {"forest"},
	} {
		x.same(append([]string{"run", args[0], "GRAPH", "--quiet", "--output", "-"}, args[1:]...)...)
	}
}

// TestOrdersResume resumes a job over a graph stored by degree.
func TestOrdersResume(t *testing.T) {
	x := newOrders(t, t.TempDir(), testgraph.Skewed(8, 2000, 3), gaps)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	own := builtinPrograms()[0]
	setup := own.Setup
	own.Setup = func(fs *pflag.FlagSet) Runner {
		run := setup(fs)
		return func(ctx context.Context, e Env) (*garaph.Result, error) {
			e.Options.Progress = func(it garaph.Iteration) {
				if it.Iteration == 7 {
					cancel()
				}
			}
			return run(ctx, e)
		}
	}
	graph := filepath.Join(x.dir, "degree")
	var out bytes.Buffer
	args := []string{"run", own.Name, graph, "--quiet", "--checkpoint-every", "2", "--tolerance", "0",
		"--iterations", "20"}
	if code := Run(ctx, args, nil, &out, &out, own); code == 0 {
		t.Fatal("the run was not interrupted")
	}
	got := x.run("degree", "resume", "GRAPH", "--quiet", "--output", "-")
	want := x.run("input", "run", own.Name, "GRAPH", "--quiet", "--tolerance", "0", "--iterations", "20", "--output", "-")
	if got != want {
		t.Errorf("resumed: %.300s\nexpected: %.300s", got, want)
	}
}
