package cpuengine

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/vertices"
	"github.com/garaph/garaph/programs"
)

// rowsOf are the rows of a graph's out-edges, and of its in-edges.
func rowsOf(g oracle.Graph, weighted bool) (out, in *frontier.Rows) {
	turned := make([]oracle.Edge, len(g.Edges))
	for i, e := range g.Edges {
		turned[i] = oracle.Edge{Src: e.Dst, Dst: e.Src, Weight: e.Weight}
	}
	make := func(edges []oracle.Edge) *frontier.Rows {
		r := &frontier.Rows{}
		for u := range uint32(g.N) {
			r.Off = append(r.Off, uint64(max(len(r.Nbr), len(r.Arcs))))
			for _, e := range edges {
				switch {
				case e.Src != u:
				case weighted:
					r.Arcs = append(r.Arcs, frontier.Arc{To: e.Dst, Weight: e.Weight})
				default:
					r.Nbr = append(r.Nbr, e.Dst)
				}
			}
		}
		r.Off = append(r.Off, uint64(max(len(r.Nbr), len(r.Arcs))))
		return r
	}
	return make(g.Edges), make(turned)
}

// advancer begins a program on a graph, with limits at which all there is to do in
// parallel is done so.
func advancer[V, A any](t *rapid.T, g oracle.Graph, loops compiled.Loops[V, A], threads int) (*Advancer[V, A], Stats) {
	weighted := loops.Weighs && slices.ContainsFunc(g.Edges, func(e oracle.Edge) bool { return e.Weight != 1 })
	out, in := rowsOf(g, weighted)
	a, err := vertices.New[V](uint32(g.N), nil)
	if err != nil {
		t.Fatal(err)
	}
	var begin Stats
	for v := range uint32(g.N) {
		a.Degree[v] = uint32(out.Off[v+1] - out.Off[v])
		value, active := loops.Program.Init(gas.Vertex{ID: v, N: uint32(g.N)})
		a.Cur[v] = value
		if active {
			a.Active.Add(v)
			begin.Activated++
			begin.Degrees += uint64(a.Degree[v])
		}
	}
	e, err := New(loops, a, threads)
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewAdvancer(e, out, in)
	if err != nil {
		t.Fatal(err)
	}
	f.limits = limits{alone: rapid.Uint64Range(0, 3).Draw(t, "alone"), hub: rapid.Uint32Range(1, 4).Draw(t, "hub"),
		task: rapid.IntRange(1, 3).Draw(t, "task"), held: g.N + rapid.IntRange(0, 9).Draw(t, "held")}
	return f, begin
}

// levels does iterations as a plain loop does: each vertex gathers from all active ones.
func levels[V comparable, A any](g oracle.Graph, p gas.Program[V, A], limit int) (values []V, done int) {
	active := make([]bool, g.N)
	values = make([]V, g.N)
	some := false
	for v := range values {
		values[v], active[v] = p.Init(gas.Vertex{ID: uint32(v), N: uint32(g.N)})
		some = some || active[v]
	}
	for ; some && done < limit; done++ {
		acc, next := make([]A, g.N), make([]V, g.N)
		for v := range acc {
			acc[v] = p.Zero()
		}
		for _, e := range g.Edges {
			if active[e.Src] {
				acc[e.Dst] = p.Sum(acc[e.Dst], p.Gather(values[e.Src], gas.Edge{Weight: float64(e.Weight)}, values[e.Dst]))
			}
		}
		some = false
		for v := range next {
			next[v] = p.Apply(gas.Vertex{ID: uint32(v), N: uint32(g.N)}, values[v], acc[v], gas.Step{Iteration: done})
			active[v] = p.Activate(gas.Vertex{ID: uint32(v)}, values[v], next[v])
			some = some || active[v]
		}
		values = next
	}
	return values, done
}

