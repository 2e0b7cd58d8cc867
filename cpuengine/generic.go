package cpuengine

import (
	"reflect"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
)

// LoopsOf returns the loops of a program: its own if it has been compiled, or generic ones, which
// call a method per edge.
func LoopsOf[V, A any](p gas.Program[V, A]) (loops compiled.Loops[V, A], own bool) {
	if c, ok := p.(compiled.Program[V, A]); ok {
		loops = c.Loops()
		if reflect.TypeOf(loops.Program) == reflect.TypeOf(p) {
			return loops, true
		}
	}
	return GenericLoops(p), false
}

// GenericLoops returns loops that work for any program.
func GenericLoops[V, A any](p gas.Program[V, A]) compiled.Loops[V, A] {
	g := generic[V, A]{program: p}
	g.saturable, _ = p.(gas.Saturable[A])
	loops := compiled.Loops[V, A]{Program: p, Gather: g.gather, Fold: foldPacked(p), Apply: g.apply, Weighs: true}
	addAdvance(&loops, &g)
	if s, ok := p.(gas.Settleable[V]); ok {
		loops.Due = func(due, list []uint16, b *compiled.Block, cur []V) []uint16 {
			for _, v := range list {
				if !s.Settled(cur[b.First+uint32(v)], b.Step) {
					due = append(due, v)
				}
			}
			return due
		}
	}
	if a, ok := p.(gas.Aggregable[V]); ok {
		loops.Aggregate = func(b *compiled.Block, values []V) (sum float64) {
			for v := range values {
				sum += a.Aggregate(b.Vertex(v), values[v])
			}
			return sum
		}
	}
	return loops
}

// generic are loops over any program's methods.
type generic[V, A any] struct {
	program   gas.Program[V, A]
	saturable gas.Saturable[A]
}

func (g *generic[V, A]) gather(acc []A, list []uint16, b *compiled.Block, cur []V) (edges int) {
	for i, v := range list {
		lo, hi := b.Off[v], b.Off[int(v)+1]
		dst := cur[b.First+uint32(v)]
		n := int(hi - lo)
		switch {
		case g.saturable != nil:
			acc[i], n = g.untilSaturated(acc[i], lo, hi, b, cur, dst)
		case b.Wide != nil:
			acc[i] = foldWeighted(g.program, acc[i], b.Nbr[lo:hi], b.Wide[lo:hi], cur, dst)
		case b.Weight == nil:
			acc[i] = fold(g.program, acc[i], b.Nbr[lo:hi], cur, dst)
		default:
			acc[i] = foldWeighted(g.program, acc[i], b.Nbr[lo:hi], b.Weight[lo:hi], cur, dst)
		}
		edges += n
	}
	return edges
}

// fold is a function of its own so that few values have to be saved around its
// calls: a third faster than inlined.
//
//go:noinline
func fold[V, A any](p gas.Program[V, A], acc A, nbr []uint32, cur []V, dst V) A {
	for _, u := range nbr {
		acc = p.Sum(acc, p.Gather(cur[u], gas.Edge{Weight: 1}, dst))
	}
	return acc
}

//go:noinline
func foldWeighted[V, A any, W float32 | float64](p gas.Program[V, A], acc A, nbr []uint32, weight []W, cur []V,
	dst V) A {
	for k, u := range nbr {
		acc = p.Sum(acc, p.Gather(cur[u], gas.Edge{Weight: float64(weight[k])}, dst))
	}
	return acc
}

// untilSaturated folds the edges [lo, hi) into acc, and returns how many of them
// were needed.
func (g *generic[V, A]) untilSaturated(acc A, lo, hi uint32, b *compiled.Block, cur []V, dst V) (A, int) {
	edge := gas.Edge{Weight: 1}
	for k := lo; k < hi; k++ {
		if g.saturable.Saturated(acc, b.Step) {
			return acc, int(k - lo)
		}
		switch {
		case b.Weight != nil:
			edge.Weight = float64(b.Weight[k])
		case b.Wide != nil:
			edge.Weight = b.Wide[k]
		}
		acc = g.program.Sum(acc, g.program.Gather(cur[b.Nbr[k]], edge, dst))
	}
	return acc, int(hi - lo)
}

func (g *generic[V, A]) apply(acc []A, list []uint16, b *compiled.Block, cur, next []V,
	rising []uint64) (activated int, degrees uint64) {
	p, base := g.program, b.First&^63
	for i, v := range list {
		x := b.Vertex(int(v))
		at := b.First + uint32(v)
		old := cur[at]
		value := p.Apply(x, old, acc[i], b.Step)
		next[at] = value
		if p.Activate(x, old, value) {
			rising[(at-base)>>6] |= 1 << (at & 63)
			activated++
			degrees += uint64(b.Degree[at])
		}
	}
	return activated, degrees
}
