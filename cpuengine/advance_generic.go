package cpuengine

import (
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
)

// addAdvance adds loops over frontiers, for programs that are [gas.Monotone] and whose
// values can be replaced.
func addAdvance[V, A any](loops *compiled.Loops[V, A], g *generic[V, A]) {
	if m, ok := loops.Program.(gas.Monotone); !ok || !m.Monotone() || !compiled.CanReplace[V]() {
		return
	}
	var zero V
	loops.Push = func(a *compiled.Advance, b *compiled.Block, list []uint32, from, cur []V) {
		for i, u := range list {
			eachArc(a, u, func(v uint32, e gas.Edge) {
				if _, changed := g.improve(a, b, v, g.program.Gather(from[i], e, zero), cur); changed {
					a.Next.Add(v)
				}
			})
		}
	}
	if p, ok := loops.Program.(gas.Prioritized[V]); ok {
		loops.Relax = func(a *compiled.Advance, b *compiled.Block, list []uint32, cur []V) {
			for _, u := range list {
				src := compiled.Load(&cur[u])
				if a.Buckets.Passed(p.Priority(src)) {
					continue
				}
				eachArc(a, u, func(v uint32, e gas.Edge) {
					if value, changed := g.improve(a, b, v, g.program.Gather(src, e, zero), cur); changed {
						a.Buckets.Put(v, p.Priority(value))
					}
				})
			}
		}
	}
}

// eachArc calls f for the edges of a vertex that is pushed from.
func eachArc(a *compiled.Advance, u uint32, f func(v uint32, e gas.Edge)) {
	from, to := a.Rows.Off[u], a.Rows.Off[u+1]
	if a.Cut {
		from, to = from+a.From, from+a.To
	}
	for k := from; k < to; k++ {
		v, weight := a.Rows.Arc(k)
		f(v, gas.Edge{Weight: weight})
	}
	a.Edges += to - from
	a.Vertices++
}

// improve applies a contribution to v, and reports whether that changed it.
func (g *generic[V, A]) improve(a *compiled.Advance, b *compiled.Block, v uint32, m A,
	cur []V) (value V, changed bool) {
	x := b.Vertex(int(v))
	for {
		old := compiled.Load(&cur[v])
		value = g.program.Apply(x, old, m, b.Step)
		if !g.program.Activate(x, old, value) {
			return value, false
		}
		if a.Next.Alone {
			cur[v] = value
			return value, true
		}
		if compiled.Replace(&cur[v], old, value) {
			return value, true
		}
	}
}
