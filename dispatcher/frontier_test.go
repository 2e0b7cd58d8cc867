package dispatcher

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/store"
)

// backwards is BFS against the direction of edges.
type backwards struct{ programs.BFS }

func (backwards) Direction() gas.Direction { return gas.Out }

// asByPull compares the values of frontiers with those of pulls, without and with a limit
// of iterations.
func asByPull[V comparable, A any](t *rapid.T, s *store.Store, p gas.Program[V, A], o Options) {
	t.Helper()
	for _, limit := range []int{0, rapid.IntRange(1, 4).Draw(t, "iterations")} {
		o.Iterations = limit
		o.Method = Pull
		want, _ := run(t, s, p, setting{opt: o})
		o.Method = Frontier
		if o.Mode = Sync; limit == 0 {
			o.Mode = rapid.SampledFrom([]Mode{Sync, Async}).Draw(t, "mode")
		}
		got, r := run(t, s, p, setting{opt: o})
		if i := differs(got, want); i >= 0 {
			t.Fatalf("%T %+v, %d iterations: vertex %d: got %v, want %v as by pull", p, p, limit, i, got[i], want[i])
		}
		for _, it := range r.Iterations {
			if it.Method != Frontier {
				t.Fatalf("%T: iteration %d is a %s", p, it.Iteration, it.Method)
			}
		}
	}
}

// TestFrontier checks that frontiers give what pulls give, over every kind of stored graph.
func TestFrontier(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := testgraph.Draw(rt)
		o := teststore.Options{
			Weighted: rapid.Bool().Draw(rt, "weighted"), Symmetric: rapid.Bool().Draw(rt, "symmetric"),
			ShardVertices: rapid.IntRange(1, 30).Draw(rt, "vertices per shard"),
			Layout:        rapid.SampledFrom(layouts).Draw(rt, "layout"),
		}
		o.InRows = o.Layout == store.Packed && !o.Symmetric && rapid.Bool().Draw(rt, "in-rows")
		s := teststore.Build(t, g, o)
		source := rapid.Uint32Range(0, uint32(g.N-1)).Draw(rt, "source")
		by := Options{hooks: hooks{generic: rapid.Bool().Draw(rt, "generic"), plainRows: rapid.Bool().Draw(rt, "plain rows")},
			Threads: rapid.IntRange(1, 3).Draw(rt, "threads")}
		asByPull(rt, s, gas.Program[uint32, uint32](programs.BFS{Source: source}), by)
		asByPull(rt, s, gas.Program[uint32, uint32](backwards{programs.BFS{Source: source}}), by)
		if o.Symmetric || !o.Weighted || !by.hooks.generic { // generic loops might read weights
			asByPull(rt, s, gas.Program[uint32, uint32](programs.WCC{}), by)
		}
		asByPull(rt, s, gas.Program[float32, float32](programs.SSWP[float32]{Source: source}), by)
		asByPull(rt, s, gas.Program[float32, float32](programs.SSSP[float32]{Source: source}), by)
		asByPull(rt, s, gas.Program[float64, float64](programs.SSSP[float64]{Source: source}), by)
	})
}

// chain returns a path with a branch at every tenth vertex: as many levels as vertices.
func chain(n int) oracle.Graph {
	g := oracle.Graph{N: n}
	for u := range uint32(n - 1) {
		g.Edges = append(g.Edges, oracle.Edge{Src: u, Dst: u + 1, Weight: 1})
		if u%10 == 0 {
			g.Edges = append(g.Edges, oracle.Edge{Src: u + 1, Dst: u, Weight: 2})
		}
	}
	return g
}

