package bench

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/store"
)

// Everything once, in memory and from disk, as an object and as a table.
func TestMeasure(t *testing.T) {
	g := rmatGraph(t, 14, 16, 500)
	var steps []string
	r, err := Measure(t.Context(), g, Options{
		Rounds: 2, Threads: 2, Memory: fromDisk(t, g), Progress: func(doing string) { steps = append(steps, doing) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) != 2*(ceilings+4*len(workloads)) || !strings.HasPrefix(steps[len(steps)-1], "round 2 of 2, wcc within") {
		t.Errorf("the steps were %q", steps)
	}
	checkReport(t, g, r)

	checkTable(t, r)
}

// fromDisk is a budget within which no program has the graph in memory: the
// least for the one that needs most.
func fromDisk(t *testing.T, g *garaph.Graph) int64 {
	t.Helper()
	var least int64
	for _, w := range workloads {
		_, err := w.run(t.Context(), g, 0, garaph.RunOptions{Memory: 1})
		var need *garaph.MemoryError
		if !errors.As(err, &need) {
			t.Fatalf("%s ran within one byte: %v", w.name, err)
		}
		least = max(least, need.Least())
	}
	return least
}

func checkReport(t *testing.T, g *garaph.Graph, r *Report) {
	t.Helper()
	if c := g.Catalogue(); r.Graph.Vertices != c.Vertices || r.Graph.Edges != c.Edges || r.Rounds != 2 || r.Threads != 2 || r.Source == "" || r.Machine.Cores == 0 || r.Seconds <= 0 {
		t.Errorf("got %+v", r)
	}
	if len(r.Notes) > 0 {
		t.Errorf("unexpected notes %q", r.Notes)
	}
	ceilings := tableOf(r, "ceiling")
	for i, speed := range column[*Spread](t, ceilings, "speed") {
		if speed == nil {
			if i != diskRead || ceilings.Rows[i][3] == "" {
				t.Errorf("no speed: %v", ceilings.Rows[i])
			}
			continue
		}
		plausible(t, ceilingNames[i], speed.Median, 1e5, 1e14)
	}
	checkPrograms(t, tableOf(r, "program"))
}

func checkPrograms(t *testing.T, runs *Table) {
	t.Helper()
	names, from, iterations, pulls := column[string](t, runs, "program"), column[string](t, runs, "from"), column[int](t, runs, "iterations"), column[int](t, runs, "pulls")
	figure := func(i int, name string) *Spread { return column[*Spread](t, runs, name)[i] }
	if len(names) != 2*len(workloads) {
		t.Fatalf("runs of %v", names)
	}
	for i, name := range names {
		if name != workloads[i/2].name || from[i] != [...]string{"memory", "disk"}[i%2] || iterations[i] == 0 || len(figure(i, "seconds").Values) != 2 {
			t.Errorf("run %d: %v", i, runs.Rows[i])
		}
		if strings.HasPrefix(name, "pagerank") {
			if s := figure(i, "of ceiling"); iterations[i] > pageRankIterations || pulls[i] == 0 || pulls[i] >= iterations[i] || s == nil || len(s.Values) != 2 {
				t.Errorf("run %d: %v", i, runs.Rows[i])
			}
			plausible(t, name, figure(i, "edges/s").Median, 1e5, 1e12)
		}
		if from[i] == "memory" && (figure(i, "of disk") != nil || figure(i, "of memory") != nil || figure(i, "read B/s") != nil) {
			t.Errorf("run %d has shares that are not its own: %v", i, runs.Rows[i])
		}
	}
}

func checkTable(t *testing.T, r *Report) {
	t.Helper()
	var b strings.Builder
	if err := r.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	begins := slices.Concat([]string{"cpu ", "memory ", "kernel ", "date ", "graph ", "run ", "others ", "ceiling ", "program "}, ceilingNames[:])
	for _, w := range workloads {
		begins = append(begins, w.name+" ")
	}
	for _, begin := range begins {
		if !slices.ContainsFunc(lines, func(s string) bool { return strings.HasPrefix(s, begin) }) {
			t.Errorf("no line begins with %q:\n%s", begin, b.String())
		}
	}
	if n := strings.Count(b.String(), " disk  "); n < len(workloads) {
		t.Errorf("%d runs from disk, want %d:\n%s", n, len(workloads), b.String())
	}
}

// A run that is not where it was meant to be is noted.
func TestMeasureFits(t *testing.T) {
	g := rmatGraph(t, 14, 16, 500, store.Packed)
	least := fromDisk(t, g)
	r, err := Measure(t.Context(), g, Options{Programs: []string{"wcc"}, Rounds: 1, Limit: least, Memory: 1 << 40})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Notes) != 2 || !strings.Contains(r.Notes[0], "wcc does not fit into the") || !strings.Contains(r.Notes[1], "wcc fits into the 1.0 TiB") {
		t.Errorf("got the notes %q", r.Notes)
	}
	if from := column[string](t, tableOf(r, "program"), "from"); !slices.Equal(from, []string{"disk", "memory"}) {
		t.Errorf("the runs were from %q", from)
	}
}

func TestMeasureErrors(t *testing.T) {
	g := rmatGraph(t, 8, 4, 0)
	for _, test := range []struct {
		name string
		o    Options
		want string
	}{
		{"an unknown program", Options{Programs: []string{"bfs", "katz"}}, `"katz" is not a program that can be measured; expected some of pagerank, pagerank64, bfs, sssp, wcc`},
		{"an unknown source", Options{Source: "nobody"}, "has no vertex"},
		{"too little memory", Options{Memory: 1}, "the smallest budget for it is"},
		{"a negative number", Options{Rounds: -1}, "expected numbers ≥ 0"},
	} {
		test.o.Progress = func(doing string) { t.Errorf("%s: began %s", test.name, doing) }
		if _, err := Measure(t.Context(), g, test.o); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
	}
}

func TestMeasureStops(t *testing.T) {
	g := rmatGraph(t, 10, 8, 100)
	for _, at := range []string{ceilingNames[gather4], ceilingNames[memoryCopy], "pagerank64"} {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := Measure(ctx, g, Options{Progress: func(doing string) {
			if strings.HasSuffix(doing, at) {
				cancel()
			}
		}})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("stopped at %s: got %v", at, err)
		}
	}
}

// Searches begin at the vertex with the most out-edges, or at the given one.
func TestSource(t *testing.T) {
	g := rmatGraph(t, 8, 4, 10)
	hub, err := sourceOf(t.Context(), g, "")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Measure(t.Context(), g, Options{Programs: []string{"bfs"}, Rounds: 1})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := g.Vertex(r.Source); err != nil || v != hub {
		t.Errorf("began at %s, want vertex %d: %v", r.Source, hub, err)
	}
	if v, err := sourceOf(t.Context(), g, r.Source); err != nil || v != hub {
		t.Errorf("source %s is vertex %d, want %d: %v", r.Source, v, hub, err)
	}
}
