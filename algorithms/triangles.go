package algorithms

import (
	"context"
	"sort"
	"sync/atomic"

	"github.com/garaph/garaph/internal/registry"
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
// the m edges, and the time is O(m^1.5). Rows of the vertices of the largest degrees are
// bits as well, while they are dense, and intersected by words.
// Memory: 8 bytes for an edge, of which bits take 32 MiB at most, and 20 for a vertex.
type Triangles struct{}

// hubs is the number of vertices of the largest degrees each goroutine counts for
// itself: they are in most triangles, and goroutines would wait for each other.
const hubs = 1 << 13

// countedEdges is the number of edges that are intersected by one goroutine at a time. A hub's
// row may be shared out to many.
const countedEdges = 1 << 11

// Plan returns both directions, and what is in memory at once.
func (Triangles) Plan(g *store.Catalogue, threads int) Plan {
	n := int64(g.Vertices)
	rows, edges := undirected(g)
	return Plan{Places: true, Rows: rows, Arrays: []Array{
		{"degrees and ranks", 8 * n},
		{"the edges", 8*(n+1) + 4*edges},
		{"the edges of the largest degrees", coreBytes(n, edges)},
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
	counts, err := g.count(ctx, e, nil)
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
		values[v] = counts[rank] / 2
		total += counts[rank]
	}
	e.Total("triangles", total/6)
	return values, nil
}

// count returns twice the triangles at each vertex, by rank. If mutual is not nil, a triangle counts at a
// vertex once more if the edge of the other two is mutual.
func (g *oriented) count(ctx context.Context, e *Env, mutual []uint64) ([]int64, error) {
	counts, err := Make[int64](e, len(g.rank))
	if err != nil {
		return nil, err
	}
	local, err := Make[int64](e, hubs*e.Threads)
	if err != nil {
		return nil, err
	}
	core, err := g.core(ctx, e, nil)
	if err != nil {
		return nil, err
	}
	both := &bitRows{}
	if mutual != nil {
		if both, err = g.core(ctx, e, mutual); err != nil {
			return nil, err
		}
	}
	edges := len(g.neighbours)
	var done atomic.Int64
	err = e.Each(ctx, (edges+countedEdges-1)/countedEdges, func(worker, i int) error {
		from, to := i*countedEdges, min((i+1)*countedEdges, edges)
		c := counter{g, core, counts, local[worker*hubs:][:hubs], mutual, both}
		c.countEdges(uint64(from), uint64(to))
		e.Progress("intersecting rows", done.Add(int64(to-from)), int64(edges))
		return nil
	})
	for i, n := range local {
		if n > 0 {
			counts[i%hubs] += n
		}
	}
	Free(e, core.bits)
	Free(e, both.bits)
	Free(e, local)
	return counts, err
}

// counter counts triangles, each twice at each vertex.
type counter struct {
	*oriented
	core   *bitRows
	counts []int64 // what goroutines share
	local  []int64 // of hubs

	mutual []uint64 // the edges, by position; if nil, they make no difference
	both   *bitRows // those of the core
}

func (c *counter) add(rank uint32, n int64) {
	if rank < hubs {
		c.local[rank] += n
	} else if n > 0 {
		atomic.AddInt64(&c.counts[rank], n)
	}
}

// countEdges counts the triangles whose two ends of the highest rank numbers an edge of
// [from, to) joins.
func (c *counter) countEdges(from, to uint64) {
	v := sort.Search(len(c.rank), func(v int) bool { return c.offsets[v+1] > from })
	for ; from < to; v++ {
		begin, end := c.offsets[v], c.offsets[v+1]
		row, last := c.neighbours[begin:end], min(to, end)
		k := min(len(row), c.core.n)
		if k > 0 && row[len(row)-1] >= uint32(c.core.n) {
			k = sort.Search(k, func(i int) bool { return row[i] >= uint32(c.core.n) })
		}
		own, at := int64(0), int(from-begin)
		if at < k {
			if to := min(k, int(last-begin)); c.mutual == nil {
				own = c.inCore(row[:k], at, to)
			} else {
				own = c.inMutualCore(begin, row[:k], at, to)
			}
		}
		for i := max(at, k); i < int(last-begin); i++ {
			if c.mutual == nil {
				own += c.merge(row[:i], row[i])
			} else {
				own += c.mergeMutual(begin, row[:i], row[i])
			}
		}
		c.add(uint32(v), own)
		from = last
	}
}

// inCore counts the triangles of a vertex with two of its neighbours in the core, which row has, for
// row[from:to]. What it returns adds up to twice their number over the whole row.
func (c *counter) inCore(row []uint32, from, to int) (own int64) {
	words := int(row[len(row)-1])/64 + 1
	if len(row) < 2*words { // pairs are fewer than words
		for i := from; i < to; i++ {
			n := int64(0)
			for _, x := range row[:i] {
				if c.core.has(row[i], x) != 0 {
					n += 2
					c.add(x, 2)
				}
			}
			c.add(row[i], n)
			own += n
		}
		return own
	}
	var bits [mostCore / 64]uint64
	set := bits[:words]
	for _, u := range row {
		set[u>>6] |= 1 << (u & 63)
	}
	for _, u := range row[from:to] {
		n := int64(commonBits(set, c.core.row(int(u))))
		c.add(u, 2*n)
		own += n // each triangle is found from both
	}
	return own
}

// merge counts the triangles of a vertex with u, which is outside the core, and one of a, which come
// before u in the row of the vertex. It returns twice their number.
func (c *counter) merge(a []uint32, u uint32) int64 {
	b, n := c.row(u), int64(0)
	for i, j := 0, 0; i < len(a) && j < len(b); {
		x, y := a[i], b[j]
		if x == y {
			n += 2
			c.add(x, 2)
		}
		if x <= y {
			i++
		}
		if x >= y {
			j++
		}
	}
	c.add(u, n)
	return n
}

// ColumnName returns "triangles".
func (Triangles) ColumnName() string { return "triangles" }

// TrianglesCommand describes garaph run triangles.
var TrianglesCommand = registry.Command{
	Name: "triangles", Value: Triangles{}, Short: "number of triangles at every vertex: pairs of its neighbours " +
		"that are neighbours",
	Long: `Directions of edges, parallel edges and self-loops don't matter. Every triangle
counts at its three vertices; the summary has the number of all. Beside 20 bytes
for each vertex, 4 for each pair of neighbours are in memory.`,
	Example: `  garaph run triangles web.graph --top 10
  garaph run triangles web.graph --output triangles.parquet`,
	Setup: registry.Fixed(Triangles{}),
}
