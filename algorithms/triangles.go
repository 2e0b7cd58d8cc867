package algorithms

import (
	"context"
	"fmt"
	"math"
	"slices"
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
// bits as well, while they are dense, and intersected by words; another row is a hash table, in which
// those of its neighbours are looked up.
// Memory: 8 bytes for an edge, of which bits take 32 MiB at most, 20 for a vertex, and for a thread 64 KiB and
// 16 bytes for a neighbour of the longest row. With less memory, the oriented
// graph is a temporary file of 4 bytes for an edge, which is read once for each part of it that memory has room for
// (Hu, Tao and Chung, Massive Graph Triangulation, SIGMOD 2013).
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
	core, span, read := coreBytes(n, edges), spanBytes(n, edges), windowBytes(n, edges)
	always := []Array{
		{"degrees and ranks", 8 * n},
		{"where rows begin", 8 * (n + 1)},
		{"the counts", 8*n + 8*hubs*int64(threads)},
		{"the row of a vertex", 4 * memberSlots(longestRow(n, edges)) * int64(threads)},
	}
	return Plan{
		Places: true,
		Rows:   rows,
		Arrays: append(slices.Clip(always), Array{"the edges", 4 * edges}, Array{"the edges of the largest degrees", core}),
		Less: &Plan{
			Places:  true,
			Rows:    rows,
			Arrays:  append(slices.Clip(always), Array{"some of the edges", span + read*int64(threads)}),
			Spare:   4*edges + core,
			Scratch: []Array{{theOriented, 4 * edges}},
		},
	}
}

// Run counts.
func (Triangles) Run(ctx context.Context, e *Env) ([]int64, error) {
	g, err := orient(ctx, e, false)
	if err != nil {
		return nil, err
	}
	Free(e, g.degree)
	counts, err := g.count(ctx, e)
	if err != nil {
		return nil, err
	}
	Free(e, g.memory)
	Free(e, g.offsets)
	values, err := Make[int64](e, len(counts))
	if err != nil {
		return nil, err
	}
	var total atomic.Int64
	err = e.Ranges(ctx, len(values), func(_, from, to int) {
		sum := int64(0)
		for v := from; v < to; v++ {
			values[v] = counts[g.rank[v]] / 2
			sum += values[v]
		}
		total.Add(sum)
	})
	e.Total("triangles", total.Load()/3)
	return values, err
}

// count returns twice the triangles at each vertex, by rank. If there are mutual edges, a triangle counts at a
// vertex once more if the edge of the other two is mutual. The rows in a file are intersected with those of one span
// after another.
func (g *oriented) count(ctx context.Context, e *Env) (counts []int64, err error) {
	var local []int64
	var slots []uint32
	most := memberSlots(longestRow(int64(len(g.rank)), int64(g.edges())))
	err = makeAll(e, into(&counts, len(g.rank)), into(&local, hubs*e.Threads), into(&slots, int(most)*e.Threads))
	if err != nil {
		return nil, err
	}
	windows, err := g.windows(e)
	if err != nil {
		return nil, err
	}
	core, both, err := g.cores(ctx, e, windows)
	if err != nil {
		return nil, err
	}
	if g.file != nil {
		if g.memory, err = g.spanMemory(e); err != nil {
			return nil, err
		}
		g.span(uint32(core.n))
	}
	for from, first := uint64(0), true; first || g.end < uint32(len(g.rank)); from, first = g.offsets[g.end], false {
		if !first {
			g.span(g.end)
		}
		if g.file != nil {
			if err = g.file.Read(g.neighbours, g.begin); err != nil {
				return nil, err
			}
		}
		done := atomic.Int64{}
		done.Store(int64(from))
		err = g.eachPart(ctx, e, windows, from, g.edges(), func(worker int, rows rowSpan, from, to uint64) {
			c := counter{g, rows, first, core, both, counts, local[worker*hubs:][:hubs],
				slots[worker*len(slots)/e.Threads:][:len(slots)/e.Threads], 0}
			c.countEdges(from, to)
			e.Progress(g.stage(), done.Add(int64(to-from)), int64(g.edges()))
		})
		if err != nil {
			return nil, err
		}
	}
	for i, n := range local {
		if n > 0 {
			counts[i%hubs] += n
		}
	}
	Free(e, core.bits)
	Free(e, both.bits)
	Free(e, local)
	Free(e, slots)
	Free(e, windows)
	return counts, nil
}

