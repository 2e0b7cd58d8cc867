package cpuengine

import (
	"sort"

	"github.com/garaph/garaph/page"
)

// chunkEdges is the size of a chunk: small enough that the goroutines end a
// page together, large enough that a chunk's start costs nothing.
const chunkEdges = 1 << 14

// chunk is a range of a shard's edges. Edges of both sides of a shard count as
// one sequence: those of a vertex on the first side, then those on the second.
type chunk struct {
	shard      int    // in the page
	from, to   uint64 // edges [from, to)
	begin, end int    // local vertices whose edges begin in the chunk: [begin, end)
}

// partial holds the sums of vertices that a chunk's borders cut.
type partial[A any] struct {
	head, tail       A
	hasHead, hasTail bool
}

// cut lists the chunks of a page, in order.
func (e *Engine[V, A]) cut(p *page.Page) {
	e.chunks, e.starts = e.chunks[:0], append(e.starts[:0], 0)
	for i := range p.Shards {
		s := &p.Shards[i]
		vertices, edges := s.Sides[0].Vertices(), combined(s, s.Sides[0].Vertices())
		n := max(1, (edges+e.chunkEdges-1)/e.chunkEdges)
		begin := 0
		for k := range n {
			c := chunk{shard: i, from: edges * k / n, to: edges * (k + 1) / n, begin: begin, end: vertices}
			if k+1 < n {
				c.end = begin + sort.Search(vertices-begin, func(v int) bool { return combined(s, begin+v) >= c.to })
			}
			begin = c.end
			e.chunks = append(e.chunks, c)
		}
		e.starts = append(e.starts, len(e.chunks))
	}
	if cap(e.partials) < len(e.chunks) {
		e.partials = make([]partial[A], len(e.chunks))
	}
	e.partials = e.partials[:len(e.chunks)]
	clear(e.partials)
}

// combined is the number of edges, on all sides, of the vertices before v.
func combined(s *page.Shard, v int) uint64 {
	n := uint64(s.Sides[0].Off[v])
	if len(s.Sides) > 1 {
		n += uint64(s.Sides[1].Off[v])
	}
	return n
}
