package algorithms

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/garaph/garaph/frontier"
)

// peelCores computes core numbers from rows in memory, level by level, as PKC (Kabir and Madduri,
// Parallel k-core Decomposition on Multicore Platforms, IPDPSW 2017): of the vertices that are left
// those of the least degree k are the frontier of level k. Each takes itself from the degrees
// of its neighbours, and those that fall to k are peeled at the same level. What its degree has come
// to when a vertex is peeled is its core number. The lists of the vertices that are left have each
// vertex once for each level up to its core number, so that to read them all takes no longer
// than to read the edges.
func peelCores(ctx context.Context, e *Env, core []uint32) error {
	var lists [3]*frontier.Frontier[uint32]
	var memory [3][]uint32
	for i := range lists {
		var err error
		if memory[i], err = Make[uint32](e, len(core)); err != nil {
			return err
		}
		lists[i] = frontier.New(memory[i], e.Threads)
		defer Free(e, memory[i])
	}
	err := EachVertex(ctx, e, "degrees", func(_ int, v uint32, ends *Ends) {
		for _, more := ends.Next(); more; _, more = ends.Next() {
			core[v]++
		}
	})
	if err != nil {
		return err
	}
	p := &corePeeling{env: e, core: core, peeled: lists[0]}
	return p.peel(ctx, lists[1], lists[2])
}

// corePeeling is the graph and what is left of it.
type corePeeling struct {
	env  *Env
	core []uint32 // degrees among those that are left; of a peeled vertex its core number
	// frontiers, one after another; a vertex that another one's goroutine peels at once is in none
	peeled *frontier.Frontier[uint32]

	parallel bool // parallel edges count each
}

// peel empties the graph, with memory for lists of the vertices that are left.
func (p *corePeeling) peel(ctx context.Context, left, other *frontier.Frontier[uint32]) error {
	least := uint32(math.MaxUint32)
	err := frontier.FilterAll(ctx, p.env, len(p.core), left, func(v uint32) bool { return p.remains(v, 0, &least) })
	for all := len(left.List()); err == nil && len(left.List()) > 0; left, other = other, left {
		k := least
		if err = p.level(ctx, left.List(), k); err != nil {
			return err
		}
		other.Clear()
		least = math.MaxUint32
		err = frontier.Filter(ctx, p.env, left.List(), other, func(v uint32) bool { return p.remains(v, k, &least) })
		p.env.Progress("core numbers", int64(all-len(other.List())), int64(all))
	}
	return err
}

// lowerTo makes x the minimum, if it is less. Goroutines may lower it at once.
func lowerTo(least *uint32, x uint32) {
	for old := atomic.LoadUint32(least); x < old && !atomic.CompareAndSwapUint32(least, old, x); {
		old = atomic.LoadUint32(least)
	}
}

// remains reports whether v is left after level k, and lowers least to its degree then.
func (p *corePeeling) remains(v, k uint32, least *uint32) bool {
	d := p.core[v]
	if d > k {
		lowerTo(least, d)
	}
	return d > k
}

// level peels the vertices of degree k, and those that fall to it.
func (p *corePeeling) level(ctx context.Context, left []uint32, k uint32) error {
	done := len(p.peeled.List())
	err := frontier.Filter(ctx, p.env, left, p.peeled, func(v uint32) bool { return p.core[v] == k })
	if err != nil {
		return err
	}
	return p.spread(ctx, done, k)
}

// spread peels the vertices that fall to k by what was peeled, from number done on.
func (p *corePeeling) spread(ctx context.Context, done int, k uint32) (err error) {
	for err == nil && done < len(p.peeled.List()) {
		now := p.peeled.List()[done:]
		done += len(now)
		err = frontier.Expand(ctx, p.env, now, p.peeled, func(v uint32, lane *frontier.Lane[uint32]) { p.from(v, k, lane) })
	}
	return err
}

// longestPeel is the number of vertices a task peels one after another.
const longestPeel = 1 << 14

// from peels v, and then what falls to k, so that a long path is not as many frontiers:
// those for which its stack has no room join the next one.
func (p *corePeeling) from(v, k uint32, lane *frontier.Lane[uint32]) {
	var room [64]uint32
	stack := append(room[:0], v)
	for n := 0; len(stack) > 0; n++ {
		ends := p.env.ends.of(stack[len(stack)-1])
		ends.parallel = p.parallel
		stack = stack[:len(stack)-1]
		for u, more := ends.Next(); more; u, more = ends.Next() {
			switch {
			case !p.fall(u, k):
			case len(stack) < len(room) && n < longestPeel:
				stack = append(stack, u)
			default:
				lane.Add(u)
			}
		}
	}
}

// fall takes one from a degree that is above k, and reports whether it is k then, which is so once.
func (p *corePeeling) fall(u, k uint32) bool {
	for d := atomic.LoadUint32(&p.core[u]); d > k; d = atomic.LoadUint32(&p.core[u]) {
		if atomic.CompareAndSwapUint32(&p.core[u], d, d-1) {
			return d-1 == k
		}
	}
	return false
}
