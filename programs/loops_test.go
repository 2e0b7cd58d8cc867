package programs_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/programs"
)

// plainLoops are the loops of any program as package gas defines them, one call
// of an interface's method after another.
func plainLoops[V, A any](p gas.Program[V, A]) gas.Loops[V, A] {
	weight := func(w []float32, i uint32) gas.Edge {
		if w == nil {
			return gas.Edge{Weight: 1}
		}
		return gas.Edge{Weight: w[i]}
	}
	saturable, _ := p.(gas.Saturable[A])
	settleable, _ := p.(gas.Settleable[V])
	aggregable, _ := p.(gas.Aggregable[V])
	l := gas.Loops[V, A]{Program: p}
	l.Gather = func(acc []A, list []uint16, b *gas.Block, cur []V) (edges int) {
		for i, v := range list {
			for e := b.Off[v]; e < b.Off[v+1]; e++ {
				if saturable != nil && saturable.Saturated(acc[i], b.Step) {
					break
				}
				acc[i] = p.Sum(acc[i], p.Gather(cur[b.Nbr[e]], weight(b.Weight, e), cur[b.First+uint32(v)]))
				edges++
			}
		}
		return edges
	}
	l.Scatter = func(acc []A, nbr []uint32, slot []uint16, weights []float32, cur []V) {
		var dst V
		for i, u := range nbr {
			acc[slot[i]] = p.Sum(acc[slot[i]], p.Gather(cur[u], weight(weights, uint32(i)), dst))
		}
	}
	l.Apply = func(acc []A, list []uint16, b *gas.Block, cur, next []V, rising []uint64) (activated int, degrees uint64) {
		for i, v := range list {
			x := b.Vertex(int(v))
			next[x.ID] = p.Apply(x, cur[x.ID], acc[i], b.Step)
			if p.Activate(x, cur[x.ID], next[x.ID]) {
				bit := x.ID - b.First&^63
				rising[bit/64] |= 1 << (bit % 64)
				activated++
				degrees += uint64(b.Degree[x.ID])
			}
		}
		return activated, degrees
	}
	if settleable != nil {
		l.Due = func(due, list []uint16, b *gas.Block, cur []V) []uint16 {
			for _, v := range list {
				if !settleable.Settled(cur[b.First+uint32(v)], b.Step) {
					due = append(due, v)
				}
			}
			return due
		}
	}
	if aggregable != nil {
		l.Aggregate = func(b *gas.Block, values []V) (sum float64) {
			for v, value := range values {
				sum += aggregable.Aggregate(b.Vertex(v), value)
			}
			return sum
		}
	}
	return l
}

// block is a random shard of a random graph, and what an engine has beside it.
type block[V any] struct {
	gas.Block
	list []uint16
	slot []uint16 // of each edge, for Scatter
	cur  []V
}

func drawBlock[V any](t *rapid.T, value *rapid.Generator[V]) *block[V] {
	n := rapid.IntRange(1, 100).Draw(t, "vertices")
	b := &block[V]{}
	b.First = rapid.Uint32Range(0, 200).Draw(t, "first")
	b.N = b.First + uint32(n) + rapid.Uint32Range(0, 50).Draw(t, "after")
	b.Step = gas.Step{Iteration: rapid.IntRange(0, 20).Draw(t, "iteration"), Aggregate: rapid.Float64Range(0, 1).Draw(t, "aggregate")}
	b.Nbr = rapid.SliceOfN(rapid.Uint32Range(0, b.N-1), 0, 3*n).Draw(t, "neighbours")
	edges := len(b.Nbr)
	offsets := func(name string) []uint32 {
		off := rapid.SliceOfN(rapid.Uint32Range(0, uint32(edges)), n+1, n+1).Draw(t, name)
		slices.Sort(off)
		off[0], off[n] = 0, uint32(edges)
		return off
	}
	b.Off = offsets("offsets")
	if rapid.Bool().Draw(t, "weighted") {
		b.Weight = rapid.SliceOfN(rapid.Float32Range(0, 8), edges, edges).Draw(t, "weights")
	}
	if rapid.Bool().Draw(t, "in-degrees") {
		b.InOff = offsets("in offsets")
	}
	if rapid.Bool().Draw(t, "out-degrees") {
		b.OutOff = offsets("out offsets")
	}
	b.Degree = rapid.SliceOfN(rapid.Uint32Range(0, 5), int(b.N), int(b.N)).Draw(t, "degrees")
	b.cur = rapid.SliceOfN(value, int(b.N), int(b.N)).Draw(t, "values")
	for v := range n {
		if rapid.Bool().Draw(t, "listed") {
			b.list = append(b.list, uint16(v))
		}
	}
	b.slot = rapid.SliceOfN(rapid.Uint16Range(0, uint16(n-1)), edges, edges).Draw(t, "slots")
	return b
}

