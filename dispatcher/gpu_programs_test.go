package dispatcher_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// trial compares the values V of a program on a GPU with values W on the CPU.
type trial[V, W any] struct {
	same func(got V, want W) bool
	// steps is the number of iterations a sync job has; if 0, until no vertex is active,
	// as every async one.
	steps int
	// limit is the number of iterations an async job has at most; if 0, no limit.
	limit int
	// loose is what holds in async mode of a program whose result depends on the
	// order of its steps; if nil, it doesn't.
	loose func(V) bool
}

// try runs a program in all ways, and its reference on the CPU.
func try[V, W, A, B any](t *testing.T, x *subject, name string, p gas.Program[V, A], reference gas.Program[W, B],
	r trial[V, W]) {
	t.Run(name, func(t *testing.T) {
		want := onCPU(t, x, reference, r.steps)
		settled := want
		if r.steps > 0 && r.loose == nil {
			settled = onCPU(t, x, reference, r.limit)
		}
		for _, w := range x.ways() {
			async := w.mode == dispatcher.Async
			expected, iterations := want, r.steps
			if async {
				expected, iterations = settled, r.limit
			}
			for v, got := range onGPU(t, x, p, w, iterations) {
				switch {
				case async && r.loose != nil:
					if !r.loose(got) {
						t.Fatalf("%s: vertex %d: got %v", w, v, got)
					}
				case !r.same(got, expected[v]):
					t.Fatalf("%s: vertex %d: got %v, want %v", w, v, got, expected[v])
				}
			}
		}
	})
}

func equal[V comparable](got, want V) bool { return got == want }

// within 1e-5, relative.
func within[V, W float32 | float64](got V, want W) bool {
	x, y := float64(got), float64(want)
	return x == y || math.Abs(x-y) <= 1e-5*math.Abs(y)+1e-36
}

