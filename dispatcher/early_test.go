package dispatcher

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
)

// dangling returns a random graph of which a third of the vertices have no out-edges.
func dangling() oracle.Graph {
	rng := rand.New(rand.NewPCG(3, 3))
	g := oracle.Graph{N: 3000}
	for range 20000 {
		g.Edges = append(g.Edges, oracle.Edge{Src: rng.Uint32N(2000), Dst: rng.Uint32N(3000), Weight: 1})
	}
	return g
}

// TestEarlyBits checks that sums do not depend on how much the GPU had time to copy ahead.
func TestEarlyBits(t *testing.T) {
	s := teststore.Build(t, dangling(), teststore.Options{ShardVertices: 20})
	p := PageRank[float64]{PageRank: programs.PageRank[float64]{Damping: 0.85}}
	o := Options{Device: GPU, GPU: GPUOptions{Name: "emulated", Streams: 2}, Threads: 2, Iterations: 6,
		hooks: hooks{speeds: evenly, pageBytes: 1}}
	o.GPU.Memory = leastGPU(t, s, gas.Program[float64, int64](p), o) + 20<<10
	o.Progress = func(Iteration) { time.Sleep(time.Duration(rand.IntN(3)) * time.Millisecond) }
	var want []float64
	for range 20 {
		got, r, err := runJob[float64, int64](s, p, o)
		if err != nil || r.GPU.Lost != "" || r.Iterations[0].Traffic.BytesCopied == 0 {
			t.Fatal(err, r)
		}
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			t.Fatal("the same job gave other values")
		}
	}
}
