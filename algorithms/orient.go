package algorithms

import (
	"context"
	"math"
	"slices"
	"sort"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// oriented is the graph as an undirected simple one, each edge once. Vertices are
// called by their ranks: rank 0 has the largest degree, and equal ones are ranked by
// id. If no degree is much above the mean, the ranks are the ids. A row has the
// neighbours of smaller rank, ascending.
type oriented struct {
	even    bool     // the ranks are the ids
	degree  []uint32 // by dense id
	rank    []uint32 // by dense id
	offsets []uint64 // one more than vertices
	rowSpan          // of all vertices, or if file is not nil, of some
	memory  []uint32 // for them
	file    *Scratch // has all rows
	mutual  []uint64 // the edges, by position, that the graph has in both directions; nil if they make no difference
}

// rowSpan holds the rows of the vertices from first to before end in memory.
type rowSpan struct {
	first, end uint32
	begin      uint64 // the position of the first edge
	neighbours []uint32
}

// theOriented names the temporary file.
const theOriented = "the oriented graph"

// of returns the rank of a vertex, without a look into memory where it is its id.
func (g *oriented) of(v uint32) uint32 {
	if g.even {
		return v
	}
	return g.rank[v]
}

// row returns a row that is in memory.
func (g *oriented) row(v uint32) []uint32 {
	return g.neighbours[g.offsets[v]-g.begin : g.offsets[v+1]-g.begin]
}

// source returns the vertex whose row has an edge, by its position.
func (g *oriented) source(edge uint64) uint32 {
	return uint32(sort.Search(len(g.rank), func(v int) bool { return g.offsets[v+1] > edge }))
}

// edges returns the number of edges.
func (g *oriented) edges() uint64 { return g.offsets[len(g.rank)] }

// span makes the rows in memory those from first on, as many as there is memory for.
func (g *oriented) span(first uint32) {
	g.first, g.begin = first, g.offsets[first]
	end := sort.Search(len(g.rank)-int(first), func(i int) bool {
		return g.offsets[int(first)+i+1]-g.begin > uint64(len(g.memory))
	})
	g.end = first + uint32(end)
	g.neighbours = g.memory[:g.offsets[g.end]-g.begin]
}

// undirected returns the directions of rows that orient reads, and how many edges it makes of
// them at most.
func undirected(g *store.Catalogue) (rows []shard.Direction, edges int64) {
	edges = int64(g.Edges)
	if g.Symmetric { // each edge is there twice, and a self-loop is none
		edges /= 2
	}
	return BothRows(g), edges
}

// longestRow returns the most edges of a row of an oriented graph: √(2m), or if ranks are ids, half of what
// evenDegree allows.
func longestRow(vertices, edges int64) int64 {
	return min(vertices, int64(math.Sqrt(2*evenDegree*float64(edges))))
}

// spanBytes returns the least memory for the rows of a span.
func spanBytes(vertices, edges int64) int64 {
	return min(4*edges, 4*longestRow(vertices, edges)+1<<16)
}

// orient makes an oriented graph of the rows, in two passes, or if it is not even in three. Where the plan has a file
// for it, the last one is done for each span of rows that there is memory for. Its arrays belong to the run. With
// mutual it marks mutual edges, in one more pass for a span. It closes the rows.
func orient(ctx context.Context, e *Env, mutual bool) (*oriented, error) {
	g := &oriented{}
	n := int(e.Graph.Vertices)
	var err error
	if len(e.Plan().Scratch) > 0 {
		if g.file, err = e.Scratch(theOriented); err != nil {
			return nil, err
		}
	}
	if g.degree, err = Make[uint32](e, n); err != nil {
		return nil, err
	}
	if err = g.order(ctx, e); err != nil {
		return nil, err
	}
	if mutual {
		if g.mutual, err = Make[uint64](e, int(g.edges()/64+1)); err != nil {
			return nil, err
		}
	}
	if g.memory, err = g.spanMemory(e); err != nil {
		return nil, err
	}
	for more := true; more; more = g.end < uint32(n) {
		g.span(g.end)
		if err = g.fill(ctx, e); err == nil && mutual {
			err = g.markMutual(ctx, e)
		}
		if err == nil && g.file != nil {
			err = g.file.Write(g.neighbours, g.begin)
		}
		if err != nil {
			return nil, err
		}
	}
	if g.file != nil {
		Free(e, g.memory)
	}
	return g, e.Rows().Close()
}

// order ranks vertices by their degrees, and finds where the rows begin.
func (g *oriented) order(ctx context.Context, e *Env) (err error) {
	n := len(g.degree)
	if g.offsets, err = Make[uint64](e, n+1); err != nil {
		return err
	}
	err = EachVertex(ctx, e, "degrees", func(_ int, v uint32, ends *Ends) {
		degree, before := uint32(0), uint64(0)
		for u, more := ends.Next(); more; u, more = ends.Next() {
			degree++
			if u < v {
				before++
			}
		}
		g.degree[v], g.offsets[v+1] = degree, before
	})
	if err != nil {
		return err
	}
	if g.even, err = isEven(ctx, e, g.degree); err == nil {
		g.rank, err = rankByDegree(ctx, e, g.degree, g.even)
	}
	if err == nil && !g.even {
		err = g.place(ctx, e)
	}
	for i := range n {
		g.offsets[i+1] += g.offsets[i]
	}
	return err
}

// place finds how long the rows are, if ranks are not ids.
func (g *oriented) place(ctx context.Context, e *Env) error {
	return EachVertex(ctx, e, "sizes of rows", func(_ int, v uint32, ends *Ends) {
		own, n := g.of(v), uint64(0)
		for u, more := ends.Next(); more; u, more = ends.Next() {
			if g.of(u) < own {
				n++
			}
		}
		g.offsets[own+1] = n
	})
}

// spanMemory allocates memory for spans: of all rows, or if they are in a file, as much as there is.
func (g *oriented) spanMemory(e *Env) ([]uint32, error) {
	n := int64(g.edges())
	if g.file != nil {
		n = min(n, e.Room()/4)
	}
	return Make[uint32](e, int(n))
}

// fill makes the rows of the span.
func (g *oriented) fill(ctx context.Context, e *Env) error {
	return EachVertex(ctx, e, "rows", func(_ int, v uint32, ends *Ends) {
		own := g.of(v)
		if own < g.first || own >= g.end {
			return
		}
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
}

// windowEdges are read from the file by a goroutine at a time, with the rest of their first and last rows.
const windowEdges = 1 << 14

// windowBytes returns the memory for it.
func windowBytes(vertices, edges int64) int64 {
	return 4 * (windowEdges + 2*longestRow(vertices, edges))
}

// windows allocates memory for reading the file on all threads.
func (g *oriented) windows(e *Env) ([]uint32, error) {
	if g.file == nil {
		return nil, nil
	}
	return Make[uint32](e, e.Threads*int(windowBytes(int64(len(g.rank)), int64(g.edges()))/4))
}

// eachPart calls f, on the threads of the run, for parts [from, to) of the edges in [from, to), with the rows that
// these are in. The function windows has allocated the windows.
func (g *oriented) eachPart(ctx context.Context, e *Env, windows []uint32, from, to uint64,
	f func(worker int, rows rowSpan, from, to uint64)) error {
	size := uint64(countedEdges)
	if g.file != nil {
		size = windowEdges
	}
	room := len(windows) / e.Threads
	return e.Each(ctx, int((to-from+size-1)/size), func(worker, i int) error {
		from := from + uint64(i)*size
		to := min(from+size, to)
		rows := g.rowSpan
		if g.file != nil {
			first := g.source(from)
			rows = rowSpan{first: first, begin: g.offsets[first]}
			rows.neighbours = windows[worker*room:][:g.offsets[g.source(to-1)+1]-rows.begin]
			if err := g.file.Read(rows.neighbours, rows.begin); err != nil {
				return err
			}
		}
		f(worker, rows, from, to)
		return nil
	})
}

// evenDegree is how many times the mean degrees of an even graph are at most.
const evenDegree = 4

// isEven reports whether no degree is more than evenDegree times the mean: rows by id are as short as those by degree.
func isEven(ctx context.Context, e *Env, degree []uint32) (bool, error) {
	sum, err := e.Sum(ctx, len(degree), func(from, to int) (sum float64) {
		for _, d := range degree[from:to] {
			sum += float64(d)
		}
		return sum
	})
	return float64(slices.Max(degree))*float64(len(degree)) <= evenDegree*sum, err
}

// rankByDegree ranks vertices by descending degree, and by id where that is equal, or if even by id alone.
func rankByDegree(ctx context.Context, e *Env, degree []uint32, even bool) ([]uint32, error) {
	rank, err := Make[uint32](e, len(degree))
	if err != nil {
		return nil, err
	}
	if even {
		return rank, e.Ranges(ctx, len(rank), func(_, from, to int) {
			for v := from; v < to; v++ {
				rank[v] = uint32(v)
			}
		})
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