// checkLevels compares an advancer, in calls of several iterations each, with plain
// levels.
func checkLevels[V comparable, A any](t *rapid.T, g oracle.Graph, p gas.Program[V, A]) {
	loops, _ := LoopsOf(p)
	if rapid.Bool().Draw(t, "generic") {
		loops = GenericLoops(p)
	}
	limit := rapid.SampledFrom([]int{1, 2, 3, math.MaxInt}).Draw(t, "limit")
	f, at := advancer(t, g, loops, rapid.IntRange(1, 3).Draw(t, "threads"))
	defer f.engine.arrays.Free()
	defer f.Free()
	want, done := levels(g, p, limit)
	step := gas.Step{}
	for at.Activated > 0 && step.Iteration < limit {
		if rapid.Bool().Draw(t, "forget") {
			f.Forget()
		}
		n := min(limit-step.Iteration, rapid.IntRange(1, 4).Draw(t, "iterations"))
		got, err := f.Advance(context.Background(), step, at, n, time.Now().Add(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		step.Iteration += got.Levels
		at = got.Stats
		if active := f.engine.arrays.Active.Count(0, uint32(g.N)); active != int(at.Activated) {
			t.Fatalf("%T: after %d iterations %d are active, and %d counted", p, step.Iteration, active, at.Activated)
		}
		if f.engine.arrays.Rising.Any(0, uint32(g.N)) {
			t.Fatalf("%T: vertices are rising after iteration %d", p, step.Iteration)
		}
	}
	if step.Iteration != done {
		t.Fatalf("%T: %d iterations, want %d", p, step.Iteration, done)
	}
	for v := range want {
		if f.engine.arrays.Cur[v] != want[v] {
			t.Fatalf("%T, %d iterations: vertex %d is at %v, want %v", p, limit, v, f.engine.arrays.Cur[v], want[v])
		}
	}
}

// checkOrdered compares an advancer that does vertices by their priorities, stopped after
// any number of rounds, with plain levels.
func checkOrdered[V comparable, A any](t *rapid.T, g oracle.Graph, p gas.Program[V, A]) {
	loops, _ := LoopsOf(p)
	if rapid.Bool().Draw(t, "generic") {
		loops = GenericLoops(p)
	}
	f, at := advancer(t, g, loops, rapid.IntRange(1, 3).Draw(t, "threads"))
	defer f.engine.arrays.Free()
	defer f.Free()
	want, _ := levels(g, p, math.MaxInt)
	for calls := 0; at.Activated > 0; calls++ {
		if calls > 10*g.N*g.N+10 {
			t.Fatalf("%T: %d vertices are active for ever", p, at.Activated)
		}
		n := rapid.SampledFrom([]int{1, 2, 10, math.MaxInt}).Draw(t, "rounds")
		got, err := f.AdvanceOrdered(context.Background(), gas.Step{}, at, n, time.Now().Add(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		at = got.Stats
		if active := f.engine.arrays.Active.Count(0, uint32(g.N)); active != int(at.Activated) {
			t.Fatalf("%T: %d are active, and %d counted", p, active, at.Activated)
		}
	}
	for v := range want {
		if f.engine.arrays.Cur[v] != want[v] {
			t.Fatalf("%T: vertex %d is at %v, want %v", p, v, f.engine.arrays.Cur[v], want[v])
		}
	}
}

// far is SSSP whose priorities are far apart, infinite or no number.
type far struct{ programs.SSSP[float32] }

func (far) Priority(value float32) float64 {
	switch {
	case value > 12:
		return math.NaN()
	case value > 8:
		return math.Inf(1)
	case value == 3:
		return math.Inf(-1)
	}
	return math.Exp(float64(value) * 20)
}

// TestAdvanceOrdered checks that the order of priorities, and what they are, make no difference to the
// result.
func TestAdvanceOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := testgraph.Draw(t)
		source := programs.SSSP[float32]{Source: rapid.Uint32Range(0, uint32(g.N-1)).Draw(t, "source")}
		checkOrdered(t, g, gas.Program[float32, float32](source))
		checkOrdered(t, g, gas.Program[float32, float32](far{source}))
		checkOrdered(t, g, gas.Program[uint32, uint32](programs.WCC{}))
		checkOrdered(t, g, gas.Program[float64, float64](programs.SSSP[float64](source)))
		checkOrdered(t, g, gas.Program[float32, float32](programs.SSWP[float32]{Source: source.Source}))
	})
}

// TestFallingPriority checks that a vertex whose priority falls behind what has been done is done all
// the same.
func TestFallingPriority(t *testing.T) {
	g := oracle.Graph{N: 6, Edges: []oracle.Edge{{Src: 1, Dst: 0, Weight: 0.25}, {Src: 0, Dst: 2},
		{Src: 5, Dst: 1, Weight: 2.75}}}
	rapid.Check(t, func(t *rapid.T) {
		checkOrdered(t, g, gas.Program[float32, float32](far{programs.SSSP[float32]{Source: 5}}))
	})
}

// near is SSSP whose vertices seek, along weights, until they are at distance 0.
type near struct{ programs.SSSP[float32] }

func (near) Saturated(acc float32, _ gas.Step) bool { return acc == 0 }
func (near) Settled(value float32, _ gas.Step) bool { return value == 0 }

// TestAdvance checks that n iterations from frontier to frontier give what n plain ones give,
// however they push or seek, on how many goroutines, and whatever is split.
func TestAdvance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := testgraph.Draw(t)
		source := rapid.Uint32Range(0, uint32(g.N-1)).Draw(t, "source")
		checkLevels(t, g, gas.Program[uint32, uint32](programs.BFS{Source: source}))
		checkLevels(t, g, gas.Program[uint32, uint32](programs.WCC{}))
		checkLevels(t, g, gas.Program[float32, float32](programs.SSWP[float32]{Source: source}))
		checkLevels(t, g, gas.Program[float32, float32](programs.SSSP[float32]{Source: source}))
		checkLevels(t, g, gas.Program[float64, float64](programs.SSSP[float64]{Source: source}))
		checkLevels(t, g, gas.Program[float32, float32](near{programs.SSSP[float32]{Source: source}}))
		checkLevels(t, g, gas.Program[uint32, uint32](from0{}))
	})
}