// tryAll holds every program of package programs, on the device of a subject,
// against the CPU: integers are equal, floats within 1e-5 of the same program
// in 64 bits, or with its sums in 64 bits.
func tryAll(t *testing.T, x *subject) {
	const steps, limit = 10, 120
	unsigned, widths := trial[uint32, uint32]{same: equal[uint32]}, trial[float32, float32]{same: equal[float32]}
	try(t, x, "bfs", gas.Program[uint32, uint32](programs.BFS{Source: x.source}),
		gas.Program[uint32, uint32](programs.BFS{Source: x.source}), unsigned)
	try(t, x, "wcc", gas.Program[uint32, uint32](programs.WCC{}), gas.Program[uint32, uint32](programs.WCC{}), unsigned)
	core := gas.Program[uint32, uint32](programs.KCore{K: uint32(2 + len(x.graph.Edges)/x.graph.N)})
	try(t, x, "kcore", core, core, unsigned)
	widest := gas.Program[float32, float32](programs.SSWP[float32]{Source: x.source})
	try(t, x, "sswp", widest, widest, widths)

	lengths := gas.Program[float64, float64](programs.SSSP[float64]{Source: x.source})
	try(t, x, "sssp", gas.Program[float32, float32](programs.SSSP[float32]{Source: x.source}), lengths,
		trial[float32, float64]{same: within[float32, float64]})
	try(t, x, "sssp64", lengths, lengths, trial[float64, float64]{same: within[float64, float64]})

	// Not until nothing changes: the last bit may never come to rest.
	narrow, wide := trial[float32, float64]{same: within[float32, float64], steps: steps, limit: limit},
		trial[float64, float64]{same: within[float64, float64], steps: steps, limit: limit}
	rank := gas.Program[float64, int64](programs.PageRank[float64]{Damping: 0.85})
	try(t, x, "pagerank", gas.Program[float32, int64](programs.PageRank[float32]{Damping: 0.85}), rank, narrow)
	try(t, x, "pagerank64", rank, rank, wide)
	// Sums in fixed point: bit for bit the CPU's where the iterations are the same.
	single := gas.Program[float32, int64](programs.PageRank[float32]{Damping: 0.85})
	try(t, x, "pagerank's bits", single, single, trial[float32, float32]{same: equal[float32], steps: steps, limit: steps,
		loose: func(float32) bool { return true }})
	try(t, x, "pagerank64's bits", rank, rank, trial[float64, float64]{same: equal[float64], steps: steps, limit: steps,
		loose: func(float64) bool { return true }})
	mine := gas.Program[float64, int64](programs.PageRank[float64]{Damping: 0.5, Personalised: true, Source: x.source})
	try(t, x, "personalised", gas.Program[float32, int64](programs.PageRank[float32]{Damping: 0.5, Personalised: true,
		Source: x.source}), mine, narrow)
	alpha := 0.5 / float64(max(x.most, 1)) // the largest eigenvalue is at most the largest in-degree
	katz := gas.Program[float64, float64](programs.Katz[float64]{Alpha: alpha, Beta: 1})
	try(t, x, "katz", gas.Program[float32, float64](programs.Katz[float32]{Alpha: alpha, Beta: 1}), katz, narrow)
	try(t, x, "katz64", katz, katz, wide)
	neural := gas.Program[float32, float64](programs.Neural{Gain: 0.5 / max(x.heavy, 1), Bias: 0.1})
	try(t, x, "neural", neural, neural, trial[float32, float32]{same: within[float32, float32], steps: steps,
		limit: limit})

	// Each step of these counts, so that in async mode the order does.
	heat := gas.Program[float32, programs.Flow](programs.Heat{Source: x.source, Step: 0.01})
	try(t, x, "heat", heat, heat, trial[float32, float32]{same: within[float32, float32], steps: steps, limit: steps,
		loose: func(got float32) bool { return got >= 0 && got <= 1 }})
	circuit := gas.Program[programs.Node, programs.Branch](programs.Circuit{Source: x.source, Ground: x.ground, Volts: 12})
	try(t, x, "circuit", circuit, circuit, trial[programs.Node, programs.Node]{
		same:  func(got, want programs.Node) bool { return got.Held == want.Held && within(got.Volts, want.Volts) },
		steps: steps, limit: steps, loose: func(got programs.Node) bool { return got.Volts >= 0 && got.Volts <= 12 },
	})
	labels := gas.Program[programs.Ballot, programs.Votes](programs.LPA{Seed: 7})
	try(t, x, "lpa", labels, labels, trial[programs.Ballot, programs.Ballot]{
		same: equal[programs.Ballot], steps: steps, limit: steps,
		loose: func(got programs.Ballot) bool { return int(got.Label) < x.graph.N },
	})
	tryOracle(t, x)
}

// tryOracle compares PageRank on both processors with plain serial sums of 64
// bits: on a star they are the hardest.
func tryOracle(t *testing.T, x *subject) {
	t.Run("pagerank of the oracle", func(t *testing.T) {
		const steps = 5
		want := oracle.PageRank(x.graph, 0.85, -1, steps, 0)
		_, out := oracle.Degrees(x.graph)
		p := programs.PageRank[float32]{Damping: 0.85}
		hold := func(where string, values []float32) {
			for v, value := range values {
				if got := p.Result(gas.Vertex{Out: out[v]}, value); !within(got, want[v]) {
					t.Fatalf("%s: vertex %d: got %v, want %v", where, v, got, want[v])
				}
			}
		}
		hold("CPU", onCPU(t, x, gas.Program[float32, int64](p), steps))
		for _, w := range x.ways() {
			if w.mode == dispatcher.Sync {
				hold(w.String(), onGPU(t, x, gas.Program[float32, int64](p), w, steps))
			}
		}
	})
}

// layouts are those of graphs.
var layouts = []store.Layout{store.CSC, store.Packed}

// tryNamed does so on the named graphs.
func tryNamed(t *testing.T, gpu string) {
	for turn, named := range testgraph.All() {
		for _, layout := range testsize.Some(layouts, 2, turn) {
			t.Run(named.Name+"/"+string(layout), func(t *testing.T) {
				tryAll(t, subjectOf(t, teststore.Build(t, named.Graph, teststore.Options{Weighted: true, Wide: turn%2 == 1,
					Layout: layout}), gpu))
			})
		}
	}
}

