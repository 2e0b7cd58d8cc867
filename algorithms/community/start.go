package community

import "context"

// start finds a first community by growing some greedily, in parts of the base of ever smaller
// core numbers, and returns the problem that can have a better one; nil: there is none, the best
// community is an optimum (or, where there is no best one, there is none of that size). When it is
// late, local searches end with what they have found. When the context ends, so does it.
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
		return nil, b.tooSmall("the part of the graph with the query vertex does not fit", 1)
	}
	if improve(b.ball(q), best, most, late); best.K() >= 0 {
		return b.improved(ctx, q, best, most, late)
	}
	for t := most; ; {
		t = max(t, b.least)
		p, err := b.problem(q, t-1)
		if err != nil {
			return nil, err
		}
		for _, by := range []func(*State) (uint32, bool){(*State).Pick, (*State).pickMost} {
			if err := grow(ctx, p, best, by); err != nil {
				return nil, err
			}
		}
		k := best.K()
		switch {
		case k >= most:
			return nil, nil
		case k+1 >= t:
			if k+1 == t {
				return p, nil
			}
			return b.problem(q, k)
		case t == 1: // nothing has grown to l vertices in the whole component
			return nil, nil
		case t == b.least:
			return nil, b.tooSmall("the part of the graph that may have a better community does not fit", k+1)
		}
		t = max(k+1, t/2)
	}
}

// improved returns the problem of what is better than the best community so far, or than one
// that a local search finds in it.
func (b *base) improved(ctx context.Context, q Query, best *Best, most int, late func() bool) (*Problem, error) {
	for k := best.K(); k < most; k = best.K() {
		if k+1 < b.least {
			return nil, b.tooSmall("the part of the graph that may have a better community does not fit", k+1)
		}
		p, err := b.problem(q, k)
		if err != nil || len(p.Neighbours) > localWork {
			return p, err
		}
		if improve(p, best, most, late); best.K() == k {
			return p, ctx.Err()
		}
	}
	return nil, nil
}

// grow lets C grow from the query vertex to h vertices by what pick finds, and offers it at each
// size of a community. It ends when the context does, with its error.
func grow(ctx context.Context, p *Problem, best *Best, pick func(*State) (uint32, bool)) error {
	var s State
	s.Load(p, Root(p))
	for ctx.Err() == nil {
		if len(s.c) >= p.Low {
			s.offer(best, s.c, s.inside, chosen)
		}
		u, ok := pick(&s)
		if !ok || len(s.c) == p.High {
			return nil
		}
		s.choose(u)
		s.sweep()
	}
	return ctx.Err()
}

// pickMost returns the candidate with the most neighbours in C, then the largest degree, then the
// least id.
func (s *State) pickMost() (best uint32, ok bool) {
	for _, v := range s.r {
		if s.inside[v] > 0 && (!ok || s.inside[v] > s.inside[best] || s.inside[v] == s.inside[best] && s.degree[v] > s.degree[best]) {
			best, ok = v, true
		}
	}
	return best, ok
}