// TestFrontierChosen checks that a job that may choose takes frontiers where they fit, and its
// report counts all iterations; with the least memory, and where they would mean something else, it
// does without.
func TestFrontierChosen(t *testing.T) {
	g := chain(3000)
	s := teststore.Build(t, g, teststore.Options{ShardVertices: 100, Layout: store.Packed, Weighted: true})
	bfs := gas.Program[uint32, uint32](programs.BFS{})
	for _, c := range []struct {
		name string
		set  setting
		want bool
	}{
		{"without a limit", setting{}, true},
		{"async", setting{opt: Options{Mode: Async}}, true},
		{"with a limit", setting{opt: Options{Iterations: 17}}, true},
		{"async with a limit", setting{opt: Options{Mode: Async, Iterations: 17}}, false},
		{"the least memory", setting{starved: true}, false},
		{"asked for a pull", setting{opt: Options{Method: Pull}}, false},
	} {
		limit := c.set.opt.Iterations
		values, r := run(t, s, bfs, c.set)
		reached := g.N
		if limit > 0 {
			reached = limit + 1
		}
		for v := range reached {
			if values[v] != uint32(v) {
				t.Fatalf("%s: vertex %d is at %d", c.name, v, values[v])
			}
		}
		if reached < g.N && c.set.opt.Mode != Async && values[reached] != bfs.Zero() {
			t.Fatalf("%s: vertex %d is at %d", c.name, reached, values[reached])
		}
		if last := r.Iterations[len(r.Iterations)-1].Method; (last == Frontier) != c.want {
			t.Errorf("%s: the last iteration is by %s", c.name, last)
		}
		next := 0
		for _, it := range r.Iterations {
			if it.Iteration != next {
				t.Fatalf("%s: iteration %d follows %d", c.name, it.Iteration, next)
			}
			next += max(1, it.Levels)
		}
		if want := reached; c.set.opt.Mode != Async && limit == 0 && (r.Done() != want || next != want) {
			t.Errorf("%s: %d iterations, want %d", c.name, r.Done(), want)
		}
	}
	for _, c := range []struct {
		p    gas.Program[uint32, uint32]
		o    Options
		want string
	}{
		{programs.KCore{K: 2}, Options{}, "methods auto, pull and notify-pull run any program"},
		{programs.KCore{K: 2}, Options{Name: "kcore"}, "program kcore: method frontier: its values must only improve"},
		{bfs, Options{Memory: least(t, s, bfs)}, "no room"},
		{bfs, Options{Device: Hybrid, GPU: GPUOptions{Name: "emulated"}, Iterations: 3}, "iterations are limited"},
		{programs.KCore{K: 2}, Options{Device: GPU, GPU: GPUOptions{Name: "emulated"}}, "its values must only improve"},
	} {
		c.o.Method = Frontier
		if _, err := New(s, c.p, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T %+v: got %v, want %q", c.p, c.o, err, c.want)
		}
	}
}

// TestFrontierResumed checks that a job that is stopped between frontiers goes on from its epoch,
// with frontiers or with pulls, and has checkpoints after as many iterations as wanted.
func TestFrontierResumed(t *testing.T) {
	g := chain(2000)
	s := teststore.Build(t, g, teststore.Options{ShardVertices: 100, Weighted: true})
	p := gas.Program[float32, float32](programs.SSSP[float32]{})
	want, _ := run(t, s, p, setting{opt: Options{Method: Pull}})
	for _, method := range []Method{Frontier, NotifyPull} {
		folder := memoryDir(t)
		ctx, cancel := context.WithCancel(t.Context())
		at := 0
		o := Options{Device: CPU, Method: Frontier, Checkpoints: checkpoint.Policy{Every: 100}, Progress: func(it Iteration) {
			if it.Levels > 100 {
				t.Errorf("%d iterations without a checkpoint", it.Levels)
			}
			if at = it.Iteration + max(1, it.Levels); at >= 250 {
				cancel()
			}
		}}
		_, _, err := recorded(ctx, t, s, p, folder, o)
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		got, r, err := recorded(t.Context(), t, s, p, folder, Options{Device: CPU, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if r.Before != at {
			t.Errorf("%s: stopped after %d iterations, resumed after %d", method, at, r.Before)
		}
		if i := differs(got, want); i >= 0 {
			t.Errorf("%s: vertex %d: got %v, want %v", method, i, got[i], want[i])
		}
		cancel()
	}
}

// TestWidestRounds checks that widest paths over a dense graph whose weights all differ take few rounds, and go along
// edges a few times at most.
func TestWidestRounds(t *testing.T) {
	const n, degree = 4000, 32
	g, rng := oracle.Graph{N: n}, rand.New(rand.NewPCG(1, 1))
	for range n * degree / 2 {
		g.Edges = append(g.Edges, oracle.Edge{Src: rng.Uint32N(n), Dst: rng.Uint32N(n), Weight: rng.Float32()})
	}
	s := teststore.Build(t, g, teststore.Options{Layout: store.Packed, Weighted: true, Symmetric: true})
	_, r := run(t, s, gas.Program[float32, float32](programs.SSWP[float32]{}), setting{opt: Options{Method: Frontier}})
	if edges := s.Catalogue().Edges; r.Done() > 100 || r.Edges > 3*edges {
		t.Errorf("%d rounds along %d edges, of %d", r.Done(), r.Edges, edges)
	}
}
