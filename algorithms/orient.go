package algorithms

import (
	"context"
	"slices"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
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

// undirected returns the directions of rows that orient reads, and how many edges it makes of
// them at most.
func undirected(g *store.Catalogue) (rows []shard.Direction, edges int64) {
	edges = int64(g.Edges)
	if g.Symmetric { // each edge is there twice, and a self-loop is none
		edges /= 2
	}
	return BothRows(g), edges
}

// orient makes an oriented graph of the rows, in three passes. Its arrays belong to
// the run.
func orient(ctx context.Context, e *Env) (*oriented, error) {
	g := &oriented{}
	n := int(e.Graph.Vertices)
	degree, err := Make[uint32](e, n)
	if err != nil {
		return nil, err
	}
	err = EachVertex(ctx, e, "degrees", func(_ int, v uint32, ends *Ends) {
		for _, more := ends.Next(); more; _, more = ends.Next() {
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
	err = EachVertex(ctx, e, "sizes of rows", func(_ int, v uint32, ends *Ends) {
		own := g.rank[v]
		for u, more := ends.Next(); more; u, more = ends.Next() {
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
	err = EachVertex(ctx, e, "rows", func(_ int, v uint32, ends *Ends) {
		own := g.rank[v]
		row := g.row(own)
		i := 0
		for u, more := ends.Next(); more; u, more = ends.Next() {
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
