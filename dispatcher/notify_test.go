package dispatcher

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/store"
)

// cooling is an author's program whose vertices go on by themselves: each comes
// nearer to the warmest around it, and rests when that makes no difference.
type cooling struct{}

func (cooling) Init(v gas.Vertex) (float32, bool)                 { return float32(v.ID + 1), true }
func (cooling) Zero() float32                                     { return 0 }
func (cooling) Gather(src float32, _ gas.Edge, _ float32) float32 { return src }
func (cooling) Sum(a, b float32) float32                          { return max(a, b) }
func (cooling) Apply(_ gas.Vertex, old, acc float32, _ gas.Step) (new float32) {
	return (3*old + acc) / 4
}
func (cooling) Activate(_ gas.Vertex, old, new float32) (changed bool) { return new != old }

// alike compares the values of a program by notify-pull, and by what is chosen for
// each iteration, with those by pull: the bits in sync mode, where a change that
// Activate passes over leaves no trace, and in async mode where the end does not
// depend on the way there.
func alike[V comparable, A any](t rapid.TB, s *store.Store, p gas.Program[V, A], o Options, confluent bool) {
	t.Helper()
	for _, mode := range []Mode{Sync, Async} {
		if mode == Async && !confluent {
			continue
		}
		var want []V
		for _, method := range []Method{Pull, NotifyPull, Auto} {
			o := o
			o.Mode, o.Method = mode, method
			got, _ := run(t, s, p, setting{opt: o})
			if want == nil {
				want = got
			}
			if i := differs(got, want); i >= 0 {
				t.Fatalf("%T %+v, %s, %s: vertex %d: got %v, want %v as by pull", p, p, mode, method, i, got[i], want[i])
			}
		}
	}
}

func differs[V comparable](got, want []V) int {
	for i := range want {
		if got[i] != want[i] {
			return i
		}
	}
	return -1
}

// TestNotifyPull checks that notify-pull gives what pull gives, of every program, on directed
// and on undirected graphs.
func TestNotifyPull(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := testgraph.Draw(rt)
		symmetric := rapid.Bool().Draw(rt, "symmetric")
		s := teststore.Build(t, g, teststore.Options{
			Weighted: true, Symmetric: symmetric, ShardVertices: rapid.IntRange(1, 30).Draw(rt, "vertices per shard"),
			Layout: rapid.SampledFrom(layouts).Draw(rt, "layout"),
		})
		source := rapid.Uint32Range(0, uint32(g.N-1)).Draw(rt, "source")
		ground := rapid.Uint32Range(0, uint32(g.N-1)).Draw(rt, "ground")
		rounds := Options{Iterations: rapid.IntRange(1, 40).Draw(rt, "iterations"),
			hooks: hooks{generic: rapid.Bool().Draw(rt, "generic")}}
		end := Options{hooks: hooks{generic: rounds.hooks.generic}} // until nothing is active
		in, _ := oracle.Degrees(g)
		alpha := 0.5 / float64(2+2*slices.Max(in))

		alike(rt, s, gas.Program[uint32, uint32](programs.BFS{Source: source}), end, true)
		alike(rt, s, gas.Program[uint32, uint32](programs.WCC{}), end, true)
		alike(rt, s, gas.Program[uint32, uint32](programs.KCore{K: 3}), end, true)
		alike(rt, s, gas.Program[float32, float32](programs.SSWP[float32]{Source: source}), end, true)
		alike(rt, s, gas.Program[float32, float32](programs.SSSP[float32]{Source: source}), end, true)
		alike(rt, s, gas.Program[float64, float64](programs.SSSP[float64]{Source: source}), end, true)
		alike(rt, s, gas.Program[float32, float32](programs.SSSP[float32]{Source: source}), rounds, false)
		alike(rt, s, gas.Program[programs.Ballot, programs.Votes](programs.LPA{Seed: 3}), rounds, false)
		alike(rt, s, gas.Program[float32, programs.Flow](programs.Heat{Source: source, Step: 0.1}), rounds, false)
		alike(rt, s, gas.Program[programs.Node, programs.Branch](programs.Circuit{Source: source, Ground: ground, Volts: 5}),
			rounds, false)
		alike(rt, s, gas.Program[float32, float64](programs.Neural{Gain: 0.1, Bias: 0.1}), rounds, false)
		alike(rt, s, gas.Program[float32, float64](programs.Katz[float32]{Alpha: alpha, Beta: 1}), rounds, false)
		alike(rt, s, gas.Program[float64, float64](programs.Katz[float64]{Alpha: alpha, Beta: 1}), rounds, false)
		alike(rt, s, gas.Program[float32, int64](programs.PageRank[float32]{Damping: 0.85}), rounds, false)
		alike(rt, s, gas.Program[float64, int64](programs.PageRank[float64]{Damping: 0.85, Personalised: true,
			Source: source}), rounds, false)
		alike(rt, s, gas.Program[float32, float32](cooling{}), rounds, false)
		alike(rt, s, gas.Program[float32, float32](cooling{}), end, false)
	})
}

