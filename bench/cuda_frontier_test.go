//go:build cuda

package bench

import (
	"errors"
	"testing"
	"time"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
)

// TestCUDAFrontier: searches on a GPU by every policy, filter and direction.
func TestCUDAFrontier(t *testing.T) {
	d, err := device.Open("0")
	if errors.Is(err, device.ErrNoDevice) {
		t.Skipf("this test needs a GPU: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, c := range []struct {
		name  string
		lines []byte
	}{
		{"path", pathLines(100)},
		{"rmat", generatedLines(t, GenOptions{Kind: RMAT, Scale: 14, Degree: 16})},
		{"grid", generatedLines(t, GenOptions{Kind: Grid, Rows: 100, Cols: 100})},
		{"star", starLines(50_000)},
		{"few edges", []byte("0 1 1\n1 1 2\n1 2 3\n1 2 1\n70000 70001 1\n")},
	} {
		for _, undirected := range []bool{true, false} {
			t.Run(c.name, func(t *testing.T) {
				began := time.Now()
				searchEverywhere(t, searched(t, c.lines, undirected), d)
				t.Logf("undirected %v: %.1f s", undirected, time.Since(began).Seconds())
			})
		}
	}
	t.Run("long path", func(t *testing.T) {
		const n = 1_000_000
		g := searched(t, pathLines(n), true)
		pages, err := page.New(g.Store(), page.Options{Gather: []shard.Direction{shard.In}, Encodings: []uint16{packed.Version}, Threads: 2, Memory: d})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = pages.Close() }()
		m := &gpuMeasurement{graph: g, device: d, pages: pages, opt: GPUOptions{Threads: 2}}
		x, err := newSearch(t.Context(), m, func(source uint32) gas.Program[uint32, uint32] { return programs.BFS{Source: source} }, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = x.close() }()
		done, err := x.search(0, gpuengine.Advancing{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		for v, level := range x.job.arrays.Next {
			if level != uint32(v) {
				t.Fatalf("vertex %d is at %d", v, level)
			}
		}
		t.Logf("%d levels in %.3f s", done.Levels, done.Seconds)
	})
}
