package algorithms

import (
	"context"
	"math"
	"math/bits"
	"sync/atomic"
)

// mostDense is the most vertices of a [densePeeling]: supports have 16 bits.
const mostDense = 1<<16 - 1

// dense reports whether edges are a quarter or more of all that vertices can have, so that a
// [densePeeling] takes less memory than lists of these edges.
func dense(vertices, edges uint64) bool {
	return edges > 0 && vertices <= mostDense && vertices*vertices <= 8*edges
}

// densePeeling is the peeling of a dense graph, whose triangles are found by intersecting rows of
// bits. A round goes over the vertices that have edges in the frontier. One goroutine has vertex v:
// it counts in row v what other edges of v lose by those of v in the frontier.
type densePeeling struct {
	env       *Env
	left      *bitRows // the edges that are left, those of the frontier among them
	now, next *bitRows // the frontier, and the next one
	support   []uint16 // n rows: (u, v) and (v, u) add up to the support of that edge, modulo 2^16
	best      []uint32 // by vertex: the largest k so far
}

// peelDense peels a dense graph and returns the largest k of each of its vertices, in an array of
// the run. It frees the edges.
func peelDense(ctx context.Context, e *Env, left *bitRows, edges int64) ([]uint32, error) {
	d := &densePeeling{env: e, left: left}
	var err error
	for _, rows := range []**bitRows{&d.now, &d.next} {
		if *rows, err = newBitRows(e, left.n); err != nil {
			return nil, err
		}
		defer Free(e, (*rows).bits)
	}
	if d.support, err = Make[uint16](e, left.n*left.n); err != nil {
		return nil, err
	}
	defer Free(e, left.bits)
	defer Free(e, d.support)
	if d.best, err = Make[uint32](e, left.n); err == nil {
		err = d.count(ctx)
	}
	if err == nil {
		err = d.peel(ctx, edges)
	}
	return d.best, err
}

// count counts the triangles of each edge.
func (d *densePeeling) count(ctx context.Context) error {
	var done atomic.Int64
	return d.env.Each(ctx, d.left.n, func(_, v int) error {
		row := d.left.row(v)
		for u := range eachBit(row[:v>>6+1]) {
			if u < v {
				d.support[v*d.left.n+u] = uint16(commonBits(row, d.left.row(u)))
			}
		}
		d.env.Progress("counting triangles", done.Add(1), int64(d.left.n))
		return nil
	})
}

// peel empties the graph.
func (d *densePeeling) peel(ctx context.Context, edges int64) error {
	left := edges
	for level := uint32(0); left > 0; {
		joined, least, err := d.gather(ctx, level, true)
		if err == nil && joined == 0 {
			level = least
			continue
		}
		for err == nil && joined > 0 {
			if left -= joined; left > 0 {
				err = d.env.Each(ctx, d.left.n, func(_, v int) error {
					d.lower(v)
					return nil
				})
			}
			if err == nil {
				joined, _, err = d.gather(ctx, level, false)
			}
			d.env.Progress("peeling edges", edges-left, edges)
		}
		if err != nil {
			return err
		}
		level++
	}
	return nil
}

// lower lowers the supports of edges of v by the triangles that another edge of v, one in the
// frontier, closes. Of a triangle with two edges in the frontier, one of their ends counts it.
func (d *densePeeling) lower(v int) {
	left, now := d.left.row(v), d.now.row(v)
	support := d.support[v*d.left.n:][:d.left.n]
	for u := range eachBit(now) {
		leftOfU, nowOfU := d.left.row(u), d.now.row(u)
		for w := range left {
			common := left[w] & leftOfU[w] &^ now[w]
			switch {
			case w < v>>6:
				common &^= nowOfU[w]
			case w == v>>6:
				common &^= nowOfU[w] & (1<<(v&63) - 1)
			}
			of := support[w<<6:]
			for ; common != 0; common &= common - 1 {
				of[bits.TrailingZeros64(common)]--
			}
		}
	}
}

// gather removes the edges of the frontier, and makes the next one of the edges of their ends, or
// of all edges, whose support is level or less. It returns their number, and the least support of
// the others.
func (d *densePeeling) gather(ctx context.Context, level uint32, all bool) (int64, uint32, error) {
	n := d.left.n
	least := uint32(math.MaxUint32)
	var joined atomic.Int64
	err := d.env.Each(ctx, n, func(_, v int) error {
		left, found, own := d.left.row(v), false, int64(0)
		for w, now := range d.now.row(v) {
			left[w] &^= now
			found = found || now != 0
		}
		if found {
			d.best[v] = level + 2
			clear(d.now.row(v))
		} else if !all {
			return nil
		}
		if all {
			left = left[:v>>6+1] // the others are those of other vertices
		}
		for u := range eachBit(left) {
			s := uint32(d.support[v*n+u] + d.support[u*n+v])
			if s > level {
				lowerTo(&least, s)
			} else if d.next.add(u, v) {
				own++
			}
		}
		joined.Add(own)
		return nil
	})
	d.now, d.next = d.next, d.now
	return joined.Load(), least, err
}
