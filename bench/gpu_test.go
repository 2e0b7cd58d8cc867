package bench

import (
	"bytes"
	"encoding/xml"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

// TestMeasureGPU: on the emulated device, every figure is there: three ways to
// gather along rows, and three programs along packed edges, one of them in two ways,
// with all edges on the device and streamed, every shard with edges, and
// copies of accumulators by the formula in one of the ways.
func TestMeasureGPU(t *testing.T) {
	t.Run("csc", func(t *testing.T) { testMeasureGPU(t, store.CSC, 3, 1, "pull, replicated, R = 1 ") })
	t.Run("packed", func(t *testing.T) { testMeasureGPU(t, store.Packed, 4, 2, "pull, Katz, R = 1 ") })
}

// testMeasureGPU: there are so many subjects, of which one has copies.
func testMeasureGPU(t *testing.T, layout store.Layout, subjects, copied int, row string) {
	graph := graphOf(t, layout)
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
	if got := column[int](t, shards, "shards"); !slices.Equal(got, slices.Repeat([]int{4}, subjects)) {
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
		if replicated := i == copied; replicated != (s.Max > 1) {
			t.Errorf("row %d: copies %+v", i, s)
		}
	}
	ofLink, perSecond := column[*Spread](t, pipelines, "of link"), column[*Spread](t, pipelines, "copied B/s")
	for i, resident := range medians(t, pipelines, "on the GPU") {
		if streamed := i%2 == 1; streamed != (perSecond[i] != nil) || streamed != (ofLink[i] != nil) || streamed != (resident < 1) {
			t.Errorf("%v", pipelines.Rows[i])
		}
	}
	if got := medians(t, pipelines, "kernels"); len(got) != 2*subjects {
		t.Errorf("pipelines: %v", got)
	}
	var table, picture bytes.Buffer
	if err := r.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{row, "link, both at once ", "pull of a shard "} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("no %q in\n%s", want, table.String())
		}
	}
	t.Log("\n" + table.String())
	if err := r.WritePlot(&picture); err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(picture.Bytes(), new(struct{})); err != nil || strings.Count(picture.String(), "<path") < 5 {
		t.Errorf("the plot: %v\n%s", err, &picture)
	}
}

// TestMeasureGPUStreams: fewer streams share the memory of the streamed edges in fewer
// and larger slots.
func TestMeasureGPUStreams(t *testing.T) {
	graph := graphOf(t, store.CSC)
	var streams, batches [2]int
	for i, n := range []int{0, 1} {
		r, err := MeasureGPU(t.Context(), graph, GPUOptions{GPU: device.EmulatedName, Rounds: 1, Threads: 2, Streams: n})
		if err != nil {
			t.Fatal(err)
		}
		streams[i], batches[i] = column[int](t, tableOf(r, "pipeline"), "streams")[1], column[int](t, tableOf(r, "pipeline"), "batches")[1]
	}
	if streams != [2]int{2, 1} || batches[1] >= batches[0] {
		t.Errorf("%d streams with %d batches", streams, batches)
	}
}

// graphOf is a graph of 6 shards, two of which have no edges.
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
