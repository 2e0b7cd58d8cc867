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

	"github.com/garaph/garaph/cpuengine"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
)

// Check compares a program's own loops with those that call its methods: the same bits and counts
// on random blocks.
func Check[V, A any](t *testing.T, draw func(t *rapid.T) gas.Program[V, A], value *rapid.Generator[V]) {
	t.Run(fmt.Sprintf("%T", draw)[len("func(*rapid.T) "):], func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			p := draw(t)
			own, ok := p.(compiled.Program[V, A])
			if !ok {
				t.Fatalf("%T has no loops: run go generate", p)
			}
			compare(t, own.Loops(), cpuengine.GenericLoops(p), drawBlock(t, value))
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
	got.Fold(&folded, side.Range(0, side.Layout.Blocks), cur)
	want.Fold(&wantFolded, side.Range(0, side.Layout.Blocks), cur)
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
