package cpuengine

import (
	"context"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/internal/vertices"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// careful is BFS that is never saturated: vertices gather along their whole rows.
type careful struct{ programs.BFS }

func (careful) Saturated(uint32, gas.Step) bool { return false }

// from0 is WCC that stops at label 0. Active vertices have different values, and change.
type from0 struct{ programs.WCC }

func (from0) Saturated(acc uint32, _ gas.Step) bool { return acc == 0 }
func (from0) Settled(value uint32, _ gas.Step) bool { return value == 0 }

// both has every edge in both directions.
func both(g oracle.Graph) oracle.Graph {
	b := oracle.Graph{N: g.N}
	for _, e := range g.Edges {
		b.Edges = append(b.Edges, e, oracle.Edge{Src: e.Dst, Dst: e.Src, Weight: e.Weight})
	}
	return b
}

// heldAdvancer begins a program on a stored graph, at any limits.
func heldAdvancer[V, A any](t *rapid.T, s *store.Store, p gas.Program[V, A]) (*Advancer[V, A], Stats) {
	cat := s.Catalogue()
	loops, _ := LoopsOf(p)
	if rapid.Bool().Draw(t, "generic") {
		loops = GenericLoops(p)
	}
	a, err := vertices.New[V](cat.Vertices, nil)
	if err != nil {
		t.Fatal(err)
	}
	var begin Stats
	for i, info := range cat.Shards {
		degrees, err := s.Degrees(shard.Out, i)
		if err != nil {
			t.Fatal(err)
		}
		copy(a.Degree[info.First:], degrees)
	}
	for v := range cat.Vertices {
		value, active := p.Init(gas.Vertex{ID: v, N: cat.Vertices})
		if a.Cur[v] = value; active {
			a.Active.Add(v)
			begin.Activated++
			begin.Degrees += uint64(a.Degree[v])
		}
	}
	e, err := New(loops, a, rapid.IntRange(1, 3).Draw(t, "threads"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := page.WholeRows{Sides: []shard.Direction{shard.Out}}.PlanHeld(s)
	if err != nil {
		t.Fatal(err)
	}
	in := rows
	if !cat.Symmetric {
		in, err = page.WholeRows{Sides: []shard.Direction{shard.In}}.PlanHeld(s)
	}
	if rapid.IntRange(0, 4).Draw(t, "what it has") == 0 {
		in = nil
	}
	if err != nil {
		t.Fatal(err)
	}
	f, err := NewHeldAdvancer(e, rows, in, cat.Edges)
	if err != nil {
		t.Fatal(err)
	}
	f.limits = limits{alone: rapid.Uint64Range(0, 3).Draw(t, "alone"), hub: rapid.Uint32Range(1, 4).Draw(t, "hub"),
		task: rapid.IntRange(1, 3).Draw(t, "task")}
	return f, begin
}

// checkHeld compares an advancer over held rows with plain levels.
func checkHeld[V comparable, A any](t *rapid.T, s *store.Store, g oracle.Graph, p gas.Program[V, A]) (sought bool) {
	limit := rapid.SampledFrom([]int{1, 2, 3, math.MaxInt}).Draw(t, "limit")
	f, at := heldAdvancer(t, s, p)
	defer f.engine.arrays.Free()
	defer f.Free()
	want, done := levels(g, p, limit)
	step := gas.Step{}
	for at.Activated > 0 && step.Iteration < limit {
		if rapid.Bool().Draw(t, "forget") {
			f.Forget()
		}
		got, err := f.Advance(context.Background(), step, at, 1, time.Now().Add(time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		sought = sought || f.seeks
		step.Iteration += got.Levels
		at = got.Stats
		if active := f.engine.arrays.Active.Count(0, uint32(g.N)); active != int(at.Activated) {
			t.Fatalf("%T: after %d iterations %d are active, and %d counted", p, step.Iteration, active, at.Activated)
		}
		degrees := uint64(0)
		for v, ok := f.engine.arrays.Active.Next(0, uint32(g.N)); ok; v, ok = f.engine.arrays.Active.Next(v+1, uint32(g.N)) {
			degrees += uint64(f.engine.arrays.Degree[v])
		}
		if degrees != at.Degrees || f.engine.arrays.Rising.Any(0, uint32(g.N)) {
			t.Fatalf("%T: after %d iterations active vertices have %d edges, and %d were counted; rising: %v", p,
				step.Iteration, degrees, at.Degrees, f.engine.arrays.Rising.Any(0, uint32(g.N)))
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
	return sought
}

// TestHeld checks that n iterations over rows that are held as they are stored give what n plain ones
// give, however they push or seek.
func TestHeld(t *testing.T) {
	sought := 0
	rapid.Check(t, func(rt *rapid.T) {
		g := testgraph.Draw(rt)
		o := teststore.Options{Layout: store.Packed, Symmetric: rapid.Bool().Draw(rt, "symmetric"),
			ShardVertices: rapid.IntRange(1, 30).Draw(rt, "vertices per shard")}
		o.InRows = !o.Symmetric
		s := teststore.Build(t, g, o)
		if o.Symmetric {
			g = both(g)
		}
		bfs := programs.BFS{Source: rapid.Uint32Range(0, uint32(g.N-1)).Draw(rt, "source")}
		for _, did := range []bool{
			checkHeld(rt, s, g, gas.Program[uint32, uint32](bfs)),
			checkHeld(rt, s, g, gas.Program[uint32, uint32](careful{bfs})),
			checkHeld(rt, s, g, gas.Program[uint32, uint32](from0{})),
		} {
			if did {
				sought++
			}
		}
	})
	if sought == 0 {
		t.Error("no level was sought")
	}
}
