package programs_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What the programs can do besides the least.
var (
	_ gas.Saturable[uint32]      = programs.BFS{}
	_ gas.Settleable[uint32]     = programs.BFS{}
	_ gas.Int64Result[uint32]    = programs.BFS{}
	_ gas.Directed               = programs.WCC{}
	_ gas.VertexResult[uint32]   = programs.WCC{}
	_ gas.Aggregable[float32]    = programs.PageRank[float32]{}
	_ gas.Float32Result[float32] = programs.PageRank[float32]{}
	_ gas.Float64Result[float64] = programs.PageRank[float64]{}
)

// everyGraph calls f with the named graphs and with random ones, as they are
// and mirrored.
func everyGraph(t *testing.T, f func(t rapid.TB, g oracle.Graph, source uint32)) {
	for _, x := range testgraph.All() {
		t.Run(x.Name, func(t *testing.T) {
			f(t, x.Graph, 0)
			f(t, teststore.Mirrored(x.Graph), 0)
		})
	}
	t.Run("random", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			g := testgraph.Draw(t)
			if rapid.Bool().Draw(t, "mirrored") {
				g = teststore.Mirrored(g)
			}
			f(t, g, rapid.Uint32Range(0, uint32(g.N-1)).Draw(t, "source"))
		})
	})
}

// TestBFS compares hops with those of an oracle, in both modes, after at most so many
// iterations as there are hops, and one more to see that nothing changes.
func TestBFS(t *testing.T) {
	everyGraph(t, func(t rapid.TB, g oracle.Graph, source uint32) {
		want := oracle.BFS(g, source)
		deepest := int64(0)
		for _, h := range want {
			if h != gas.Unreached {
				deepest = max(deepest, h)
			}
		}
		for _, groups := range []int{1, 4} {
			p := programs.BFS{Source: source}
			x := newInterpreter[uint32, uint32](g, p)
			x.groups = groups
			if n := x.run(0); int64(n) > deepest+1 {
				t.Fatalf("%d iterations for %d hops", n, deepest)
			}
			for v, value := range x.values {
				if got := p.Result(x.vertices[v], value); got != want[v] {
					t.Fatalf("%d groups, vertex %d: got %d, want %d", groups, v, got, want[v])
				}
			}
		}
	})
}

// TestBFSAbilities checks that what BFS leaves out changes nothing. An accumulator that is
// saturated makes the same value as one of all edges, whichever came first; a
// settled value never changes, and stays settled.
func TestBFSAbilities(t *testing.T) {
	everyGraph(t, func(t rapid.TB, g oracle.Graph, source uint32) {
		p := programs.BFS{Source: source}
		want := oracle.BFS(g, source)
		for _, groups := range []int{1, 4} {
			x := newInterpreter[uint32, uint32](g, p)
			x.groups = groups
			settled := make([]bool, g.N)
			rng := rand.New(rand.NewPCG(1, 2))
			x.before = func(v uint32, s gas.Step) {
				value := x.values[v]
				if p.Settled(value, s) {
					settled[v] = true
					if int64(value) != want[v] {
						t.Fatalf("vertex %d is settled at %d in iteration %d, but %d hops away", v, value, s.Iteration, want[v])
					}
					return // neither gathered nor applied
				}
				if settled[v] {
					t.Fatalf("vertex %d is no longer settled", v)
				}
				edges := slices.Clone(x.edges[v])
				full := p.Apply(x.vertices[v], value, x.fold(v, edges), s)
				for range 3 {
					rng.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
					for n := range len(edges) {
						if acc := x.fold(v, edges[:n]); p.Saturated(acc, s) && p.Apply(x.vertices[v], value, acc, s) != full {
							t.Fatalf("vertex %d (%d) is saturated with %d in iteration %d, but all edges make it %d",
								v, value, acc, s.Iteration, full)
						}
					}
				}
			}
			x.run(0)
		}
	})
}