// TestGPUPrograms checks that all programs on the emulated device give what they give on
// the CPU. The tests with the tag cuda do the same on a GPU, with larger graphs.
func TestGPUPrograms(t *testing.T) {
	tryNamed(t, device.EmulatedName)
	t.Run("random", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 4))
		g := oracle.Graph{N: 2500}
		for range 15_000 {
			g.Edges = append(g.Edges, oracle.Edge{Src: uint32(rng.IntN(g.N)), Dst: uint32(rng.IntN(1 + rng.IntN(g.N))),
				Weight: float32(1 + rng.IntN(16))})
		}
		// So many pages that a GPU leaves some to the CPU, however late that begins.
		x := subjectOf(t, teststore.Build(t, g, teststore.Options{Weighted: true, Wide: true, ShardVertices: 200,
			Layout: store.Packed}), device.EmulatedName)
		x.streams = true
		tryAll(t, x)
	})
	t.Run("star", func(t *testing.T) { // whose hub has more in-edges than a block takes
		g := oracle.Graph{N: 150_000, Edges: []oracle.Edge{{Src: 0, Dst: 1, Weight: 3}}}
		for v := range uint32(g.N - 1) {
			g.Edges = append(g.Edges, oracle.Edge{Src: v + 1, Dst: 0, Weight: float32(v%16 + 1)})
		}
		x := subjectOf(t, teststore.Build(t, g, teststore.Options{Weighted: true, ShardVertices: shard.DefaultVertices,
			Layout: store.Packed}), device.EmulatedName)
		x.streams = false // the page that has nearly all edges stays
		tryOracle(t, x)
	})
}

// TestGPUPlainRows checks that programs with accumulators of more than 8 bytes give over a packed
// graph, whose pages hold plain rows then, what the CPU gives over the rows of the other
// layout. Under auto the GPU takes part.
func TestGPUPlainRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	g := oracle.Graph{N: 3000}
	for range 120_000 {
		g.Edges = append(g.Edges, oracle.Edge{Src: uint32(rng.IntN(g.N)), Dst: uint32(rng.IntN(1 + rng.IntN(g.N))),
			Weight: float32(1+rng.IntN(16)) / 16})
	}
	for _, symmetric := range []bool{false, true} {
		o := teststore.Options{Weighted: true, Symmetric: symmetric, ShardVertices: 500, Layout: store.CSC}
		rows := subjectOf(t, teststore.Build(t, g, o), device.EmulatedName)
		o.Layout = store.Packed
		x := subjectOf(t, teststore.Build(t, g, o), device.EmulatedName)
		x.source, x.ground = rows.source, rows.ground
		tryPlain(t, x, rows, gas.Program[float32, programs.Flow](programs.Heat{Source: x.source, Step: 1e-4}),
			within[float32, float32])
		tryPlain(t, x, rows, gas.Program[programs.Node, programs.Branch](programs.Circuit{Source: x.source, Ground: x.ground,
			Volts: 12}), func(got, want programs.Node) bool {
			return got.Held == want.Held && within(got.Volts, want.Volts)
		})
		tryPlain(t, x, rows, gas.Program[programs.Ballot, programs.Votes](programs.LPA{Seed: 7}), equal[programs.Ballot])
	}
}

func tryPlain[V, A any](t *testing.T, x, rows *subject, p gas.Program[V, A], same func(got, want V) bool) {
	t.Helper()
	const steps = 6
	want := onCPU(t, rows, p, steps)
	for _, w := range x.ways() {
		if w.mode != dispatcher.Sync {
			continue
		}
		for v, got := range onGPU(t, x, p, w, steps) {
			if !same(got, want[v]) {
				t.Fatalf("%T, %s: vertex %d: got %v, want %v", p, w, v, got, want[v])
			}
		}
	}
	if _, r := valuesOf(t, x, p, dispatcher.Options{GPU: dispatcher.GPUOptions{Name: x.gpu},
		Iterations: steps}); r.GPU.Without != "" || r.GPU.Name == "" {
		t.Errorf("%T, auto: without the GPU: %q", p, r.GPU.Without)
	}
}
