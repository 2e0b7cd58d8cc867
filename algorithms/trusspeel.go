package algorithms

import (
	"context"
	"fmt"

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