// TestBFSFar tests iterations beyond 32 bits and values at the end of 32 bits.
func TestBFSFar(t *testing.T) {
	p := programs.BFS{}
	unreached := p.Zero()
	if got := p.Gather(unreached, gas.Edge{}, 0); got != unreached {
		t.Errorf("an unreached vertex reaches others with %d", got)
	}
	if got := p.Apply(gas.Vertex{}, unreached, unreached, gas.Step{}); got != unreached {
		t.Errorf("a vertex with unreached neighbours is %d hops away", got)
	}
	for _, c := range []struct {
		value     uint32 // of a neighbour, or of the vertex
		iteration int
		enough    bool
	}{
		{0, 0, true}, {1, 0, false}, {5, 5, true}, {6, 5, false},
		{unreached, 0, false}, {unreached, math.MaxUint32 - 2, false}, {unreached - 2, math.MaxUint32 - 2, true},
	} {
		s := gas.Step{Iteration: c.iteration}
		if p.Saturated(c.value, s) != c.enough || p.Settled(c.value, s) != c.enough {
			t.Errorf("%d in iteration %d: saturated %v, settled %v",
				c.value, c.iteration, p.Saturated(c.value, s), p.Settled(c.value, s))
		}
	}
}

func TestSSSP(t *testing.T) {
	everyGraph(t, func(t rapid.TB, g oracle.Graph, source uint32) {
		want := oracle.SSSP(g, source)
		for _, groups := range []int{1, 4} {
			x32 := newInterpreter[float32, float32](g, programs.SSSP[float32]{Source: source})
			x64 := newInterpreter[float64, float64](g, programs.SSSP[float64]{Source: source})
			x32.groups, x64.groups = groups, groups
			x32.run(0)
			x64.run(0)
			for v := range want { // the sums of these graphs are exact
				if float64(x32.values[v]) != want[v] || x64.values[v] != want[v] {
					t.Fatalf("%d groups, vertex %d: got %v and %v, want %v", groups, v, x32.values[v], x64.values[v], want[v])
				}
			}
		}
	})
}

func TestWCC(t *testing.T) {
	everyGraph(t, func(t rapid.TB, g oracle.Graph, _ uint32) {
		want := oracle.WCC(g)
		for _, groups := range []int{1, 4} {
			x := newInterpreter[uint32, uint32](g, programs.WCC{})
			x.groups = groups
			x.run(0)
			for v := range want {
				if got := (programs.WCC{}).Result(x.vertices[v], x.values[v]); uint32(got) != want[v] {
					t.Fatalf("%d groups, vertex %d: got %d, want %d", groups, v, got, want[v])
				}
			}
		}
	})
}

// TestPageRank compares ranks with those of an oracle, after a number of iterations and
// converged, in both precisions, personalised or not. They sum up to 1.
func TestPageRank(t *testing.T) {
	everyGraph(t, func(t rapid.TB, g oracle.Graph, source uint32) {
		for _, c := range []struct {
			damping      float64
			personalised bool
			most         int // iterations
		}{{0.85, false, 300}, {0.85, true, 300}, {0.5, false, 60}} {
			damping, personalised, from := c.damping, c.personalised, -1
			if personalised {
				from = int(source)
			}
			p64 := programs.PageRank[float64]{Damping: damping, Personalised: personalised, Source: source}
			p32 := programs.PageRank[float32]{Damping: damping, Personalised: personalised, Source: source}
			ten := oracle.PageRank(g, damping, from, 10, 0)
			ranksOf(t, g, p64, 10, ten, 1e-12)
			ranksOf(t, g, p32, 10, ten, 1e-5)

			p64.Tolerance, p32.Tolerance = 1e-12, 1e-6
			all := oracle.PageRank(g, damping, from, 400, 0)
			if n := ranksOf(t, g, p64, c.most, all, 1e-10); n == c.most {
				t.Fatalf("no convergence in double precision")
			}
			if n := ranksOf(t, g, p32, c.most, all, 1e-4); n == c.most {
				t.Fatalf("no convergence in single precision")
			}
		}
	})
}

