package algorithms

import (
	"context"
	"slices"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// oriented is the graph as an undirected simple one, each edge once. Vertices are
// called by their ranks: rank 0 has the largest degree, and equal ones are ranked by
// id. If no degree is much above the mean, the ranks are the ids. A row has the
// neighbours of smaller rank, ascending.
type oriented struct {
	even       bool     // the ranks are the ids
	rank       []uint32 // by dense id
	offsets    []uint64 // one more than vertices
	neighbours []uint32
}

// of returns the rank of a vertex, without a look into memory where it is its id.
func (g *oriented) of(v uint32) uint32 {
	if g.even {
		return v
	}
	return g.rank[v]
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
	if g.even, err = isEven(ctx, e, degree); err == nil {
		g.rank, err = rankByDegree(e, degree, g.even)
	}
	if err != nil {
		return nil, err
	}
	Free(e, degree)
	if g.offsets, err = Make[uint64](e, n+1); err != nil {
		return nil, err
	}
	err = EachVertex(ctx, e, "sizes of rows", func(_ int, v uint32, ends *Ends) {
		own, n := g.of(v), uint64(0)
		for u, more := ends.Next(); more; u, more = ends.Next() {
			if g.of(u) < own {
				n++
			}
		}
		g.offsets[own+1] = n
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
		own := g.of(v)
		row := g.row(own)
		i := 0
		for u, more := ends.Next(); more; u, more = ends.Next() {
			if r := g.of(u); r < own {
				row[i] = r
				i++
			}
		}
		if !g.even {
			slices.Sort(row)
		}
	})
	return g, err
}

// isEven reports whether no degree is more than evenDegree times the mean: rows by id are as short as those by degree.
func isEven(ctx context.Context, e *Env, degree []uint32) (bool, error) {
	const evenDegree = 4
	sum, err := e.Sum(ctx, len(degree), func(from, to int) (sum float64) {
		for _, d := range degree[from:to] {
			sum += float64(d)
		}
		return sum
	})
	return float64(slices.Max(degree))*float64(len(degree)) <= evenDegree*sum, err
}

// rankByDegree ranks vertices by descending degree, and by id where that is equal, or if even by id alone.
func rankByDegree(e *Env, degree []uint32, even bool) ([]uint32, error) {
	rank, err := Make[uint32](e, len(degree))
	if err != nil {
		return nil, err
	}
	if even {
		for v := range rank {
			rank[v] = uint32(v)
		}
		return rank, nil
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
