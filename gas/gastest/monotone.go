// Package gastest tells the author of a vertex program, in a test, whether the program has
// the abilities that it claims.
package gastest

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/garaph/garaph/gas"
)

// The graphs that CheckMonotone runs a program over.
const (
	graphs        = 60
	leastVertices = 20
	mostVertices  = 50
	pushOrders    = 8
	mostSteps     = 200_000
)

// CheckMonotone checks what a program promises by being [gas.Monotone] and
// [gas.Idempotent], and by [gas.Prioritized] if it has priorities. It runs the program over
// small random graphs of 20 to 50 vertices with weights: by pulls, until no vertex is
// active, and as frontiers are advanced, along one edge after the other, in any order, some
// of them several times. Both have to end with the same values. Vertices that the program
// names, such as a source, must be below 20. An error names the promise that does not hold.
func CheckMonotone[V comparable, A any](t testing.TB, p gas.Program[V, A]) {
	t.Helper()
	monotone, able := p.(gas.Monotone)
	idempotent, again := p.(gas.Idempotent)
	if !able || !again || !monotone.Monotone() || !idempotent.Idempotent() {
		t.Fatalf("program %T does not claim to be gas.Monotone and gas.Idempotent", p)
	}
	if _, sums := p.(gas.Aggregable[V]); sums {
		t.Fatalf("program %T is gas.Aggregable: an aggregate is that of an iteration, which frontiers do not have", p)
	}
	for seed := range uint64(graphs) {
		c := checked[V, A]{program: p, graph: randomGraph(seed, gas.DirectionOf(p))}
		c.priority, _ = p.(gas.Prioritized[V])
		if err := c.check(seed); err != nil {
			t.Fatalf("program %T, graph %d: %v", p, seed, err)
		}
	}
}

// arc is an edge in the direction in which a value goes along it.
type arc struct {
	from, to uint32
	edge     gas.Edge
}

// graph is a graph for a program.
type graph struct {
	vertices []gas.Vertex
	into     [][]arc // by the vertex that gathers
	outOf    [][]arc // by the vertex whose value goes along
}

func randomGraph(seed uint64, direction gas.Direction) graph {
	r := rand.New(rand.NewPCG(seed, 1))
	n := leastVertices + r.IntN(mostVertices-leastVertices+1)
	g := graph{make([]gas.Vertex, n), make([][]arc, n), make([][]arc, n)}
	for v := range g.vertices {
		g.vertices[v] = gas.Vertex{ID: uint32(v), N: uint32(n)}
	}
	add := func(a arc) {
		g.into[a.to] = append(g.into[a.to], a)
		g.outOf[a.from] = append(g.outOf[a.from], a)
	}
	for range r.IntN(4 * n) {
		src, dst := uint32(r.IntN(n)), uint32(r.IntN(n))
		g.vertices[src].Out++
		g.vertices[dst].In++
		if direction != gas.Out {
			add(arc{src, dst, gas.Edge{Weight: float64(r.IntN(9))}})
		}
		if direction != gas.In {
			add(arc{dst, src, gas.Edge{Weight: 1}})
		}
	}
	return g
}

// checked is a program over a graph.
type checked[V comparable, A any] struct {
	graph
	program  gas.Program[V, A]
	priority gas.Prioritized[V]
}

func (c *checked[V, A]) check(seed uint64) error {
	var pushed [pushOrders][]V
	var err error
	for order := range pushed { // whose error is more precise
		if pushed[order], err = c.push(rand.New(rand.NewPCG(seed, uint64(order)))); err != nil {
			return err
		}
	}
	want, err := c.pull()
	for _, got := range pushed {
		for v := 0; err == nil && v < len(want); v++ {
			if got[v] != want[v] {
				err = fmt.Errorf("vertex %d of %d has %v after contributions one by one, in some order, and %v after pulls: it "+
					"is not Monotone and Idempotent", v, len(want), got[v], want[v])
			}
		}
	}
	return err
}

// begin returns the values before the first iteration, and the active vertices.
func (c *checked[V, A]) begin() (values []V, active []uint32) {
	for _, v := range c.vertices {
		value, now := c.program.Init(v)
		values = append(values, value)
		if now {
			active = append(active, v.ID)
		}
	}
	return values, active
}

// pull has every vertex gather in every iteration.
func (c *checked[V, A]) pull() ([]V, error) {
	p := c.program
	values, active := c.begin()
	for step := (gas.Step{}); len(active) > 0; step.Iteration++ {
		if step.Iteration > mostSteps/mostVertices {
			return nil, fmt.Errorf("vertices are active after %d pulls: values do not only get better", step.Iteration)
		}
		next := make([]V, len(values))
		active = active[:0]
		for _, v := range c.vertices {
			old, acc := values[v.ID], p.Zero()
			for _, a := range c.into[v.ID] {
				acc = p.Sum(acc, p.Gather(values[a.from], a.edge, old))
			}
			next[v.ID] = p.Apply(v, old, acc, step)
			if p.Activate(v, old, next[v.ID]) {
				active = append(active, v.ID)
			} else if old != next[v.ID] {
				return nil, fmt.Errorf("the change from %v to %v activates no vertex: a Monotone program reports every change",
					old, next[v.ID])
			}
		}
		values = next
	}
	return values, nil
}

// push sends values of active vertices along one edge after the other, and some again.
func (c *checked[V, A]) push(r *rand.Rand) ([]V, error) {
	values, active := c.begin()
	for steps := 0; len(active) > 0; steps++ {
		if steps > mostSteps {
			return nil, fmt.Errorf("vertices are active after %d contributions: values do not only get better", steps)
		}
		i := r.IntN(len(active))
		u := active[i]
		active[i] = active[len(active)-1]
		active = active[:len(active)-1]
		arcs := append([]arc(nil), c.outOf[u]...)
		for range r.IntN(3) * min(1, len(arcs)) {
			arcs = append(arcs, arcs[r.IntN(len(arcs))])
		}
		r.Shuffle(len(arcs), func(i, j int) { arcs[i], arcs[j] = arcs[j], arcs[i] })
		for _, a := range arcs {
			rises, err := c.send(values, a)
			if err != nil {
				return nil, err
			}
			if rises {
				active = append(active, a.to)
			}
		}
	}
	return values, nil
}

// send sends a value along an edge, and reports whether that made the other end active.
func (c *checked[V, A]) send(values []V, a arc) (rises bool, err error) {
	p, v := c.program, c.vertices[a.to]
	src, old := values[a.from], values[a.to]
	acc := p.Gather(src, a.edge, old)
	if twice := p.Sum(acc, acc); !reflect.DeepEqual(twice, acc) {
		return false, fmt.Errorf("the sum of %v and itself is %v: Sum of a Monotone program keeps the better of two",
			acc, twice)
	}
	now := p.Apply(v, old, acc, gas.Step{})
	if again := p.Apply(v, now, acc, gas.Step{}); again != now {
		return false, fmt.Errorf("it is not Idempotent: Apply of %v to %v is %v, and %v if it is done again",
			acc, old, now, again)
	}
	if !p.Activate(v, old, now) {
		return false, nil
	}
	values[a.to] = now
	if c.priority != nil && c.priority.Priority(now) < c.priority.Priority(src) {
		return false, fmt.Errorf("an edge leads from %v with priority %v to %v with %v: none leads to a lower one",
			src, c.priority.Priority(src), now, c.priority.Priority(now))
	}
	return true, nil
}
