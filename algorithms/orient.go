package algorithms

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/garaph/garaph/shard"
)

// oriented is the graph as an undirected simple one, each edge once. Vertices are
// called by their ranks: rank 0 has the largest degree, and equal ones are ranked by
// id. A row has the neighbours of smaller rank, ascending.
type oriented struct {
	rank       []uint32 // by dense id
	offsets    []uint64 // one more than vertices
	neighbours []uint32
}

func (g *oriented) row(v uint32) []uint32 { return g.neighbours[g.offsets[v]:g.offsets[v+1]] }

// orient makes an oriented graph of the rows, in three passes. Its arrays belong to
// the run.
func orient(ctx context.Context, e *Env) (*oriented, error) {
	g := &oriented{}
	n := int(e.Graph.Vertices)
	degree, err := Make[uint32](e, n)
	if err != nil {
		return nil, err
	}
	err = eachVertex(ctx, e, "degrees", func(v uint32, ends *union) {
		for _, more := ends.next(); more; _, more = ends.next() {
			degree[v]++
		}
	})
	if err != nil {
		return nil, err
	}
	if g.rank, err = rankByDegree(e, degree); err != nil {
		return nil, err
	}
	Free(e, degree)
	if g.offsets, err = Make[uint64](e, n+1); err != nil {
		return nil, err
	}
	err = eachVertex(ctx, e, "sizes of rows", func(v uint32, ends *union) {
		own := g.rank[v]
		for u, more := ends.next(); more; u, more = ends.next() {
			if g.rank[u] < own {
				g.offsets[own+1]++
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for i := range n {
		g.offsets[i+1] += g.offsets[i]
	}
	if g.neighbours, err = Make[uint32](e, int(g.offsets[n])); err != nil {
		return nil, err
	}
	err = eachVertex(ctx, e, "rows", func(v uint32, ends *union) {
		own := g.rank[v]
		row := g.row(own)
		i := 0
		for u, more := ends.next(); more; u, more = ends.next() {
			if r := g.rank[u]; r < own {
				row[i] = r
				i++
			}
		}
		slices.Sort(row)
	})
	return g, err
}

// rankByDegree ranks vertices by descending degree, and by id where that is equal.
func rankByDegree(e *Env, degree []uint32) ([]uint32, error) {
	rank, err := Make[uint32](e, len(degree))
	if err != nil {
		return nil, err
	}
	next, err := Make[uint32](e, int(slices.Max(degree))+1) // rank, by degree
	if err != nil {
		return nil, err
	}
	for _, d := range degree {
		next[d]++
	}
	before := uint32(0)
	for d := len(next) - 1; d >= 0; d-- {
		next[d], before = before, before+next[d]
	}
	for v, d := range degree {
		rank[v] = next[d]
		next[d]++
	}
	Free(e, next)
	return rank, nil
}

// eachVertex goes over all vertices with their neighbours, in one pass over the rows.
// Several goroutines call f.
func eachVertex(ctx context.Context, e *Env, stage string, f func(v uint32, ends *union)) error {
	var done atomic.Int64
	return e.Rows().Each(ctx, func(_ int, b *Block) error {
		for i := range b.Len {
			ends := union{self: b.First + uint32(i), a: b.Row(shard.In, i)}
			if !e.Graph.Symmetric {
				ends.b = b.Row(shard.Out, i)
			}
			f(ends.self, &ends)
		}
		e.Progress(stage, done.Add(int64(b.Len)), int64(e.Graph.Vertices))
		return nil
	})
}

// union merges two ascending rows of a vertex: in- and out-neighbours, each once,
// without the vertex itself.
type union struct {
	a, b []uint32
	self uint32
}

// next is the next neighbour, while there are more.
func (s *union) next() (v uint32, more bool) {
	for {
		switch {
		case len(s.a) == 0 && len(s.b) == 0:
			return 0, false
		case len(s.b) == 0 || len(s.a) > 0 && s.a[0] <= s.b[0]:
			v = s.a[0]
		default:
			v = s.b[0]
		}
		for len(s.a) > 0 && s.a[0] == v {
			s.a = s.a[1:]
		}
		for len(s.b) > 0 && s.b[0] == v {
			s.b = s.b[1:]
		}
		if v != s.self {
			return v, true
		}
	}
}
