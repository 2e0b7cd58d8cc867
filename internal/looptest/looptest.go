// Package looptest compares the compiled loops of vertex programs with their
// methods, on random blocks. Only tests use it.
package looptest

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/shard/packed"
)

// Plain are the loops of any program as package gas defines them, one call
// of an interface's method after another.
func Plain[V, A any](p gas.Program[V, A]) compiled.Loops[V, A] {
	saturable, _ := p.(gas.Saturable[A])
	l := compiled.Loops[V, A]{Program: p}
	l.Gather = func(acc []A, list []uint16, b *compiled.Block, cur []V) (edges int) {
		for i, v := range list {
			for e := b.Off[v]; e < b.Off[v+1]; e++ {
				if saturable != nil && saturable.Saturated(acc[i], b.Step) {
					break
				}
				acc[i] = p.Sum(acc[i], p.Gather(cur[b.Nbr[e]], edge(b.Weight, e), cur[b.First+uint32(v)]))
				edges++
			}
		}
		return edges
	}
	l.Fold = func(acc *[1 << 16]A, b *packed.Blocks, cur []V) {
		for e := range b.All() {
			for i, u := range e.Nbr {
				s := e.Dst[i]
				acc[s] = p.Sum(acc[s], p.Gather(cur[u], edge(e.Weight, uint32(i)), cur[b.First()+uint32(s)]))
			}
		}
	}
	l.Apply = func(acc []A, list []uint16, b *compiled.Block, cur, next []V, rising []uint64) (activated int, degrees uint64) {
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
	plainAbilities(&l)
	plainAdvance(&l)
	return l
}

// plainAbilities adds the loops over optional methods.
func plainAbilities[V, A any](l *compiled.Loops[V, A]) {
	if settleable, ok := l.Program.(gas.Settleable[V]); ok {
		l.Due = func(due, list []uint16, b *compiled.Block, cur []V) []uint16 {
			for _, v := range list {
				if !settleable.Settled(cur[b.First+uint32(v)], b.Step) {
					due = append(due, v)
				}
			}
			return due
		}
	}
	if aggregable, ok := l.Program.(gas.Aggregable[V]); ok {
		l.Aggregate = func(b *compiled.Block, values []V) (sum float64) {
			for v, value := range values {
				sum += aggregable.Aggregate(b.Vertex(v), value)
			}
			return sum
		}
	}
}

// edge is the i-th edge of a block.
func edge(weights []float32, i uint32) gas.Edge {
	if weights == nil {
		return gas.Edge{Weight: 1}
	}
	return gas.Edge{Weight: weights[i]}
}

// Check compares a program's own loops with plain ones: the same bits and counts
// on random blocks.
func Check[V, A any](t *testing.T, draw func(t *rapid.T) gas.Program[V, A], value *rapid.Generator[V]) {
	t.Run(fmt.Sprintf("%T", draw)[len("func(*rapid.T) "):], func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			p := draw(t)
			own, ok := p.(compiled.Program[V, A])
			if !ok {
				t.Fatalf("%T has no loops: run go generate", p)
			}
			compare(t, own.Loops(), Plain(p), drawBlock(t, value))
		})
	})
}

// compare runs all loops over one block.
func compare[V, A any](t *rapid.T, got, want compiled.Loops[V, A], b *block[V]) {
	p := want.Program
	same := func(what string, x, y any) {
		t.Helper()
		if diff := cmp.Diff(y, x, sameBits...); diff != "" {
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
	x := accumulators(p, b, len(b.list))
	y := slices.Clone(x)
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

	compareFold(t, got, want, b)
	compareAdvance(t, got, want, b, same)
	if got.Aggregate != nil {
		values := b.cur[b.First:][:len(b.Off)-1]
		same("Aggregate", got.Aggregate(&b.Block, values), want.Aggregate(&b.Block, values))
	}
}

// sameBits compares floats by their bits; any NaN is like another.
var sameBits = []cmp.Option{
	cmp.Exporter(func(reflect.Type) bool { return true }),
	cmp.Comparer(func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b }),
	cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b }),
}

// accumulators are n of them, some of which have gathered before.
func accumulators[V, A any](p gas.Program[V, A], b *block[V], n int) []A {
	list := make([]A, n)
	for i := range list {
		list[i] = p.Zero()
		if i%3 == 0 {
			list[i] = p.Sum(list[i], p.Gather(b.cur[i], gas.Edge{Weight: 2}, b.cur[0]))
		}
	}
	return list
}

// compareFold compares the loops over packed blocks, in the accumulators of vertices
// that have edges.
func compareFold[V, A any](t *rapid.T, got, want compiled.Loops[V, A], b *block[V]) {
	side, cur := b.pack(t)
	var folded, wantFolded [1 << 16]A
	for i := range folded {
		folded[i] = want.Program.Zero()
	}
	wantFolded = folded
	got.Fold(&folded, side.Range(0, side.Blocks), cur)
	want.Fold(&wantFolded, side.Range(0, side.Blocks), cur)
	var x, y []A
	for e := range side.All() {
		for _, s := range e.Dst {
			x, y = append(x, folded[s]), append(y, wantFolded[s])
		}
	}
	if diff := cmp.Diff(y, x, sameBits...); diff != "" {
		t.Fatalf("%T %+v: Fold: %s", want.Program, want.Program, diff)
	}
}
