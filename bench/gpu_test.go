package bench

import (
	"bytes"
	"image/png"
	"math/rand/v2"
	"path/filepath"
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
	if r.Link.To <= 0 || r.Link.From <= 0 || r.Link.Both <= 0 || r.Ceiling.Four <= 0 || r.Ceiling.Eight <= 0 || r.Ceiling.Edges != 60_000 {
		t.Errorf("ceilings: %+v, %+v", r.Link, r.Ceiling)
	}
	if len(r.Kernels) != 7 || len(r.Replication) != 3 || len(r.Pipelines) != 6 || len(r.Notes) > 0 {
		t.Fatalf("%d kernels, %d ways, %d pipelines, notes %q", len(r.Kernels), len(r.Replication), len(r.Pipelines), r.Notes)
	}
	for _, k := range r.Kernels {
		if k.Seconds <= 0 || k.PerSecond <= 0 {
			t.Errorf("%+v", k)
		}
	}
	for i, x := range r.Replication {
		var edges float64
		for _, n := range x.Edges {
			edges += n
		}
		if edges != 60_000 || len(x.Shards) != 4 || len(x.PerEdge.Values) != 4 {
			t.Errorf("%s: %v edges, shards %v", x.Name, edges, x.Shards)
		}
		if replicated := i == 1; replicated != (x.Copies.Max > 1) {
			t.Errorf("%s: copies %+v", x.Name, x.Copies)
		}
	}
	for i, p := range r.Pipelines {
		if streamed := i%2 == 1; streamed != (p.Bytes > 0) || streamed != (p.OfLink != nil) || streamed != (p.Resident < 60_000) || p.Kernels == nil {
			t.Errorf("%+v", p)
		}
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
	if got := [3]int{one.Pipelines[1].Streams, r.Pipelines[0].Streams, r.Pipelines[1].Streams}; got != [3]int{1, 4, 2} || one.Pipelines[1].Batches >= r.Pipelines[1].Batches {
		t.Errorf("%v streams, %d and %d batches", got, one.Pipelines[1].Batches, r.Pipelines[1].Batches)
	}
	if err := r.WritePlot(&picture); err != nil {
		t.Fatal(err)
	}
	if image, err := png.Decode(&picture); err != nil || image.Bounds().Dx() < 500 {
		t.Errorf("the plot: %v", err)
	}
}
