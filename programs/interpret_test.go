package programs_test

import (
	"math/rand/v2"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
)

// interpreter runs programs as package gas defines them, serially and without
// an engine.
type interpreter[V, A any] struct {
	program  gas.Program[V, A]
	vertices []gas.Vertex
	edges    [][]oracle.Edge // by vertex, those along which it gathers; Src is the neighbour
	values   []V
	// groups is in how many random parts an iteration goes over the vertices.
	// The values of a part become visible at its end: sync with one part, async
	// with more.
	groups int
	// before is called with each vertex that is going to be applied.
	before func(v uint32, s gas.Step)
}

func newInterpreter[V, A any](g oracle.Graph, p gas.Program[V, A]) *interpreter[V, A] {
	x := &interpreter[V, A]{program: p, edges: make([][]oracle.Edge, g.N), values: make([]V, g.N), groups: 1}
	in, out := oracle.Degrees(g)
	for v := range uint32(g.N) {
		x.vertices = append(x.vertices, gas.Vertex{ID: v, N: uint32(g.N), In: in[v], Out: out[v]})
	}
	d := gas.DirectionOf(p)
	for _, e := range g.Edges {
		if d != gas.Out {
			x.edges[e.Dst] = append(x.edges[e.Dst], e)
		}
		if d != gas.In {
			x.edges[e.Src] = append(x.edges[e.Src], oracle.Edge{Src: e.Dst, Weight: 1})
		}
	}
	return x
}

// fold sums what the given edges bring to v.
func (x *interpreter[V, A]) fold(v uint32, edges []oracle.Edge) A {
	acc := x.program.Zero()
	for _, e := range edges {
		acc = x.program.Sum(acc, x.program.Gather(x.values[e.Src], gas.Edge{Weight: float64(e.Weight)}, x.values[v]))
	}
	return acc
}

// run iterates until nothing is active, at most so many times (0: any number),
// and returns the number of iterations.
func (x *interpreter[V, A]) run(most int) int {
	aggregable, _ := x.program.(gas.Aggregable[V])
	active := false
	for v, vertex := range x.vertices {
		value, first := x.program.Init(vertex)
		x.values[v] = value
		active = active || first
	}
	rng := rand.New(rand.NewPCG(1, 2))
	n := 0
	for ; active && (most == 0 || n < most); n++ {
		step := gas.Step{Iteration: n}
		for v := range x.vertices {
			if aggregable != nil {
				step.Aggregate += aggregable.Aggregate(x.vertices[v], x.values[v])
			}
		}
		active = false
		order := rng.Perm(len(x.vertices))
		for k := range x.groups {
			part := order[len(order)*k/x.groups : len(order)*(k+1)/x.groups]
			next := make([]V, len(part))
			for i, v := range part {
				if x.before != nil {
					x.before(uint32(v), step)
				}
				old := x.values[v]
				next[i] = x.program.Apply(x.vertices[v], old, x.fold(uint32(v), x.edges[v]), step)
				active = x.program.Activate(x.vertices[v], old, next[i]) || active
			}
			for i, v := range part {
				x.values[v] = next[i]
			}
		}
	}
	return n
}
