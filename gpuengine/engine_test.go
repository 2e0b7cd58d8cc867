package gpuengine

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/store"
)

// TestIterate compares the engine with a direct evaluation: a program with
// everything, along all directions, in both gathers, with chunks and slots of
// any size.
func TestIterate(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := testgraph.Draw(rt)
		symmetric := rapid.Bool().Draw(rt, "symmetric")
		weighted := rapid.Bool().Draw(rt, "weighted")
		s := teststore.Build(t, g, teststore.Options{
			Weighted: weighted, Symmetric: symmetric, ShardVertices: rapid.SampledFrom([]int{1, 7, 50, 1000}).Draw(rt,
				"vertices per shard"),
			Layout: rapid.SampledFrom(layouts).Draw(rt, "layout"),
		})
		if symmetric {
			g = teststore.Mirrored(g)
		}
		p := mix{Salt: 5, direction: rapid.SampledFrom([]gas.Direction{gas.In, gas.Out, gas.Both}).Draw(rt, "direction")}
		o := Options{
			Gather:     rapid.SampledFrom([]Gather{GatherReplicated, GatherSegmented}).Draw(rt, "gather"),
			Streams:    rapid.IntRange(1, 5).Draw(rt, "streams"),
			Shared:     rapid.SampledFrom([]int{8 * 3, 8 * 40, 48 << 10}).Draw(rt, "shared memory"),
			ChunkEdges: rapid.SampledFrom([]int{32, 100, 1 << 15}).Draw(rt, "edges of a chunk"),
		}
		if rapid.Bool().Draw(rt, "starved") {
			o.Memory = leastMemory(t, s, p, o) + int64(rapid.SampledFrom([]int{0, 3000, 30000}).Draw(rt, "more"))
		}
		testIterate(t, s, g, p, o, page.Options{
			PageBytes: rapid.SampledFrom([]int64{0, 1}).Draw(rt, "bytes of a page"), // a byte: each shard is one
			Budget:    rapid.SampledFrom([]int64{0, 1}).Draw(rt, "memory of pages"), // a byte: the least one
		})
	})
}

// layouts are those of graphs.
var layouts = []store.Layout{store.CSC, store.Packed}

// TestFullSlots checks that a device that works alone gets pages that stay in memory in as many
// batches whatever their size, and those from disk each in one at least.
func TestFullSlots(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	g := oracle.Graph{N: 2000}
	for range 40000 {
		g.Edges = append(g.Edges, oracle.Edge{Src: rng.Uint32N(2000), Dst: rng.Uint32N(2000)})
	}
	s := teststore.Build(t, g, teststore.Options{ShardVertices: 20})
	p := mix{direction: gas.In}
	o := Options{Streams: 2}
	o.Memory = leastMemory(t, s, p, o) + 100<<10
	batches := func(po page.Options) (n int) {
		r := newRig(t, s, gas.Program[value, sum](p), o, po)
		defer r.close(t)
		if _, err := r.step(gas.Step{}); err != nil {
			t.Fatal(err)
		}
		for _, x := range r.Times() {
			if x.Bytes > 0 {
				n++
			}
		}
		return n
	}
	large, small := batches(page.Options{}), batches(page.Options{PageBytes: 1})
	fromDisk := batches(page.Options{PageBytes: 1, Budget: 1})
	t.Logf("%d batches of large pages, %d of small ones, %d from disk", large, small, fromDisk)
	if small > large || small == 0 || small > 20 || fromDisk < 60 {
		t.Errorf("%d batches of large pages, %d of small ones, %d from disk", large, small, fromDisk)
	}
}

// leastMemory is the smallest budget that New accepts.
func leastMemory(t testing.TB, s *store.Store, p mix, o Options) int64 {
	t.Helper()
	o.Memory = 1
	var need *NeedError
	if _, err := New(device.NewEmulated(device.EmulatedOptions{}), gas.Program[value, sum](p), nil, s.Catalogue(),
		o); !errors.As(err, &need) {
		t.Fatalf("a byte of memory: %v", err)
	}
	return need.Least()
}

