package community

import (
	"math/rand/v2"
	"slices"
)

// ballVertices is the number of vertices around the query vertex among which a first community is looked for.
const ballVertices = 2048

// ballArcs is the number of ends of edges that are read, at most, to choose those of a distance.
const ballArcs = 1 << 23

// ball returns a connected part of the base around the query vertex: of each distance the vertices with
// the most neighbours that are in it already, then those of the largest core number.
func (b *base) ball(q Query) *Problem {
	const taken = absent - 1
	at, _ := slices.BinarySearch(b.ids, q.Vertex)
	vertices := []uint32{uint32(at)}
	b.local[at] = taken
	for begin := 0; begin < len(vertices) && len(vertices) < ballVertices; {
		var reached []uint32 // which b.local counts neighbours of
		arcs := 0
		for _, v := range vertices[begin:] {
			for _, u := range b.row(v) {
				switch b.local[u] {
				case taken:
				case absent:
					b.local[u] = 1
					reached = append(reached, u)
				default:
					b.local[u]++
				}
			}
			if arcs += len(b.row(v)); arcs > ballArcs {
				break
			}
		}
		slices.SortFunc(reached, func(u, v uint32) int {
			if b.local[u] != b.local[v] {
				return int(b.local[v]) - int(b.local[u])
			}
			if x, y := b.core[b.ids[u]], b.core[b.ids[v]]; x != y {
				return int(y) - int(x)
			}
			return int(u) - int(v)
		})
		begin = len(vertices)
		vertices = append(vertices, reached[:min(len(reached), ballVertices-begin)]...)
		for _, u := range reached {
			b.local[u] = absent
		}
		for _, u := range vertices[begin:] {
			b.local[u] = taken
		}
	}
	for _, v := range vertices {
		b.local[v] = absent
	}
	return b.induced(q, vertices)
}

// improve looks for better communities in a problem, until a local search finds none, or one of
// minimum degree most, or it is late.
func improve(p *Problem, best *Best, most int, late func() bool) {
	for k := -2; k < best.K() && best.K() < most; {
		k = best.K()
		s := State{late: late}
		s.Load(p, Root(p))
		if !s.Reduce(k) || s.isLate() {
			return
		}
		if s.size() < p.N {
			s.compact()
		}
		p = s.p
		l := newLocal(p, k+1)
		l.late = late
		l.search(best)
	}
}

// local is a local search for a community C of minimum degree k or more. It makes what the
// vertices of C lack, Σ max{0, k − d_C(u)}, smaller by adding and dropping vertices; what it has dropped
// does not come back for some steps.
type local struct {
	p      *Problem
	k      int
	c      []uint32
	in     []bool
	inside []int32 // neighbours in C, of all vertices
	helps  []int32 // neighbours in C that lack some
	back   []int   // the step from which on a vertex may be added
	step   int
	work   int // ends of edges that were read
	random *rand.Rand
	late   func() bool // there is no time left; if nil, never
}

// localWork is the number of ends of edges a local search reads, at most.
const localWork = 1 << 24

// localSwaps is how often a vertex takes the place of another one, from one beginning.
const localSwaps = 100

func newLocal(p *Problem, k int) *local {
	return &local{
		p: p, k: k, in: make([]bool, p.N), inside: make([]int32, p.N), helps: make([]int32, p.N), back: make([]int, p.N),
		random: rand.New(rand.NewPCG(1, 2)),
	}
}

// search begins with the query vertex, and then with it and each of its neighbours, until C is a
// community that lacks nothing.
func (l *local) search(best *Best) {
	if l.from(best) {
		return
	}
	near := slices.Clone(l.p.Row(l.p.Query))
	slices.SortFunc(near, func(u, v uint32) int { return len(l.p.Row(v)) - len(l.p.Row(u)) })
	for _, v := range near {
		if l.ended() || l.from(best, v) {
			return
		}
	}
}

// from searches from the query vertex and others, and reports whether it has found a community.
func (l *local) from(best *Best, others ...uint32) bool {
	for len(l.c) > 0 {
		l.drop(len(l.c) - 1)
	}
	clear(l.back)
	l.add(l.p.Query)
	for _, v := range others {
		l.add(v)
	}
	for swaps := 0; swaps < localSwaps && !l.ended(); {
		if l.found(best) {
			return true
		}
		if len(l.c) == l.p.High {
			l.drop(l.worst())
			swaps++
			continue
		}
		v, ok := l.pick()
		if !ok {
			return false
		}
		l.add(v)
		l.step++
	}
	return false
}

// ended reports whether all work or time was spent.
func (l *local) ended() bool { return l.work > localWork || l.late != nil && l.late() }

// found offers C if it lacks nothing.
func (l *local) found(best *Best) bool {
	if len(l.c) < l.p.Low || len(l.c) > l.p.High {
		return false
	}
	least := l.inside[l.c[0]]
	for _, u := range l.c {
		least = min(least, l.inside[u])
	}
	l.p.offer(best, int(least), l.c, func(v uint32) bool { return l.in[v] })
	return best.K() >= l.k
}

func (l *local) add(v uint32) {
	l.c, l.in[v] = append(l.c, v), true
	l.count(v, 1)
}

// drop takes the i-th vertex out of C.
func (l *local) drop(i int) {
	v := l.c[i]
	l.c, l.in[v] = slices.Delete(l.c, i, i+1), false
	l.back[v] = l.step + 3 + l.random.IntN(5)
	l.count(v, -1)
}

func (l *local) count(v uint32, by int32) {
	row := l.p.Row(v)
	for _, u := range row {
		l.inside[u] += by
	}
	l.work += len(row)
}

// worst returns the place of the vertex without which C lacks least.
func (l *local) worst() (worst int) {
	least := 0
	for i, v := range l.c {
		if v == l.p.Query {
			continue
		}
		lacks := -max(0, l.k-int(l.inside[v]))
		for _, u := range l.c {
			if int(l.inside[u]) <= l.k && l.adjacent(u, v) {
				lacks++
			}
		}
		lacks = lacks<<8 + l.random.IntN(256)
		if worst == 0 || lacks < least {
			worst, least = i, lacks
		}
	}
	return worst
}

func (l *local) adjacent(u, v uint32) bool {
	_, ok := slices.BinarySearch(l.p.Row(u), v)
	return ok
}

// pick returns the vertex with which C lacks least, then one with many neighbours in C.
func (l *local) pick() (best uint32, ok bool) {
	var reached []uint32
	for _, u := range l.c {
		if int(l.inside[u]) >= l.k && len(l.c) >= l.p.Low {
			continue
		}
		row := l.p.Row(u)
		l.work += len(row)
		for _, v := range row {
			if l.in[v] || l.back[v] > l.step {
				continue
			}
			if l.helps[v] == 0 {
				reached = append(reached, v)
			}
			l.helps[v]++
		}
	}
	most := 0
	for _, v := range reached {
		score := int(l.helps[v]) - max(0, l.k-int(l.inside[v]))
		score = (score<<8+int(l.inside[v]))<<8 + l.random.IntN(256)
		if !ok || score > most {
			best, most, ok = v, score, true
		}
		l.helps[v] = 0
	}
	return best, ok
}
