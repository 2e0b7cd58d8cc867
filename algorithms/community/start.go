package community

import (
	"context"
	"slices"
)

// start finds a first community: the k-core around the query vertex, or, of large ones, what it shrinks to;
// else by local searches, and by growing some greedily, in parts of the base of ever smaller core numbers. It returns
// the problem that can have a better one; if nil, there is none, the best community is an optimum (or, where
// there is no best one, there is none of that size). When it is late, it ends with what it has found.
// When the context ends, so does it.
func (b *base) start(ctx context.Context, q Query, best *Best, late func() bool) (*Problem, error) {
	core := int(b.core[q.Vertex])
	most := min(core, q.High-1) // no community has a larger minimum degree
	if most == 0 {
		if q.Low == 1 {
			best.Offer(0, []uint32{q.Vertex})
		}
		return nil, nil
	}
	if core < b.least {
		return nil, b.tooSmall("the part of the graph with the query vertex does not fit")
	}
	if most = min(most, b.cores(q, best, late)); best.K() >= most {
		return nil, nil
	}
	ball := b.ball(q)
	shrink(ball, best, late)
	if improve(ball, best, most, late); best.K() >= 0 {
		return b.improved(ctx, q, best, most, late)
	}
	for t := most; ; {
		t = max(t, b.least)
		p, err := b.problem(q, t-1)
		if err != nil {
			return nil, err
		}
		if err := grow(ctx, p, best, late); err != nil {
			return nil, err
		}
		k := best.K()
		switch {
		case k >= most:
			return nil, nil
		case k+1 == t:
			return p, nil
		case k+1 > t || late() && k+1 >= b.least:
			return b.problem(q, k)
		case t == 1: // nothing has grown to l vertices in the whole component
			return nil, nil
		case t == b.least:
			return nil, b.tooSmall("the part of the graph that may have a better community does not fit")
		}
		t = max(k+1, t/2)
	}
}

// cores returns the largest k for which the connected k-core around the query vertex has the size
// of a community, or is larger: every community of minimum degree k is a part of it, so that none
// has a larger one. If the k-core is not larger, it is an optimum, and is offered; else, of more
// vertices than a ball has, what it shrinks to. Where the base has too few vertices to tell, the
// result is one less than the core numbers that it has; if -1, there is no community. When it is
// late, the result is the core number of the query vertex.
func (b *base) cores(q Query, best *Best, late func() bool) int {
	at, _ := slices.BinarySearch(b.ids, q.Vertex)
	k := int(b.core[q.Vertex])
	next := make([][]uint32, k+1) // by core number, vertices next to the k-core
	next[k] = []uint32{uint32(at)}
	b.local[at] = 0
	var vertices []uint32
	ended := false
	most := q.High // vertices that are looked for
	if most > ballVertices {
		most = len(b.ids)
	}
	for ; k >= b.least && len(vertices) < q.Low && !ended; k-- {
		for len(next[k]) > 0 && len(vertices) <= most && !ended {
			ended = len(vertices)%lateVertices == 0 && late()
			last := len(next[k]) - 1
			v := next[k][last]
			next[k], vertices = next[k][:last], append(vertices, v)
			for _, u := range b.row(v) {
				if b.local[u] == absent {
					b.local[u] = 0
					to := min(k, int(b.core[b.ids[u]]))
					next[to] = append(next[to], u)
				}
			}
		}
	}
	for _, v := range append(vertices, slices.Concat(next...)...) {
		b.local[v] = absent
	}
	switch {
	case ended:
		return int(b.core[q.Vertex])
	case len(vertices) < q.Low:
		return k
	}
	if k++; len(vertices) > q.High {
		if most > q.High {
			arcs := uint64(0)
			for _, v := range vertices {
				arcs += b.offsets[v+1] - b.offsets[v]
			}
			if b.checkSearch(q, len(vertices), arcs) == nil {
				shrink(b.induced(q, vertices), best, late)
			}
		}
		return k
	}
	for i, v := range vertices {
		vertices[i] = b.ids[v]
	}
	best.Offer(k, vertices)
	return k
}

// shrink takes vertices with the fewest neighbours away from a problem, one after another, until it has h
// vertices, and offers those that are connected with the query vertex, which stays, if they are enough.
func shrink(p *Problem, best *Best, late func() bool) {
	degree := make([]uint32, p.N)
	var by [][]uint32 // vertices by degree, as they came to have it
	put := func(v uint32) {
		for int(degree[v]) >= len(by) {
			by = append(by, nil)
		}
		by[degree[v]] = append(by[degree[v]], v)
	}
	for v := range uint32(p.N) {
		if degree[v] = uint32(len(p.Row(v))); v != p.Query {
			put(v)
		}
	}
	const gone = absent
	for left, d := p.N, 0; left > p.High; {
		last := len(by[d]) - 1
		if last < 0 {
			d++
			continue
		}
		v := by[d][last]
		by[d] = by[d][:last]
		if int(degree[v]) != d {
			continue
		}
		if left%lateVertices == 0 && late() {
			return
		}
		degree[v] = gone
		left--
		for _, u := range p.Row(v) {
			if degree[u] == gone {
				continue
			}
			if degree[u]--; u != p.Query {
				put(u)
				d = min(d, int(degree[u]))
			}
		}
	}
	reached, least := []uint32{p.Query}, degree[p.Query]
	degree[p.Query] = gone
	for i := 0; i < len(reached); i++ {
		for _, u := range p.Row(reached[i]) {
			if degree[u] != gone {
				least = min(least, degree[u])
				degree[u] = gone
				reached = append(reached, u)
			}
		}
	}
	if len(reached) < p.Low {
		return
	}
	for i, v := range reached {
		reached[i] = p.IDs[v]
	}
	best.Offer(int(least), reached)
}

// lateVertices is after how many vertices, which take little time each, the time is looked at.
const lateVertices = 1 << 8

// improved returns the problem of what is better than the best community so far, or than one
// that it shrinks to, or that a local search finds in it.
func (b *base) improved(ctx context.Context, q Query, best *Best, most int, late func() bool) (*Problem, error) {
	for k := best.K(); k < most; k = best.K() {
		if k+1 < b.least {
			return nil, b.tooSmall("the part of the graph that may have a better community does not fit")
		}
		p, err := b.problem(q, k)
		if err != nil || len(p.Neighbours) > localWork {
			return p, err
		}
		if shrink(p, best, late); best.K() == k {
			improve(p, best, most, late)
		}
		if best.K() == k {
			return p, ctx.Err()
		}
	}
	return nil, nil
}

// grow lets C grow from the query vertex to h vertices, and offers it at each size of a community.
// It ends when it is late, and when the context ends, with its error.
func grow(ctx context.Context, p *Problem, best *Best, late func() bool) error {
	var s State
	s.Load(p, Root(p))
	for ctx.Err() == nil && !late() {
		if len(s.c) >= p.Low {
			s.offer(best, s.c, s.inside, chosen)
		}
		u, ok := s.Pick()
		if !ok || len(s.c) == p.High {
			return nil
		}
		s.choose(u)
		s.sweep()
	}
	return ctx.Err()
}
