package dispatcher

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testprograms"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
)

// dangling is a random graph of which a third of the vertices have no out-edges.
func dangling() oracle.Graph {
	rng := rand.New(rand.NewPCG(3, 3))
	g := oracle.Graph{N: 3000}
	for range 20000 {
		g.Edges = append(g.Edges, oracle.Edge{Src: rng.Uint32N(2000), Dst: rng.Uint32N(3000), Weight: 1})
	}
	return g
}

// TestEarlyBits: sums do not depend on how much the GPU had time to copy ahead.
func TestEarlyBits(t *testing.T) {
	s := teststore.Build(t, dangling(), teststore.Options{ShardVertices: 20})
	p := testprograms.PageRank[float64]{PageRank: programs.PageRank[float64]{Damping: 0.85}}
	o := Options{Device: GPU, GPU: GPUOptions{Name: "emulated", Streams: 2}, Threads: 2, Iterations: 6, hooks: hooks{speeds: evenly, pageBytes: 1}}
	o.GPU.Memory = leastGPU(t, s, gas.Program[float64, int64](p), o) + 20<<10
	o.Progress = func(Iteration) { time.Sleep(time.Duration(rand.IntN(3)) * time.Millisecond) }
	var want []float64
	for range 20 {
		got, r, err := runJob[float64, int64](s, p, o)
		if err != nil || r.Lost != "" || r.Iterations[0].BytesCopied == 0 {
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

// TestEarlyForNobody: an error of a copy that no iteration needed any more is none of the
// job.
func TestEarlyForNobody(t *testing.T) {
	s := teststore.Build(t, manyEdges(), teststore.Options{ShardVertices: 50})
	o := Options{Device: GPU, GPU: GPUOptions{Name: "emulated"}, Threads: 1, hooks: hooks{speeds: evenly, pageBytes: 1}}
	o.GPU.Memory = leastGPU(t, s, testprograms.WCC{}, o) + 48<<10
	ended := 0
	for _, op := range []device.FaultOp{device.FaultCopy, device.FaultEvent, device.FaultRun} {
		sound := device.NewEmulated(device.EmulatedOptions{})
		if _, _, err := runOn(t, s, o, sound); err != nil {
			t.Fatal(err)
		}
		for n := max(1, sound.Calls(op)-40); n <= sound.Calls(op); n++ {
			core, logs := observer.New(zap.DebugLevel)
			o := o
			o.Log = zap.New(core)
			o.Progress = func(Iteration) { time.Sleep(time.Millisecond) }
			_, r, err := runOn(t, s, o, device.NewEmulated(device.EmulatedOptions{Faults: []device.EmulatedFault{{Op: op, N: n}}}))
			if err != nil || r.Lost != "" {
				continue
			}
			ended++
			for _, l := range logs.FilterMessage("the memory of the job was not all given back").All() {
				t.Errorf("%s %d: %s: %v", op, n, l.Message, l.ContextMap()["error"])
			}
		}
	}
	if ended == 0 {
		t.Error("no job ended with a fault that nobody noticed")
	}
}
