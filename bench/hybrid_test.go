package bench

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gpuengine/device"
)

// TestMeasureHybrid: on the emulated device every part gives figures, and the
// table has its rows.
func TestMeasureHybrid(t *testing.T) {
	g := rmatGraph(t, 13, 16, 500)
	r, err := MeasureHybrid(t.Context(), g, HybridOptions{GPU: device.EmulatedName, Rounds: 2, Threads: 2, Programs: []string{"bfs", "pagerank"}})
	if err != nil {
		t.Fatal(err)
	}
	c := g.Catalogue()
	if x := r.Pays; x == nil || len(x.Runs) != 3 || x.Runs[0].Resident != 0 || x.Runs[1].Resident == c.Edges || x.Runs[0].OnCPU.Median != 1 || x.Runs[1].OnCPU.Median != 0 {
		t.Errorf("streamed: %+v", x)
	}
	if x := r.Resident; x == nil || len(x.Runs) != 2 || x.Runs[0].Resident != c.Edges {
		t.Errorf("resident: %+v", x)
	}
	for _, x := range []*Compared{r.Pays, r.Resident} {
		plausible(t, "ratio", x.Ratio.Median, 1e-3, 1e3)
		for _, run := range x.Runs {
			plausible(t, string(run.Device), run.EdgesPerSecond.Min, 1e4, 1e12)
			if len(run.Seconds.Values) != 2 || run.Seconds.Min <= 0 {
				t.Errorf("%+v", run)
			}
		}
	}
	checkSwitches(t, r.Switches)
	if x := r.Disk; x == nil || x.Memory == 0 || x.Did == "" || len(x.Limits) != 3 || x.Limits[0].Reached.Min <= 0 || x.Limits[2].Alone == nil || x.OfSlowest.Median <= 0 {
		t.Errorf("from disk: %+v", x)
	}
	if len(r.Notes) != 2 || !strings.HasPrefix(r.Notes[1], "a quarter of the graph is ") {
		t.Errorf("notes %q", r.Notes)
	}
	var b bytes.Buffer
	if err := r.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + b.String())
	lines := strings.Split(b.String(), "\n")
	for _, begin := range []string{
		"gpu ", "graph ", "others ", "streamed, ", "cpu ", "gpu ", "hybrid ", "resident ", "whole job ", "bfs ", "pagerank ", "from disk, within ", "disk ", "link, ",
		"kernel ", "whole iterations ", "must show ", "streamed: ", "resident: ", "bfs: ", "pagerank: ", "from disk: ",
	} {
		if !slices.ContainsFunc(lines, func(s string) bool { return strings.HasPrefix(s, begin) }) {
			t.Errorf("no line begins with %q", begin)
		}
	}
}

func checkSwitches(t *testing.T, list []Switch) {
	t.Helper()
	if len(list) != 2 {
		t.Fatalf("%d programs", len(list))
	}
	for _, s := range list {
		if len(s.Runs) != len(choices) || s.Runs[0].Choice != "auto" || s.Best == "" {
			t.Errorf("%+v", s)
			continue
		}
		plausible(t, s.Program, *s.OfBest, 1e-3, 1e3)
		for _, x := range s.Runs {
			if x.Seconds == nil || x.Seconds.Min <= 0 || x.Whole.Min < x.Seconds.Min || x.Iterations == 0 || x.Did == "" {
				t.Errorf("%s: %+v", s.Program, x)
			}
		}
	}
}

// What makes no sense is said in a note.
func TestMeasureHybridNotes(t *testing.T) {
	g := rmatGraph(t, 8, 4, 100)
	r, err := MeasureHybrid(t.Context(), g, HybridOptions{GPU: device.EmulatedName, GPUMemory: 1, Starved: 1 << 30, Rounds: 1, Threads: 2, Programs: []string{"bfs"}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Pays != nil || r.Resident == nil || r.Disk != nil || len(r.Switches) != 1 {
		t.Errorf("%+v", r)
	}
	for _, want := range []string{"part pays was left out: ", "bfs has no room on the GPU", "switch, round 1 of 1, bfs, gpu: ", "switch, round 1 of 1, bfs, hybrid: ", "part disk was left out: "} {
		if !slices.ContainsFunc(r.Notes, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("no note begins with %q: %q", want, r.Notes)
		}
	}
	if err := r.WriteTable(&bytes.Buffer{}); err != nil {
		t.Error(err)
	}
	r, err = MeasureHybrid(t.Context(), g, HybridOptions{GPU: device.EmulatedName, Starved: 1 << 30, Rounds: 1, Threads: 2, Parts: []string{diskPart, paysPart}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Disk != nil || r.Resident != nil || len(r.Switches) > 0 || len(r.Notes) != 3 {
		t.Errorf("%+v", r)
	}
}

// A job that takes too long is stopped, and what it did is known; a measurement
// that is stopped ends.
func TestMeasureHybridStops(t *testing.T) {
	g := rmatGraph(t, 8, 4, 100)
	m := &hybridMeasurement{graph: g, opt: HybridOptions{Threads: 1}}
	r, err := m.run(t.Context(), "", pageRankWorkload, garaph.RunOptions{Device: dispatcher.CPU}, 1e-9)
	if err != nil || !r.stopped || len(r.Iterations) != 1 || r.seconds <= 0 {
		t.Errorf("%+v, %v", r, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	limited, err := MeasureHybrid(t.Context(), g, HybridOptions{GPU: device.EmulatedName, Rounds: 2, Limit: 1, Parts: []string{switchPart}, Programs: []string{"pagerank"}})
	if err != nil {
		t.Fatal(err)
	}
	if s := limited.Switches[0]; s.Best != "" || s.OfBest != nil || !s.Runs[0].Stopped || !s.Runs[5].Stopped || len(s.Runs[0].Seconds.Values) != 1 || len(limited.Notes) != 2 {
		t.Errorf("%+v, notes %q", s, limited.Notes)
	}
	o := HybridOptions{GPU: device.EmulatedName, Rounds: 1, Progress: func(doing string) {
		if strings.HasPrefix(doing, switchPart) {
			stop()
		}
	}}
	if _, err := MeasureHybrid(ctx, g, o); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestHybridOptions(t *testing.T) {
	for _, o := range []HybridOptions{{Rounds: -1}, {Starved: -1}, {Parts: []string{"nosuch"}}, {Programs: []string{"nosuch"}}} {
		if o.Check() == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

func TestSequence(t *testing.T) {
	var list []garaph.Iteration
	add := func(d dispatcher.Device, m dispatcher.Method, n int) {
		for range n {
			list = append(list, garaph.Iteration{Device: d, Method: m})
		}
	}
	add(dispatcher.CPU, dispatcher.NotifyPull, 1)
	add(dispatcher.GPU, dispatcher.Pull, 2)
	add(dispatcher.Hybrid, dispatcher.Pull, 1)
	add(dispatcher.CPU, dispatcher.Pull, 3)
	if got, want := sequence(list), "C N, G ×2, H, C ×3"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for range 3 {
		add(dispatcher.GPU, dispatcher.Pull, 1)
		add(dispatcher.CPU, dispatcher.Pull, 1)
	}
	if got, want := sequence(list), "C N, G ×2, H, C ×3, G, C, G, C, … 2 more changes"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