// testLoops holds a program's own loops against plain ones: the same bits and
// counts on random blocks.
func testLoops[V, A any](t *testing.T, draw func(t *rapid.T) gas.Program[V, A], value *rapid.Generator[V]) {
	t.Run(fmt.Sprintf("%T", draw)[len("func(*rapid.T) "):], func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			p := draw(t)
			compiled, ok := p.(gas.Compiled[V, A])
			if !ok {
				t.Fatalf("%T has no loops: run go generate", p)
			}
			got, want := compiled.Loops(), plainLoops(p)
			b := drawBlock(t, value)
			same := func(what string, x, y any) {
				t.Helper()
				if diff := cmp.Diff(y, x, cmp.Comparer(func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }),
					cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })); diff != "" {
					t.Fatalf("%T %+v: %s: %s", p, p, what, diff)
				}
			}
			same("program", got.Program, p)
			same("has Due", got.Due != nil, want.Due != nil)
			same("has Aggregate", got.Aggregate != nil, want.Aggregate != nil)

			if got.Due != nil {
				before := []uint16{7, 7}
				same("Due", got.Due(before, b.list, &b.Block, b.cur), want.Due(slices.Clone(before), b.list, &b.Block, b.cur))
			}
			accumulators := func(n int) (x, y []A) {
				for i := range n { // of something that was gathered before
					a := p.Zero()
					if i%3 == 0 {
						a = p.Sum(a, p.Gather(b.cur[i], gas.Edge{Weight: 2}, b.cur[0]))
					}
					x = append(x, a)
				}
				return x, slices.Clone(x)
			}
			x, y := accumulators(len(b.list))
			same("edges", got.Gather(x, b.list, &b.Block, b.cur), want.Gather(y, b.list, &b.Block, b.cur))
			same("Gather", x, y)

			next, wantNext := slices.Clone(b.cur), slices.Clone(b.cur)
			rising, wantRising := make([]uint64, 4), make([]uint64, 4)
			rising[1], wantRising[1] = 1<<40, 1<<40 // of a neighbouring shard
			activated, degrees := got.Apply(x, b.list, &b.Block, b.cur, next, rising)
			wantActivated, wantDegrees := want.Apply(y, b.list, &b.Block, b.cur, wantNext, wantRising)
			same("Apply", next, wantNext)
			same("rising", rising, wantRising)
			same("counts", []any{activated, degrees}, []any{wantActivated, wantDegrees})

			n := len(b.Off) - 1
			if got.Scatter != nil {
				x, y := accumulators(n)
				got.Scatter(x, b.Nbr, b.slot, b.Weight, b.cur)
				want.Scatter(y, b.Nbr, b.slot, b.Weight, b.cur)
				same("Scatter", x, y)
			}
			if got.Aggregate != nil {
				values := b.cur[b.First:][:n]
				same("Aggregate", got.Aggregate(&b.Block, values), want.Aggregate(&b.Block, values))
			}
		})
	})
}

func fixed[V, A any](p gas.Program[V, A]) func(*rapid.T) gas.Program[V, A] {
	return func(*rapid.T) gas.Program[V, A] { return p }
}

// TestLoops holds the compiled loops of every program against its methods.
func TestLoops(t *testing.T) {
	hops := rapid.OneOf(rapid.Uint32Range(0, 30), rapid.Just(uint32(math.MaxUint32)))
	unit32, unit64 := rapid.Float32Range(0, 1), rapid.Float64Range(0, 1)
	length32 := rapid.OneOf(rapid.Float32Range(0, 100), rapid.Just(float32(math.Inf(1))))
	length64 := rapid.OneOf(rapid.Float64Range(0, 100), rapid.Just(math.Inf(1)))
	bit := rapid.Uint32Range(0, 1)

	testLoops(t, fixed[uint32, uint32](programs.BFS{}), hops)
	testLoops(t, fixed[uint32, uint32](programs.WCC{}), rapid.Uint32())
	testLoops(t, fixed[float32, float32](programs.SSSP[float32]{}), length32)
	testLoops(t, fixed[float64, float64](programs.SSSP[float64]{}), length64)
	testLoops(t, func(t *rapid.T) gas.Program[float32, float64] {
		return programs.PageRank[float32]{Damping: 0.85, Tolerance: rapid.SampledFrom([]float64{0, 1}).Draw(t, "tolerance"), Personalised: rapid.Bool().Draw(t, "personalised")}
	}, unit32)
	testLoops(t, fixed[float64, float64](programs.PageRank[float64]{Damping: 0.85, Tolerance: 1e-3}), unit64)
	testLoops(t, fixed[float32, float32](programs.SSWP{}), length32)
	testLoops(t, func(t *rapid.T) gas.Program[uint32, uint32] {
		return programs.KCore{K: rapid.Uint32Range(0, 5).Draw(t, "k")}
	}, bit)
	small := rapid.Uint32Range(0, 3)
	testLoops(t, fixed[programs.Ballot, programs.Votes](programs.LPA{Seed: 3}), rapid.Custom(func(t *rapid.T) programs.Ballot {
		return programs.Ballot{Label: small.Draw(t, "label"), Candidate: small.Draw(t, "candidate"), Draw: rapid.Uint32().Draw(t, "draw")}
	}))
	testLoops(t, fixed[float32, float64](programs.Katz[float32]{Alpha: 0.1, Beta: 1, Tolerance: 0.1}), unit32)
	testLoops(t, fixed[float64, float64](programs.Katz[float64]{Alpha: 0.1, Beta: 1, Tolerance: 0.1}), unit64)
	testLoops(t, fixed[float32, programs.Flow](programs.Heat{Step: 0.1}), unit32)
	testLoops(t, fixed[programs.Node, programs.Branch](programs.Circuit{Volts: 5, Tolerance: 0.1}), rapid.Custom(func(t *rapid.T) programs.Node {
		return programs.Node{Volts: rapid.Float32Range(0, 5).Draw(t, "volts"), Held: rapid.Bool().Draw(t, "held")}
	}))
	testLoops(t, fixed[float32, float64](programs.Neural{Gain: 0.3, Bias: 0.1, Tolerance: 0.1}), unit32)
}
