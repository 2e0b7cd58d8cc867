package bench

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

// TestMeasureGPU checks that on the emulated device every figure is there, with all edges on the
// device and streamed.
func TestMeasureGPU(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures speeds")
	}
	for layout, pipelines := range map[store.Layout]int{store.CSC: 4, store.Packed: 2} {
		r, err := MeasureGPU(t.Context(), graphOf(t, layout), Options{GPU: device.EmulatedName, Rounds: 1, Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		for i, speed := range column[*Spread](t, tableOf(r, "ceiling"), "speed") {
			if known := layout == store.Packed || i >= 2; known != (speed != nil) {
				t.Errorf("%s: ceiling %d is %v", layout, i, speed)
			}
		}
		p := tableOf(r, "pipeline")
		resident, speeds := medians(t, p, "on the GPU"), medians(t, p, "edges/s")
		if len(resident) != pipelines || slices.Min(speeds) <= 0 || len(r.Notes) > 0 {
			t.Errorf("%s: %d pipelines, notes %q", layout, len(resident), r.Notes)
		}
		for i, x := range resident {
			if streamed := i%2 == 1; streamed != (x < 1) {
				t.Errorf("%s: %v", layout, p.Rows[i])
			}
		}
	}
}

// TestMeasureLink checks that both directions, and both at once, have a speed, and nothing is kept.
func TestMeasureLink(t *testing.T) {
	d := device.NewEmulated(device.EmulatedOptions{Memory: 16 << 20})
	link, err := MeasureLink(d)
	if err != nil || link.To <= 0 || link.From <= 0 || link.Both <= 0 {
		t.Errorf("%+v, error %v", link, err)
	}
	if left := d.InUse(); left != (device.InUse{}) {
		t.Errorf("left: %+v", left)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestMeasureFrontiers checks that every search has a row for each policy.
func TestMeasureFrontiers(t *testing.T) {
	r, err := MeasureFrontiers(t.Context(), graphOf(t, store.Packed), Options{GPU: device.EmulatedName,
		Frontiers: FrontierOptions{Sources: 2}, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(medians(t, tableOf(r, "search"), "seconds")), len(gpuengine.AdvanceNames); got != want {
		t.Errorf("%d rows, want %d", got, want)
	}
}

// graphOf returns a graph of 6 shards, two of which have no edges.
func graphOf(t *testing.T, layout store.Layout) *garaph.Graph {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	g := oracle.Graph{N: 3000}
	for range 60_000 {
		g.Edges = append(g.Edges, oracle.Edge{Src: uint32(rng.IntN(g.N)), Dst: uint32(rng.IntN(1 + rng.IntN(g.N-1000)))})
	}
	path := filepath.Join(t.TempDir(), "graph")
	if err := teststore.Write(path, g, teststore.Options{ShardVertices: 500, Layout: layout}); err != nil {
		t.Fatal(err)
	}
	graph, err := garaph.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = graph.Close() })
	return graph
}