// TestIdempotent checks that a program that says so keeps its value when it is applied again
// with the same accumulator.
func TestIdempotent(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := gas.Vertex{ID: rapid.Uint32Range(0, 3).Draw(rt, "id"), N: 4, In: 2, Out: rapid.Uint32Range(0, 3).Draw(rt, "out")}
		number, small := rapid.Float64Range(0, 100), rapid.Uint32Range(0, 4)
		x, y, n, m := number.Draw(rt, "old"), number.Draw(rt, "acc"), small.Draw(rt, "old n"), small.Draw(rt, "acc n")
		keeps(rt, gas.Program[uint32, uint32](programs.BFS{}), v, n, m)
		keeps(rt, gas.Program[uint32, uint32](programs.WCC{}), v, n, m)
		keeps(rt, gas.Program[uint32, uint32](programs.KCore{K: 2}), v, n, m)
		keeps(rt, gas.Program[float32, float32](programs.SSWP[float32]{}), v, float32(x), float32(y))
		keeps(rt, gas.Program[float32, float32](programs.SSSP[float32]{}), v, float32(x), float32(y))
		keeps(rt, gas.Program[float64, float64](programs.SSSP[float64]{}), v, x, y)
		keeps(rt, gas.Program[programs.Node, programs.Branch](programs.Circuit{}), v, programs.Node{Volts: x, Held: n > 2},
			programs.Branch{Current: y, Conductance: float64(m)})
		keeps(rt, gas.Program[float32, float64](programs.Neural{Gain: 1, Bias: 1}), v, float32(x), y)
		keeps(rt, gas.Program[float32, float64](programs.Katz[float32]{Alpha: 0.1, Beta: 1}), v, float32(x), y)
		keeps(rt, gas.Program[float64, int64](programs.PageRank[float64]{Damping: 0.85}), v, x, int64(y*0x1p55))
	})
	for _, p := range []any{programs.Heat{}, programs.LPA{}, cooling{}} {
		if _, able := p.(gas.Idempotent); able {
			t.Errorf("%T goes on by itself, and does not say so", p)
		}
	}
}

// keeps applies a program twice.
func keeps[V comparable, A any](t rapid.TB, p gas.Program[V, A], v gas.Vertex, old V, acc A) {
	t.Helper()
	if !any(p).(gas.Idempotent).Idempotent() {
		t.Fatalf("%T says that it is not idempotent", p)
	}
	once := p.Apply(v, old, acc, gas.Step{})
	if again := p.Apply(v, once, acc, gas.Step{}); again != once {
		t.Fatalf("%s: %v, then %v", fmt.Sprintf("%T", p), once, again)
	}
}

// TestNews checks that where few sources are active, a pull over packed shards folds few blocks,
// and finds what one over all edges does, in as many iterations.
func TestNews(t *testing.T) {
	const n, vertices = 20000, 3000
	g := oracle.Graph{N: n}
	for u := range uint32(n - 1) {
		g.Edges = append(g.Edges, oracle.Edge{Src: u, Dst: u + 1, Weight: 1})
		if u+vertices < n { // an async job goes on with it at once
			g.Edges = append(g.Edges, oracle.Edge{Src: u, Dst: u + vertices, Weight: 1})
		}
	}
	source := gas.Program[float32, float32](programs.SSSP[float32]{})
	for _, mode := range []Mode{Sync, Async} {
		o := Options{Mode: mode, Method: Pull, Iterations: 50, Threads: 2, hooks: hooks{pageBytes: 1}}
		want, all := run(t, teststore.Build(t, g, teststore.Options{ShardVertices: vertices}), source, setting{opt: o})
		got, report := run(t, teststore.Build(t, g, teststore.Options{ShardVertices: vertices, Layout: store.Packed}), source,
			setting{opt: o})
		if i := differs(got, want); i >= 0 {
			t.Fatalf("%s: vertex %d is at %v, without packed shards %v", mode, i, got[i], want[i])
		}
		for i, it := range report.Iterations {
			if it.Active != all.Iterations[i].Active || it.Edges > 20*packed.BlockSlots {
				t.Fatalf("%s: iteration %d folded %d edges for %d active vertices, %d without packed shards", mode, it.Iteration,
					it.Edges, it.Active, all.Iterations[i].Active)
			}
		}
	}
}