func testIterate(t *testing.T, s *store.Store, g oracle.Graph, p mix, o Options, po page.Options) {
	t.Helper()
	r := newRig(t, s, gas.Program[value, sum](p), o, po)
	defer r.close(t)
	if o.Memory > 0 && r.device.Peak() > o.Memory {
		t.Fatalf("%d bytes of the device are in use, %d allowed", r.device.Peak(), o.Memory)
	}
	all := everyVertex(t, s)
	cur := make([]value, len(all))
	for i, v := range all {
		cur[i], _ = p.Init(v)
	}
	step := gas.Step{Aggregate: 0.5}
	for range 4 {
		next, want, sum, rises := direct(s, g, p, all, cur, step)
		got, err := r.step(step)
		if err != nil {
			t.Fatal(err)
		}
		got.Pages, got.Bytes, got.Edges = 0, 0, 0
		if got != want || r.aggregate() != sum {
			t.Fatalf("iteration %d: got %+v, want %+v", step.Iteration, got, want)
		}
		if err := r.fetch(); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(r.arrays.Cur, next) {
			t.Fatalf("iteration %d: values differ", step.Iteration)
		}
		for v := range all {
			if r.arrays.Active.Has(uint32(v)) != rises[v] {
				t.Fatalf("iteration %d: vertex %d is active: %v", step.Iteration, v, !rises[v])
			}
		}
		cur = next
		step = gas.Step{Iteration: step.Iteration + 1, Aggregate: sum}
	}
}

// direct does one iteration the plain way.
func direct(s *store.Store, g oracle.Graph, p mix, all []gas.Vertex, cur []value, step gas.Step) (next []value,
	stats Stats, aggregate float64, rises []bool) {
	acc := make([]sum, len(all))
	for v := range acc {
		acc[v] = p.Zero()
	}
	cat := s.Catalogue()
	add := func(to, from uint32, weight float32) {
		acc[to] = p.Sum(acc[to], p.Gather(cur[from], gas.Edge{Weight: float64(weight)}, cur[to]))
	}
	for _, e := range g.Edges {
		weight := float32(1)
		if cat.Weighted {
			weight = e.Weight
		}
		if p.direction != gas.Out || cat.Symmetric {
			add(e.Dst, e.Src, weight)
		}
		if p.direction != gas.In && !cat.Symmetric {
			add(e.Src, e.Dst, 1)
		}
	}
	next, rises = slices.Clone(cur), make([]bool, len(all))
	for i, v := range all {
		if !p.Settled(cur[i], step) {
			next[i] = p.Apply(v, cur[i], acc[i], step)
			stats.Vertices++
			if rises[i] = p.Activate(v, cur[i], next[i]); rises[i] {
				stats.Activated++
				stats.Degrees += uint64(notifies(v, p.direction, cat.Symmetric))
			}
		}
		aggregate += p.Aggregate(v, next[i])
	}
	return next, stats, aggregate, rises
}

// fails has a fault in the method of this name.
type fails struct{ Method string }

func (f fails) at(method string) uint32 {
	zero := uint32(0)
	if f.Method == method {
		return 1 / zero
	}
	return 1
}

func (f fails) Init(gas.Vertex) (uint32, bool)                     { return 0, true }
func (f fails) Zero() uint32                                       { return f.at("Zero") }
func (f fails) Gather(uint32, gas.Edge, uint32) uint32             { return f.at("Gather") }
func (f fails) Sum(_, b uint32) uint32                             { return f.at("Sum") + b }
func (f fails) Apply(_ gas.Vertex, _, a uint32, _ gas.Step) uint32 { return f.at("Apply") }
func (f fails) Activate(_ gas.Vertex, old, now uint32) bool        { return f.at("Activate") > 0 }
func (f fails) Fragments() compiled.Fragments {
	return compiled.Fragments{Program: "fails", Value: compiled.Layout{Size: 4}, Accumulator: compiled.Layout{Size: 4},
		Parameters: compiled.Layout{Size: 16}}
}

// TestFault checks that what would be a panic ends as an error that names the program, the
// fault and the iteration, and the engine goes no further.
func TestFault(t *testing.T) {
	s := teststore.Build(t, testgraph.Complete(), teststore.Options{ShardVertices: 2})
	for _, method := range []string{"Zero", "Gather", "Sum", "Apply", "Activate"} {
		t.Run(method, func(t *testing.T) {
			r := newRig(t, s, gas.Program[uint32, uint32](fails{method}), Options{}, page.Options{})
			defer r.close(t)
			_, err := r.step(gas.Step{Iteration: 2})
			const want = "GPU emulated on the CPU, iteration 3: program gpuengine.fails: integer division by zero"
			if err == nil || err.Error() != want {
				t.Fatalf("got %v, want %s", err, want)
			}
			if _, err := r.step(gas.Step{Iteration: 3}); err == nil {
				t.Fatal("it went on")
			}
		})
	}
}

