package algorithms

import (
	"context"
	"sort"
	"sync/atomic"

	"github.com/garaph/garaph/store"
)

// Triangles counts the triangles at every vertex: the pairs of its neighbours that
// are neighbours of each other. Directions, parallel edges and self-loops don't matter.
// The counts add up to three times the total, which is reported.
//
// It is the forward algorithm (Schank and Wagner, Finding, Counting and Listing all
// Triangles in Large Graphs, WEA 2005; Latapy, TCS 2008): vertices are ranked by
// descending degree, each edge is kept at its end of higher rank number, and rows
// are intersected, so that each triangle is found once. A row has at most √(2m) of
// the m edges, and the time is O(m^1.5). Memory: 4 bytes for an edge, 20 for a vertex.
type Triangles struct{}

// hubs is how many vertices of the largest degrees each goroutine counts for
// itself: they are in most triangles, and goroutines would wait for each other.
const hubs = 1 << 13

// countedEdges is how many edges are intersected by one goroutine at a time. A hub's
// row may be shared out to many.
const countedEdges = 1 << 11

// Plan is both directions, and what is in memory at once.
func (Triangles) Plan(g *store.Catalogue, threads int) Plan {
	n := int64(g.Vertices)
	rows, edges := undirected(g)
	return Plan{Rows: rows, Arrays: []Array{
		{"degrees and ranks", 8 * n},
		{"the edges", 8*(n+1) + 4*edges},
		{"the counts", 8*n + 8*hubs*int64(threads)},
	}}
}

// Run counts.
func (Triangles) Run(ctx context.Context, e *Env) ([]int64, error) {
	g, err := orient(ctx, e)
	if err != nil {
		return nil, err
	}
	if err := e.Rows().Close(); err != nil {
		return nil, err
	}
	counts, err := g.count(ctx, e)
	if err != nil {
		return nil, err
	}
	Free(e, g.neighbours)
	Free(e, g.offsets)
	values, err := Make[int64](e, len(counts))
	if err != nil {
		return nil, err
	}
	total := int64(0)
	for v, rank := range g.rank {
		values[v] = counts[rank]
		total += counts[rank]
	}
	e.Total("triangles", total/3)
	return values, nil
}

// count returns the triangles at each vertex, by rank.
func (g *oriented) count(ctx context.Context, e *Env) ([]int64, error) {
	counts, err := Make[int64](e, len(g.rank))
	if err != nil {
		return nil, err
	}
	local, err := Make[int64](e, hubs*e.Threads)
	if err != nil {
		return nil, err
	}
	edges := len(g.neighbours)
	var done atomic.Int64
	err = e.Each(ctx, (edges+countedEdges-1)/countedEdges, func(worker, i int) error {
		from, to := i*countedEdges, min((i+1)*countedEdges, edges)
		g.countEdges(from, to, counts, local[worker*hubs:][:hubs])
		e.Progress("intersecting rows", done.Add(int64(to-from)), int64(edges))
		return nil
	})
	for i, n := range local {
		if n > 0 {
			counts[i%hubs] += n
		}
	}
	Free(e, local)
	return counts, err
}

// countEdges counts the triangles whose two ends of the highest rank numbers an edge of
// [from, to) joins. Those of hubs go to local.
func (g *oriented) countEdges(from, to int, counts, local []int64) {
	add := func(rank uint32, n int64) {
		if rank < hubs {
			local[rank] += n
		} else {
			atomic.AddInt64(&counts[rank], n)
		}
	}
	v := sort.Search(len(g.rank), func(v int) bool { return g.offsets[v+1] > uint64(from) })
	own := int64(0) // triangles of v
	for at := from; at < to; at++ {
		for g.offsets[v+1] <= uint64(at) {
			add(uint32(v), own)
			v, own = v+1, 0
		}
		u := g.neighbours[at]
		a, b := g.neighbours[g.offsets[v]:at], g.row(u) // the third vertex is before u
		n := int64(0)
		for i, j := 0, 0; i < len(a) && j < len(b); {
			x, y := a[i], b[j]
			if x == y {
				n++
				add(x, 1)
			}
			if x <= y {
				i++
			}
			if x >= y {
				j++
			}
		}
		if n > 0 {
			add(u, n)
		}
		own += n
	}
	add(uint32(v), own)
}