// ranksOf compares the ranks with want and returns the number of iterations.
func ranksOf[F float32 | float64](
	t rapid.TB, g oracle.Graph, p programs.PageRank[F], most int, want []float64, tolerance float64,
) int {
	t.Helper()
	x := newInterpreter[F, int64](g, p)
	n := x.run(most)
	total := 0.0
	for v, value := range x.values {
		got := float64(p.Result(x.vertices[v], value))
		total += got
		if !(math.Abs(got-want[v]) <= tolerance) {
			t.Fatalf("%T, %d iterations, vertex %d: got %v, want %v", p, n, v, got, want[v])
		}
		if tolerance <= 1e-12 && !p.Personalised && !(math.Abs(got-want[v]) <= 1e-9*want[v]) {
			t.Fatalf("%T, %d iterations, vertex %d: got %v, want %v, which is off by more than 1e-9 of it",
				p, n, v, got, want[v])
		}
	}
	if !(math.Abs(total-1) <= tolerance*float64(g.N)) {
		t.Fatalf("%T, %d iterations: ranks sum up to %v", p, n, total)
	}
	return n
}

// TestPageRankHubs checks that a tolerance finer than rounding ends as well, also where the sum of
// a hub is rounded at each of its edges, and not before ranks are as near as they can be.
func TestPageRankHubs(t *testing.T) {
	for _, c := range []struct {
		damping float64
		most, n int
	}{{0.85, 400, 50}, {0.85, 400, 100}, {0.85, 400, 300}, {0.85, 400, 799}, {0.99, 6000, 50}, {0.99, 6000, 200}} {
		g := oracle.Graph{N: c.n}
		for v := range uint32(c.n) {
			for range 1 + v%7 {
				g.Edges = append(g.Edges, oracle.Edge{Src: v, Dst: v % 3}, oracle.Edge{Src: v % 3, Dst: v})
			}
		}
		want := oracle.PageRank(g, c.damping, -1, c.most, 0)
		for _, tolerance := range []float64{1e-12, 1e-14, 1e-16} {
			n := ranksOf(t, g, programs.PageRank[float64]{Damping: c.damping, Tolerance: tolerance}, c.most, want, 1e-12)
			if n == c.most {
				t.Errorf("%+v, tolerance %v: no convergence in double precision", c, tolerance)
			}
			n = ranksOf(t, g, programs.PageRank[float32]{Damping: c.damping, Tolerance: tolerance}, c.most, want, 1e-4)
			if n == c.most {
				t.Errorf("%+v, tolerance %v: no convergence in single precision", c, tolerance)
			}
		}
	}
}

// TestPageRankRounds checks that what flows along an edge is the rank by the edges, rounded to
// the nearest 2^-60, and the rank comes back from the value, 0 included.
func TestPageRankRounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := programs.PageRank[float64]{Damping: 1 - 0x1p-30, Personalised: true, Source: 1}
		v := gas.Vertex{ID: 0, N: 2, Out: rapid.Uint32Range(0, 1<<27).Draw(t, "out")}
		acc := rapid.Int64Range(0, 1<<40).Draw(t, "sum")
		value, rank := p.Apply(v, 0, acc, gas.Step{}), p.Damping*float64(acc)*0x1p-60
		if got, want := p.Gather(value, gas.Edge{}, 0),
			rank/float64(max(v.Out, 1))*0x1p60; math.Abs(float64(got)-want) > 0.5+want*0x1p-50 {
			t.Errorf("%d flows along an edge, want %g rounded", got, want)
		}
		if got := p.Result(v, value); math.Abs(got-rank) > (rank+0x1p-61*float64(v.Out))*0x1p-50 {
			t.Errorf("rank %g, want %g", got, rank)
		}
	})
}

