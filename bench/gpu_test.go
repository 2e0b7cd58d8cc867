package bench

import (
	"bytes"
	"image/png"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
)

// TestMeasureGPU: on the emulated device, every figure is there: three ways to
// gather with all edges on the device and streamed, every shard with edges, and
// copies of accumulators by the formula in one of the ways. Fewer streams share
// the memory of the streamed edges in fewer and larger slots.
func TestMeasureGPU(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	g := oracle.Graph{N: 3000}
	for range 60_000 {
		g.Edges = append(g.Edges, oracle.Edge{Src: uint32(rng.IntN(g.N)), Dst: uint32(rng.IntN(1 + rng.IntN(g.N-1000)))})
	}
	path := filepath.Join(t.TempDir(), "graph")
	if err := teststore.Write(path, g, teststore.Options{ShardVertices: 500}); err != nil {
		t.Fatal(err)
	}
	graph, err := garaph.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer graph.Close()
	r, err := MeasureGPU(t.Context(), graph, GPUOptions{GPU: device.EmulatedName, Rounds: 1, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	if got := medians(t, tableOf(r, "ceiling"), "speed"); len(got) != 5 || slices.Min(got) <= 0 {
		t.Errorf("ceilings: %v", got)
	}
	kernels, shards, pipelines := tableOf(r, "kernel"), tableOf(r, "pull of a shard"), tableOf(r, "pipeline")
	if got := slices.Concat(medians(t, kernels, "seconds"), medians(t, kernels, "edges/s")); len(got) != 14 || slices.Min(got) <= 0 || len(r.Notes) > 0 {
		t.Fatalf("kernels: %v, notes %q", got, r.Notes)
	}
	if got := column[int](t, shards, "shards"); !slices.Equal(got, []int{4, 4, 4}) {
		t.Errorf("shards: %v", got)
	}
	for i, s := range column[*Spread](t, shards, "edges") {
		var edges float64
		for _, n := range s.Values {
			edges += n
		}
		if edges != 60_000 {
			t.Errorf("row %d: %v edges", i, edges)
		}
	}
	for i, s := range column[*Spread](t, shards, "copies") {
		if replicated := i == 1; replicated != (s.Max > 1) {
			t.Errorf("row %d: copies %+v", i, s)
		}
	}
	ofLink, copied := column[*Spread](t, pipelines, "of link"), column[*Spread](t, pipelines, "copied B/s")
	for i, resident := range medians(t, pipelines, "on the GPU") {
		if streamed := i%2 == 1; streamed != (copied[i] != nil) || streamed != (ofLink[i] != nil) || streamed != (resident < 1) {
			t.Errorf("%v", pipelines.Rows[i])
		}
	}
	if got := medians(t, pipelines, "kernels"); len(got) != 6 {
		t.Errorf("pipelines: %v", got)
	}
	var table, picture bytes.Buffer
	if err := r.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"pull, replicated, R = 1 ", "link, both at once ", "pull of a shard "} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("no %q in\n%s", want, table.String())
		}
	}
	t.Log("\n" + table.String())
	one, err := MeasureGPU(t.Context(), graph, GPUOptions{GPU: device.EmulatedName, Rounds: 1, Threads: 2, Streams: 1})
	if err != nil {
		t.Fatal(err)
	}
	streams, batches := column[int](t, pipelines, "streams"), column[int](t, pipelines, "batches")[1]
	if got := column[int](t, tableOf(one, "pipeline"), "streams")[1]; got != 1 || streams[0] != 4 || streams[1] != 2 {
		t.Errorf("%v and %d streams", streams, got)
	}
	if got := column[int](t, tableOf(one, "pipeline"), "batches")[1]; got >= batches {
		t.Errorf("%d batches with one stream, %d with two", got, batches)
	}
	if err := r.WritePlot(&picture); err != nil {
		t.Fatal(err)
	}
	if image, err := png.Decode(&picture); err != nil || image.Bounds().Dx() < 500 {
		t.Errorf("the plot: %v", err)
	}
}
