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
	streamed, resident := tableOf(r, "streamed, "), tableOf(r, "resident")
	if got := medians(t, streamed, "on the GPU"); len(got) != 3 || got[0] != 0 || got[1] == 1 {
		t.Errorf("streamed: on the GPU %v", got)
	}
	if got := medians(t, streamed, "by the CPU"); got[0] != 1 || got[1] != 0 {
		t.Errorf("streamed: by the CPU %v", got)
	}
	if got := medians(t, resident, "on the GPU"); len(got) != 2 || got[0] != 1 {
		t.Errorf("resident: on the GPU %v", got)
	}
	for _, table := range []*Table{streamed, resident} {
		for _, s := range column[*Spread](t, table, "edges/s") {
			plausible(t, table.Columns[0].Name, s.Min, 1e4, 1e12)
		}
		for _, s := range column[*Spread](t, table, "seconds/iteration") {
			if len(s.Values) != 2 || s.Min <= 0 {
				t.Errorf("%s: %+v", table.Columns[0].Name, s)
			}
		}
	}
	checkJobs(t, tableOf(r, "whole job"))
	disk := tableOf(r, "from disk, ")
	if alone, reached := column[*Spread](t, disk, "alone"), column[*Spread](t, disk, "reached"); len(alone) != 4 || reached[0].Min <= 0 || alone[2] == nil {
		t.Errorf("from disk: %+v", disk)
	}
	if got := medians(t, tableOf(r, "must show"), "found"); len(got) != 6 || slices.Min(got) < 1e-3 || slices.Max(got) > 1e3 {
		t.Errorf("bars: found %v", got)
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

func checkJobs(t *testing.T, jobs *Table) {
	t.Helper()
	var want []string
	for range 2 {
		for _, c := range choices {
			want = append(want, c.name)
		}
	}
	if got := column[string](t, jobs, "choice"); !slices.Equal(got, want) {
		t.Errorf("choices %q", got)
	}
	seconds, loaded := medians(t, jobs, "seconds"), medians(t, jobs, "with loading")
	iterations, who := column[int](t, jobs, "iterations"), column[string](t, jobs, "who did them")
	for i := range seconds {
		if seconds[i] <= 0 || loaded[i] < seconds[i] || iterations[i] == 0 || who[i] == "" {
			t.Errorf("%v", jobs.Rows[i])
		}
	}
}

// What makes no sense is reported in a note.
func TestMeasureHybridNotes(t *testing.T) {
	g := rmatGraph(t, 8, 4, 100)
	r, err := MeasureHybrid(t.Context(), g, HybridOptions{GPU: device.EmulatedName, GPUMemory: 1, Starved: 1 << 30, Rounds: 1, Threads: 2, Programs: []string{"bfs"}})
	if err != nil {
		t.Fatal(err)
	}
	if tableOf(r, "streamed, ") != nil || tableOf(r, "resident") == nil || tableOf(r, "from disk, ") != nil || tableOf(r, "whole job") == nil {
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
	if len(r.Tables) != 3 || tableOf(r, "streamed, ") == nil || tableOf(r, "two jobs at once") == nil || tableOf(r, "must show") == nil || len(r.Notes) != 3 {
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
	if ends := column[string](t, tableOf(limited, "whole job"), "end"); ends[0] != "stopped" || ends[5] != "stopped" || len(limited.Tables) != 1 || len(limited.Notes) != 2 {
		t.Errorf("ends %q, %d tables, notes %q", ends, len(limited.Tables), limited.Notes)
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