// TestSteady checks that iterations take nothing of the device; spans and times cover all
// that was copied and gathered, and each stream does one thing at a time.
func TestSteady(t *testing.T) {
	g := oracle.Graph{N: 400}
	for v := range uint32(g.N) {
		for k := range uint32(30) {
			g.Edges = append(g.Edges, oracle.Edge{Src: v, Dst: (v + k*k) % uint32(g.N)})
		}
	}
	s := teststore.Build(t, g, teststore.Options{ShardVertices: 60})
	var spans []Span
	o := Options{ChunkEdges: 64, Streams: 2, Trace: func(s Span) { spans = append(spans, s) }}
	p := mix{direction: gas.In}
	o.Memory = leastMemory(t, s, p, o) + 60<<10
	r := newRig(t, s, gas.Program[value, sum](p), o, page.Options{})
	defer r.close(t)
	iterate := func(i int) Stats {
		stats, err := r.step(gas.Step{Iteration: i})
		if err != nil {
			t.Fatal(err)
		}
		return stats
	}
	iterate(0)
	calls := r.device.Calls(device.FaultAlloc)
	for i := range 5 {
		spans = spans[:0]
		stats := iterate(i + 1)
		var edges uint64
		var bytes int64
		for _, x := range spans {
			edges += x.Edges
			bytes += x.Bytes
			if x.Start < 0 || x.End < x.Start {
				t.Errorf("%+v ends before it begins", x)
			}
		}
		if stats.Edges != uint64(len(g.Edges)) || edges != stats.Edges || bytes != stats.Bytes || bytes == 0 ||
			r.Resident() == 0 {
			t.Errorf("%+v; %d edges and %d bytes in spans, %d resident edges", stats, edges, bytes, r.Resident())
		}
		slices.SortFunc(spans, func(a, b Span) int {
			return cmp.Or(cmp.Compare(a.Stream, b.Stream), cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
		})
		for k := 1; k < len(spans); k++ {
			if a, b := spans[k-1], spans[k]; a.Stream == b.Stream && a.End > b.Start {
				t.Errorf("%+v and %+v overlap", a, b)
			}
		}
		if len(r.Times()) != stats.Pages {
			t.Errorf("%d times of %d pages", len(r.Times()), stats.Pages)
		}
	}
	if n := r.device.Calls(device.FaultAlloc) - calls; n != 0 {
		t.Errorf("five iterations made %d allocations", n)
	}
}

// TestFragmentsOf checks that fragments of another type, or of another time, are refused.
func TestFragmentsOf(t *testing.T) {
	if _, err := FragmentsOf(gas.Program[value, sum](mix{})); err != nil {
		t.Error(err)
	}
	if _, err := FragmentsOf(gas.Program[value, sum](&mix{})); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		p    gas.Program[value, sum]
		want string
	}{
		{embedding{}, "its fragments are those of mix, not of embedding"},
		{stale{}, "its fragments are out of date"},
	} {
		if _, err := FragmentsOf(c.p); !errors.Is(err, ErrUnfit) || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

type embedding struct{ mix }

type stale struct{ mix }

func (stale) Fragments() compiled.Fragments {
	f := mix{}.Fragments()
	f.Program, f.Value.Size = "stale", 12
	return f
}

// TestParameters checks that the fields that methods read stand where fragments expect
// them; others are left out.
func TestParameters(t *testing.T) {
	p := mix{Salt: 0x0102030405060708, direction: gas.Both}
	want := []byte{8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0}
	for _, x := range []any{p, &p} {
		if got := parameters(x, p.Fragments().Parameters); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

// TestLaunchesRefused checks that kernels are not launched one by one where edges are streamed.
func TestLaunchesRefused(t *testing.T) {
	s := teststore.Build(t, largeGraph(1), teststore.Options{ShardVertices: 4})
	p := mix{direction: gas.In}
	for _, o := range []Options{{}, {Memory: leastMemory(t, s, p, Options{}) + 20<<10}} {
		r := newRig(t, s, gas.Program[value, sum](p), o, page.Options{})
		if _, err := r.Launches(r.Engine.arrays.main); err == nil {
			t.Error("kernels are launched over edges that are not there")
		}
		if err := r.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, err := r.Launches(r.Engine.arrays.main)
		if refused := err != nil; refused != (r.Resident() < s.Catalogue().Edges) {
			t.Errorf("%+v: %d of %d edges stay, error %v", o, r.Resident(), s.Catalogue().Edges, err)
		}
		r.close(t)
	}
}