// TestPageRankStill checks that with tolerance 0, a job ends only where no rank changes.
func TestPageRankStill(t *testing.T) {
	p := programs.PageRank[float64]{Damping: 0.85}
	v := gas.Vertex{N: 10, Out: 3}
	if p.Activate(v, 0.1, 0.1) || !p.Activate(v, 0.1, math.Nextafter(0.1, 1)) ||
		!p.Activate(v, math.Nextafter(0.1, 1), 0.1) {
		t.Error("not every change counts, or what is none does")
	}
}

// TestSum checks that the sums are commutative and associative, and Zero is their
// identity.
func TestSum(t *testing.T) {
	labels := rapid.OneOf(rapid.Uint32(), rapid.SampledFrom([]uint32{0, 1, math.MaxUint32 - 1, math.MaxUint32}))
	lengths32 := rapid.OneOf(rapid.Float32Range(0, math.MaxFloat32), rapid.Just(float32(math.Inf(1))))
	lengths64 := rapid.OneOf(rapid.Float64Range(0, math.MaxFloat64), rapid.Just(math.Inf(1)))
	t.Run("BFS", func(t *testing.T) { testSum[uint32](t, programs.BFS{}, labels) })
	t.Run("WCC", func(t *testing.T) { testSum[uint32](t, programs.WCC{}, labels) })
	t.Run("SSSP 32", func(t *testing.T) { testSum[float32](t, programs.SSSP[float32]{}, lengths32) })
	t.Run("SSSP 64", func(t *testing.T) { testSum[float64](t, programs.SSSP[float64]{}, lengths64) })
	t.Run("PageRank 32", func(t *testing.T) { testSum[float32](t, programs.PageRank[float32]{}, rapid.Int64()) })
	t.Run("PageRank 64", func(t *testing.T) { testSum[float64](t, programs.PageRank[float64]{}, rapid.Int64()) })
}

func testSum[V any, A uint32 | int64 | float32 | float64](
	t *testing.T, p gas.Program[V, A], values *rapid.Generator[A],
) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := values.Draw(t, "a"), values.Draw(t, "b"), values.Draw(t, "c")
		if x, y := p.Sum(a, b), p.Sum(b, a); x != y {
			t.Fatalf("a + b = %v, b + a = %v", x, y)
		}
		if x, y := p.Sum(p.Sum(a, b), c), p.Sum(a, p.Sum(b, c)); x != y {
			t.Fatalf("(a + b) + c = %v, a + (b + c) = %v", x, y)
		}
		if x, y := p.Sum(a, p.Zero()), p.Sum(p.Zero(), a); x != a || y != a {
			t.Fatalf("a + 0 = %v, 0 + a = %v", x, y)
		}
	})
}

// TestApplyAgain checks that a value that is applied again, with nothing changed that it
// read, stays: an engine may apply whom it likes.
func TestApplyAgain(t *testing.T) {
	everyGraph(t, func(t rapid.TB, g oracle.Graph, source uint32) {
		again[uint32, uint32](t, g, programs.BFS{Source: source})
		again[uint32, uint32](t, g, programs.WCC{})
		again[float32, float32](t, g, programs.SSSP[float32]{Source: source})
		again[float64, int64](t, g, programs.PageRank[float64]{Damping: 0.85})
	})
}

func again[V comparable, A any](t rapid.TB, g oracle.Graph, p gas.Program[V, A]) {
	t.Helper()
	x := newInterpreter(g, p)
	x.before = func(v uint32, s gas.Step) {
		acc := x.fold(v, x.edges[v])
		once := p.Apply(x.vertices[v], x.values[v], acc, s)
		s.Iteration++
		if twice := p.Apply(x.vertices[v], once, acc, s); twice != once {
			t.Fatalf("%s: vertex %d becomes %v, and %v when applied again", fmt.Sprintf("%T", p), v, once, twice)
		}
	}
	x.run(5)
}
