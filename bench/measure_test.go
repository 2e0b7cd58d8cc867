package bench

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/dispatcher"
)

// TestMeasure measures everything once, in memory and from disk, as an object and as a table.
func TestMeasure(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures speeds")
	}
	g := rmatGraph(t, 14, 16, 500)
	var steps []string
	r, err := Measure(t.Context(), g, Options{
		Rounds: 2, Threads: 2, Disk: fromDisk(t, g), Progress: func(doing string) { steps = append(steps, doing) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) != 2*(1+4*len(workloads)) || !strings.HasPrefix(steps[len(steps)-1], "round 2 of 2, wcc") ||
		len(r.Facts) < 5 {
		t.Errorf("the steps were %q, the facts %q", steps, r.Facts)
	}
	for i, speed := range column[*Spread](t, tableOf(r, "ceiling"), "speed") {
		if speed == nil && (i != diskRead || len(r.Notes) == 0) {
			t.Errorf("no speed of %s", ceilingNames[i])
		} else if speed != nil {
			plausible(t, ceilingNames[i], speed.Median, 1e5, 1e14)
		}
	}
	runs := tableOf(r, "program")
	names, from, iterations, pulls := column[string](t, runs, "program"), column[string](t, runs, "from"),
		column[int](t, runs,
			"iterations"), column[int](t, runs, "pulls")
	figure := func(i int, name string) *Spread { return column[*Spread](t, runs, name)[i] }
	if len(names) != 2*len(workloads) {
		t.Fatalf("runs of %v", names)
	}
	for i, name := range names {
		memory := i%2 == 0
		if name != workloads[i/2].name || from[i] != map[bool]string{true: "memory", false: "disk"}[memory] ||
			iterations[i] == 0 ||
			len(figure(i, "seconds").Values) != 2 {
			t.Errorf("run %d: %v", i, runs.Rows[i])
		}
		if strings.HasPrefix(name, "pagerank") {
			if s := figure(i, "of ceiling"); iterations[i] > pageRankIterations || pulls[i] == 0 || pulls[i] >= iterations[i] ||
				s == nil || len(s.Values) != 2 {
				t.Errorf("run %d: %v", i, runs.Rows[i])
			}
			plausible(t, name, figure(i, "edges/s").Median, 1e5, 1e12)
		}
		if memory && (figure(i, "of disk") != nil || figure(i, "of memory") != nil || figure(i, "read B/s") != nil) {
			t.Errorf("run %d has shares that are not its own: %v", i, runs.Rows[i])
		}
	}
	var b strings.Builder
	if err := r.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + b.String())
	lines := strings.Split(b.String(), "\n")
	for _, begin := range slices.Concat([]string{"machine ", "date ", "graph ", "source ", "ceiling ", "program "},
		ceilingNames[:], ProgramNames()) {
		if !slices.ContainsFunc(lines, func(s string) bool { return strings.HasPrefix(s, begin) }) {
			t.Errorf("no line begins with %q", begin)
		}
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

// fromDisk returns a budget within which no program has the graph in memory: the
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

func TestMeasureErrors(t *testing.T) {
	g := rmatGraph(t, 8, 4, 0)
	for _, test := range []struct {
		name string
		o    Options
		want string
	}{
		{"an unknown program", Options{Programs: []string{"bfs", "katz"}}, `"katz" is not a program that can be measured`},
		{"an unknown source", Options{Source: "nobody"}, "has no vertex"},
		{"too little memory", Options{Disk: 1}, "the smallest budget for it is"},
	} {
		if _, err := Measure(t.Context(), g, test.o); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
	}
	for _, at := range []string{ceilingNames[gather4], ceilingNames[diskRead], "pagerank64"} {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := Measure(ctx, g, Options{Progress: func(doing string) {
			if strings.Contains(doing, at) {
				cancel()
			}
		}})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("stopped at %s: got %v", at, err)
		}
	}
}

func pull(i int, edges uint64, read int64, seconds float64) garaph.Iteration {
	return garaph.Iteration{Iteration: i, Method: dispatcher.Pull, Edges: edges,
		Traffic: dispatcher.Traffic{Reads: dispatcher.Reads{Requested: read}}, Seconds: seconds}
}

// TestShares checks that pulls that bring pages to stay do not count, and the ceiling of a run from
// disk is the lower of two.
func TestShares(t *testing.T) {
	nan := math.NaN()
	memory := dispatcher.Report{InMemory: true, Duration: 20 * time.Second, Iterations: []garaph.Iteration{
		pull(0, 100, 500, 9), pull(1, 100, 0, 2), {Iteration: 2, Method: dispatcher.NotifyPull, Edges: 9, Seconds: 1},
		pull(3, 100, 0, 4), pull(4, 100, 0, 4),
	}}
	disk := dispatcher.Report{Iterations: []garaph.Iteration{pull(0, 100, 900, 9), pull(1, 100, 400, 2)}}
	for _, test := range []struct {
		name                          string
		report                        dispatcher.Report
		gather, disk, memory          float64
		pulls                         int
		edges, ofDisk, ofMem, ceiling float64
	}{
		{"in memory", memory, 100, 1, nan, 3, 30, nan, nan, 0.3},
		{"the disk is the ceiling", disk, 1, 250, 200, 1, 50, 0.8, 0.25, 0.8},
		{"memory is the ceiling", disk, 1, 2000, 200, 1, 50, 0.1, 0.25, 0.25},
		{"no run in memory", disk, 1, 250, nan, 1, 50, 0.8, nan, 0.8},
		{"the disk is unknown", disk, 1, nan, 200, 1, 50, nan, 0.25, 0.25},
		{"no pulls", dispatcher.Report{InMemory: true}, 1, 1, nan, 0, nan, nan, nan, nan},
	} {
		var x programRun
		x.add(test.report, test.gather, test.disk, test.memory)
		for i, pair := range [][2]*Spread{
			{rates(x.edges...), rates(test.edges)}, {shares(x.ofDisk...), shares(test.ofDisk)},
			{shares(x.ofMemory...), shares(test.ofMem)}, {shares(x.ofCeiling...), shares(test.ceiling)},
		} {
			if pair[0].String() != pair[1].String() || x.pulls != test.pulls {
				t.Errorf("%s: figure %d is %v of %d pulls, want %v of %d", test.name, i, pair[0], x.pulls, pair[1], test.pulls)
			}
		}
	}
}
