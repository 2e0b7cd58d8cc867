package dispatcher

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testprograms"
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// star has n in-edges of one vertex, which no chunk can hold.
func star(n int) oracle.Graph {
	g := oracle.Graph{N: n + 1}
	hub := uint32(n / 2)
	for v := range uint32(n + 1) {
		if v != hub {
			g.Edges = append(g.Edges, oracle.Edge{Src: v, Dst: hub, Weight: float32(v%16 + 1)})
		}
	}
	g.Edges = append(g.Edges, oracle.Edge{Src: hub, Dst: 1, Weight: 3})
	return g
}

// scattered has n vertices with random edges, most of them of few.
func scattered(n, edges int) oracle.Graph {
	rng := rand.New(rand.NewPCG(1, 2))
	g := oracle.Graph{N: n}
	for range edges {
		e := oracle.Edge{Src: uint32(rng.IntN(n)), Dst: uint32(rng.IntN(n)), Weight: float32(rng.IntN(16))}
		if rng.IntN(4) > 0 {
			e.Dst %= uint32(n / 64)
		}
		g.Edges = append(g.Edges, e)
	}
	return g
}

// TestGPULarge: graphs of many chunks, that the device holds, partly holds, or
// has to stream.
func TestGPULarge(t *testing.T) {
	for _, c := range []struct {
		name  string
		graph oracle.Graph
	}{{"star", star(150_000)}, {"scattered", scattered(20_000, 200_000)}} {
		want := largeWantedOf(c.graph)
		s := teststore.Build(t, c.graph, teststore.Options{Weighted: true, ShardVertices: shard.DefaultVertices})
		for turn, gather := range []gpuengine.Gather{gpuengine.GatherReplicated, gpuengine.GatherAuto} {
			for _, more := range testsize.Some([]int64{-1, 0, 600 << 10}, 2, turn) {
				name := fmt.Sprintf("%s/%s/%d bytes more than least", c.name, gather, more)
				t.Run(name, func(t *testing.T) {
					testLarge(t, s, want, Options{Device: GPU, GPU: GPUOptions{Name: "emulated", Gather: gather}, Threads: 2, Mode: Sync}, more)
				})
			}
		}
	}
}

// largeWanted is what the oracles say of a graph, from a source and after three
// iterations of PageRank.
type largeWanted struct {
	source      uint32
	hops        []int64
	dist        []float64
	labels, out []uint32
	ranks       []float64
}

func largeWantedOf(g oracle.Graph) *largeWanted {
	source := g.Edges[0].Src
	_, out := oracle.Degrees(g)
	return &largeWanted{source, oracle.BFS(g, source), oracle.SSSP(g, source), oracle.WCC(g), out, oracle.PageRank(g, 0.85, -1, 3, 0)}
}

func testLarge(t *testing.T, s *store.Store, want *largeWanted, o Options, more int64) {
	bfs := testprograms.BFS{BFS: programs.BFS{Source: want.source}}
	for v, x := range large[uint32, uint32](t, s, bfs, o, more) {
		if got := bfs.Result(gas.Vertex{}, x); got != want.hops[v] {
			t.Fatalf("bfs of vertex %d: got %d, want %d", v, got, want.hops[v])
		}
	}
	for v, x := range large[float32, float32](t, s, testprograms.SSSP[float32]{SSSP: programs.SSSP[float32]{Source: want.source}}, o, more) {
		if !near(float64(x), want.dist[v], 1e-5) {
			t.Fatalf("sssp of vertex %d: got %v, want %v", v, x, want.dist[v])
		}
	}
	for v, x := range large[uint32, uint32](t, s, testprograms.WCC{}, o, more) {
		if x != want.labels[v] {
			t.Fatalf("wcc of vertex %d: got %d, want %d", v, x, want.labels[v])
		}
	}
	o.Iterations = 3
	rank := programs.PageRank[float32]{Damping: 0.85}
	compareRanks(t, rank, large[float32, int64](t, s, testprograms.PageRank[float32]{PageRank: rank}, o, more), want.out, want.ranks, 1e-6)
}

// large runs a program with so much more than the least memory; -1: with all.
func large[V, A any](t *testing.T, s *store.Store, p gas.Program[V, A], o Options, more int64) []V {
	t.Helper()
	if more >= 0 {
		o.GPU.Memory = leastGPU(t, s, p, o) + more
	}
	j, err := New(s, p, o)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	r, err := j.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if streamed := r.Iterations[0].BytesCopied > 0; streamed != (more >= 0) {
		t.Fatalf("%T: streamed %v: %+v", p, streamed, r.Iterations[0])
	}
	var values []V
	err = j.Values(func(_ []gas.Vertex, some []V) error {
		values = append(values, some...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return values
}

// TestGPUSmallBudget: 10⁵ vertices in 2 MiB of device memory, whatever the
// built-in program, and the same results as on the CPU.
func TestGPUSmallBudget(t *testing.T) {
	g := scattered(100_000, 300_000)
	s := teststore.Build(t, g, teststore.Options{ShardVertices: shard.DefaultVertices})
	cpu := Options{Device: CPU, Mode: Sync, Method: Pull, Iterations: 3, Threads: 2}
	gpu := Options{Device: GPU, GPU: GPUOptions{Name: "emulated", Memory: 2 << 20}, Mode: Sync, Iterations: 3, Threads: 2}
	same(t, s, gas.Program[uint32, uint32](testprograms.BFS{}), cpu, gpu, func(a, b uint32) bool { return a == b })
	same(t, s, gas.Program[uint32, uint32](testprograms.WCC{}), cpu, gpu, func(a, b uint32) bool { return a == b })
	same(t, s, gas.Program[float32, float32](testprograms.SSSP[float32]{}), cpu, gpu, func(a, b float32) bool { return a == b })
	rank := testprograms.PageRank[float32]{PageRank: programs.PageRank[float32]{Damping: 0.85}}
	same(t, s, gas.Program[float32, int64](rank), cpu, gpu, func(a, b float32) bool { return near(float64(a), float64(b), 1e-5) })
}

func same[V, A any](t *testing.T, s *store.Store, p gas.Program[V, A], a, b Options, equal func(a, b V) bool) {
	t.Helper()
	var results [2][]V
	for i, o := range []Options{a, b} {
		j, err := New(s, p, o)
		if err != nil {
			t.Fatalf("%T: %v", p, err)
		}
		defer j.Close()
		if _, err := j.Run(context.Background()); err != nil {
			t.Fatalf("%T: %v", p, err)
		}
		err = j.Values(func(_ []gas.Vertex, some []V) error {
			results[i] = append(results[i], some...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for v := range results[0] {
		if !equal(results[0][v], results[1][v]) {
			t.Fatalf("%T: vertex %d: %v on the CPU, %v on the GPU", p, v, results[0][v], results[1][v])
		}
	}
}