// stage names the intersection with the rows in memory.
func (g *oriented) stage() string {
	if g.file == nil {
		return "intersecting rows"
	}
	return fmt.Sprintf("intersecting rows, to %d of %d", g.end, len(g.rank))
}

// cores returns the core, and if there are mutual edges, the core of these.
func (g *oriented) cores(ctx context.Context, e *Env, windows []uint32) (core, both *bitRows, err error) {
	room := int64(math.MaxInt64)
	if g.file != nil { // as much as for a span
		room = (e.Room() - spanBytes(int64(len(g.rank)), int64(g.edges()))) / 2
	}
	if g.mutual != nil {
		room /= 2
	}
	h := g.coreSize(room)
	if core, err = g.core(ctx, e, h, windows, nil); err == nil && g.mutual != nil {
		both, err = g.core(ctx, e, h, windows, g.mutual)
	} else {
		both = &bitRows{}
	}
	return core, both, err
}

// counter counts triangles, each twice at each vertex. It intersects rows with those in memory.
type counter struct {
	*oriented
	rows   rowSpan
	inner  bool // with those of the core too
	core   *bitRows
	both   *bitRows // the mutual edges of the core
	counts []int64  // shared by goroutines
	local  []int64  // of hubs
	slots  []uint32 // for the members of a row

	loaded uint32 // without a use, the compiler leaves out a load
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
	low := max(c.first, uint32(c.core.n))
	for v := c.source(from); from < to; v++ {
		begin, end := c.offsets[v], c.offsets[v+1]
		row, last := c.rows.neighbours[begin-c.rows.begin:end-c.rows.begin], min(to, end)
		k := min(len(row), int(low))
		if k > 0 && row[len(row)-1] >= low {
			k = sort.Search(k, func(i int) bool { return row[i] >= low })
		}
		own, at := int64(0), int(from-begin)
		if c.inner && at < k {
			if to := min(k, int(last-begin)); c.mutual == nil {
				own = c.inCore(row[:k], at, to)
			} else {
				own = c.inMutualCore(begin, row[:k], at, to)
			}
		}
		if at = max(at, k); at < int(last-begin) && row[at] < c.end {
			own += c.outside(begin, row, at, int(last-begin))
		}
		c.add(v, own)
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

// rowsAtOnce is the number of rows that are loaded at once: each comes from memory, and the processor does not wait for
// one before it asks for the next.
const rowsAtOnce = 32

// outside counts the triangles of a vertex with one of row[from:to] that is outside the core, and another one of its
// row. It returns twice their number. begin is the position of the row.
func (c *counter) outside(begin uint64, row []uint32, from, to int) (own int64) {
	near := newMembers(c.slots, row)
	var rows [rowsAtOnce][]uint32
	for ; from < to && row[from] < c.end; from += rowsAtOnce {
		some := row[from:min(from+rowsAtOnce, to)]
		for i, u := range some {
			if rows[i] = nil; u < c.end {
				rows[i] = c.row(u)
			}
		}
		for _, r := range rows[:len(some)] {
			if len(r) > 0 {
				c.loaded += r[0] + r[len(r)-1]
			}
		}
		for i, u := range some {
			if c.mutual == nil {
				own += c.in(near, u, rows[i])
			} else {
				own += c.inMutual(near, begin, row, from+i, rows[i])
			}
		}
	}
	return own
}

// in counts the triangles of a vertex with u and a vertex of the row of u, which near has if it is a neighbour. It
// returns twice their number.
func (c *counter) in(near members, u uint32, row []uint32) (n int64) {
	for _, x := range row {
		if near.has(x) {
			n += 2
			c.add(x, 2)
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
for each vertex, 4 for each pair of neighbours are in memory, or with less --memory
in a temporary file.`,
	Example: `  garaph run triangles web.graph --top 10
  garaph run triangles web.graph --output triangles.parquet`,
	Setup: registry.Fixed(Triangles{}),
}
