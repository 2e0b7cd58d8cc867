package bench

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gpuengine/device"
)

// TestMeasureHybrid checks that on the emulated device every part gives figures.
func TestMeasureHybrid(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures speeds")
	}
	g := rmatGraph(t, 13, 16, 500)
	r, err := MeasureHybrid(t.Context(), g, Options{GPU: device.EmulatedName, Rounds: 2, Threads: 2,
		Programs: []string{"bfs", "pagerank"}})
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
			plausible(t, table.Columns[0], s.Min, 1e4, 1e12)
		}
	}
	jobs := tableOf(r, "whole job")
	if got := column[string](t, jobs, "choice"); len(got) != 2*len(choices) || got[0] != "auto" {
		t.Errorf("choices %q", got)
	}
	took, loaded := medians(t, jobs, "seconds"), medians(t, jobs, "with loading")
	for i, n := range column[int](t, jobs, "iterations") {
		if took[i] <= 0 || loaded[i] < took[i] || n == 0 {
			t.Errorf("%v", jobs.Rows[i])
		}
	}
	if got := medians(t, tableOf(r, "must show"), "found"); len(got) != 5 || slices.Min(got) < 1e-3 ||
		slices.Max(got) > 1e3 {
		t.Errorf("bars: found %v", got)
	}
}

// TestMeasureHybridStops checks that a job that takes too long is stopped, and what it did is
// known; a part without room is left out; a measurement that is stopped ends.
func TestMeasureHybridStops(t *testing.T) {
	g := rmatGraph(t, 8, 4, 100)
	m := &measurement{graph: g, opt: Options{Threads: 1}}
	r, err := m.job(t.Context(), "", pageRankWorkload, garaph.RunOptions{Device: dispatcher.CPU}, 1e-9)
	if err != nil || !r.stopped || len(r.report.Iterations) != 1 || r.seconds <= 0 {
		t.Errorf("%+v, %v", r, err)
	}
	limited, err := MeasureHybrid(t.Context(), g, Options{GPU: device.EmulatedName, Rounds: 2, Limit: 1,
		Parts: []string{"switch"}, Programs: []string{"pagerank"}})
	if err != nil {
		t.Fatal(err)
	}
	if ends := column[string](t, tableOf(limited, "whole job"), "end"); ends[0] != "stopped" || ends[5] != "stopped" ||
		len(limited.Tables) != 1 {
		t.Errorf("ends %q, %d tables", ends, len(limited.Tables))
	}
	small, err := MeasureHybrid(t.Context(), g, Options{GPU: device.EmulatedName, GPUMemory: 1, Rounds: 1, Threads: 2,
		Programs: []string{"bfs"}})
	if err != nil {
		t.Fatal(err)
	}
	if tableOf(small, "streamed, ") != nil || tableOf(small, "resident") == nil || tableOf(small, "whole job") == nil ||
		!strings.HasPrefix(small.Notes[0], "part pays was left out: ") {
		t.Errorf("%+v", small)
	}
	ctx, stop := context.WithCancel(t.Context())
	_, err = MeasureHybrid(ctx, g, Options{GPU: device.EmulatedName, Rounds: 1, Progress: func(doing string) {
		if strings.HasPrefix(doing, "switch") {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
