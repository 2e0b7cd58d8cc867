package algorithms

import (
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/garaph/garaph/frontier"
)

// peel empties the graph, or leaves of it what is dense. Its first step counts triangles, and each other one is a
// round. Every edge joins the frontier once: its list has room for all.
func (p *peeling[E]) peel(ctx context.Context, g *oriented) (err error) {
	m := len(p.below.Nbr)
	if p.support, err = Make[uint32](p.env, m); err != nil {
		return err
	}
	var memory []E
	defer func() { Free(p.env, memory) }()
	var edges *frontier.Frontier[E] // made when the counting has freed what it used
	steps, done, next, least, vertices := 0, 0, 0, uint32(0), p.vertices.Load()
	return p.env.Steps(ctx, State{
		Done: &steps, Numbers: []any{&done, &vertices, &least}, Arrays: []any{&p.support, &p.best},
		Check: func() error { return p.check(done, vertices) },
	}, func() (again bool, err error) {
		if steps == 0 {
			if err = p.count(ctx, g); err == nil {
				steps++
			}
			return m > 0, err
		}
		if edges == nil {
			if memory, err = makeOrMap[E](p.env, theFrontier, m); err != nil {
				return false, err
			}
			edges = frontier.New(memory, p.env.Threads)
		}
		if next == len(edges.List()) {
			left, err := p.leastSupport(ctx)
			if err != nil {
				return false, err
			}
			least = max(least, left) // an earlier process may have left edges of less
			err = frontier.FilterAll(ctx, p.env, m, edges, func(e E) bool { return p.support[e] <= least })
			if err != nil {
				return false, err
			}
		}
		now := edges.List()[next:]
		if err = p.round(context.WithoutCancel(ctx), now, edges, least); err != nil {
			return false, err
		}
		next, done, vertices = next+len(now), done+len(now), p.vertices.Load()
		steps++
		p.env.Progress("peeling edges", int64(done), int64(m))
		return done < m && (next < len(edges.List()) || !p.dense(done)), nil
	})
}

// check takes over the number of vertices that have edges left, and returns an error if a state is none that a run has
// had.
func (p *peeling[E]) check(done int, vertices int64) error {
	p.vertices.Store(vertices)
	gone, left := 0, int64(0)
	for _, s := range p.support {
		if s == peeled {
			gone++
		}
	}
	for _, degree := range p.best {
		left += int64(1 - degree>>31)
	}
	if gone != done || left != vertices {
		return fmt.Errorf("%d edges are peeled and %d vertices left: expected %d and %d", gone, left, done, vertices)
	}
	return nil
}

// Steps returns "rounds".
func (Truss) Steps() (name, version string) { return "rounds", stateVersion }

// leastSupport returns the least support of the edges that are left.
func (p *peeling[E]) leastSupport(ctx context.Context) (uint32, error) {
	const scanned = 1 << 16
	least := uint32(math.MaxUint32)
	m := len(p.support)
	err := p.env.Each(ctx, (m+scanned-1)/scanned, func(_, i int) error {
		own := uint32(peeled)
		for _, s := range p.support[i*scanned : min((i+1)*scanned, m)] {
			own = min(own, s)
		}
		lowerTo(&least, own)
		return nil
	})
	return least, err
}

// round peels a frontier of support least or less, and adds the edges that fall to it.
func (p *peeling[E]) round(ctx context.Context, now []E, next *frontier.Frontier[E], least uint32) error {
	err := frontier.Compute(ctx, p.env, now, func(e E) {
		p.support[e] = current
		for _, v := range []uint32{p.below.Source(uint64(e)), p.below.Nbr[e]} {
			if atomic.AddUint32(&p.best[v], math.MaxUint32) == 0 {
				atomic.StoreUint32(&p.best[v], done|(least+2))
				p.vertices.Add(-1)
			}
		}
	})
	if err == nil && least > 0 && len(next.List()) < len(p.support) { // else no support falls
		err = frontier.Expand(ctx, p.env, now, next, func(e E, lane *frontier.Lane[E]) {
			p.peelEdge(uint64(e), least, lane)
		})
	}
	if err == nil {
		err = frontier.Compute(ctx, p.env, now, func(e E) { p.support[e] = peeled })
	}
	return err
}

// peelEdge takes an edge of the frontier, and the triangles that it is in. Of the edges of a
// triangle that are in the frontier, the first takes it.
func (p *peeling[E]) peelEdge(e uint64, least uint32, lane *frontier.Lane[E]) {
	lower := func(f uint64, s uint32) {
		if s != current && atomic.AddUint32(&p.support[f], math.MaxUint32) == least {
			lane.Add(E(f))
		}
	}
	p.triangles(p.below.Source(e), e, func(f, g uint64) {
		s, t := atomic.LoadUint32(&p.support[f]), atomic.LoadUint32(&p.support[g])
		if s == peeled || t == peeled || s == current && f < e || t == current && g < e {
			return
		}
		lower(f, s)
		lower(g, t)
	})
}
