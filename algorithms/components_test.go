package algorithms_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

// components are the oracle's labels and their number.
func components(g oracle.Graph) (labels []gas.VertexID, count int64) {
	for v, label := range oracle.WCC(g) {
		labels = append(labels, gas.VertexID(label))
		if label == uint32(v) {
			count++
		}
	}
	return labels, count
}

// sameComponents compares the components of a stored graph with the oracle's, with
// different numbers of threads, in memory and with the least memory.
func sameComponents(t testing.TB, s *store.Store, g oracle.Graph, turn int) {
	t.Helper()
	var ways []algorithms.Options
	for _, threads := range []int{1, 3, 16} {
		for _, memory := range []int64{0, starved} {
			for _, on := range []algorithms.Device{algorithms.CPU, algorithms.GPU} {
				ways = append(ways, algorithms.Options{Threads: threads, Memory: memory, Device: on, GPU: device.EmulatedName})
			}
		}
	}
	want, count := components(g)
	for _, o := range testsize.Some(ways, 5, turn) {
		got, report := run(t, s, algorithms.Components{}, o)
		if !slices.Equal(want, got) {
			t.Fatalf("%+v: %s", o, cmp.Diff(want, got))
		}
		if diff := cmp.Diff([]algorithms.Total{{Name: "components", Value: count}}, report.Totals); diff != "" {
			t.Fatal(diff)
		}
		if (report.GPU != "") != (o.Device == algorithms.GPU) {
			t.Fatalf("%+v: computed by GPU %q", o, report.GPU)
		}
	}
}

func TestComponents(t *testing.T) {
	for i, x := range testgraph.All() {
		for k, symmetric := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, symmetric %v", x.Name, symmetric), func(t *testing.T) {
				s := teststore.Build(t, x.Graph, teststore.Options{Layout: store.Packed, Symmetric: symmetric, ShardVertices: 100})
				sameComponents(t, s, x.Graph, i+2*k)
			})
		}
	}
}

// tangled is a graph of few large components, whose vertices are mixed by a permutation:
// in each a path through all vertices, from a third of them an edge to where it begins and
// a self-loop; a hub, the largest id of the components; and vertices without edges.
func tangled(vertices, parts uint32) oracle.Graph {
	g := oracle.Graph{N: int(vertices) + 10}
	at := func(k uint32) uint32 { return uint32(uint64(k) * 7919 % uint64(vertices)) } // 7919 is prime
	for k := parts; k < vertices; k++ {
		g.Edges = append(g.Edges, oracle.Edge{Src: at(k), Dst: at(k - parts)})
		if k%3 == 0 {
			g.Edges = append(g.Edges, oracle.Edge{Src: at(k - parts), Dst: at(k % parts)}, oracle.Edge{Src: at(k), Dst: at(k)})
		}
	}
	for k := uint32(0); k < vertices; k += parts {
		g.Edges = append(g.Edges, oracle.Edge{Src: vertices - 1, Dst: at(k)})
	}
	return g
}

// TestComponentsTangled links the same trees from many goroutines, over and over.
func TestComponentsTangled(t *testing.T) {
	for _, parts := range []uint32{1, 2, 7} {
		for _, symmetric := range []bool{false, true} {
			g := tangled(30_000, parts)
			s := teststore.Build(t, g, teststore.Options{Layout: store.Packed, Symmetric: symmetric, ShardVertices: 5000})
			want, _ := components(g)
			times := 20
			if !testsize.Long {
				times = 5
			}
			for range times {
				if got, _ := run(t, s, algorithms.Components{}, algorithms.Options{Threads: 8}); !slices.Equal(want, got) {
					t.Fatalf("%d parts, symmetric %v: %s", parts, symmetric, cmp.Diff(want, got))
				}
			}
		}
	}
}

// TestComponentsRandom compares components with those of an oracle on random graphs.
func TestComponentsRandom(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		g := testgraph.Draw(r)
		s, err := teststore.BuildIn(folder, g, teststore.Draw(r))
		if err != nil {
			r.Fatal(err)
		}
		defer s.Close()
		out, err := algorithms.Run(t.Context(), s, algorithms.Components{}, algorithms.Options{
			Threads: rapid.IntRange(1, 8).Draw(r, "threads"),
			GPU:     rapid.SampledFrom([]string{"", device.EmulatedName}).Draw(r, "GPU"),
		})
		if err != nil {
			r.Fatal(err)
		}
		defer out.Close()
		want, _ := components(g)
		if diff := cmp.Diff(want, out.Values); diff != "" {
			r.Fatal(diff)
		}
	})
}

func TestComponentsReal(t *testing.T) {
	for turn, name := range []string{"ego-Facebook", "as-Caida20071105", "soc-Slashdot0902"} {
		t.Run(name, func(t *testing.T) {
			_, g := testgraph.LoadEdges(t, name, false)
			sameComponents(t, teststore.Build(t, g, teststore.Options{Layout: store.Packed, ShardVertices: 1000}), g, turn)
		})
	}
}

// TestComponentsStarved checks that with the least budget every row is read once, as in memory.
func TestComponentsStarved(t *testing.T) {
	s := teststore.Build(t, tangled(30_000, 2), teststore.Options{ShardVertices: 1000})
	_, inMemory := run(t, s, algorithms.Components{}, algorithms.Options{Threads: 2})
	_, streamed := run(t, s, algorithms.Components{}, algorithms.Options{Threads: 2, Memory: starved})
	if !inMemory.InMemory || streamed.InMemory || streamed.Requested > inMemory.Requested {
		t.Errorf("read %d bytes in memory (%v), %d with little (%v)", inMemory.Requested, inMemory.InMemory,
			streamed.Requested, streamed.InMemory)
	}
}

// TestComponentsCancel checks that the run ends with the error of its context.
func TestComponentsCancel(t *testing.T) {
	s := teststore.Build(t, tangled(30_000, 2), teststore.Options{ShardVertices: 1000})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, err := algorithms.Run(ctx, s, algorithms.Components{},
		algorithms.Options{Threads: 2, Progress: func(algorithms.Progress) { cancel() }}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
