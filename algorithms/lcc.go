package algorithms

import (
	"context"
	"sync/atomic"

	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// LCC is the local clustering coefficient as LDBC Graphalytics defines it: of the ordered pairs of different
// neighbours of a vertex, the part that an edge leads from one to the other of. Neighbours are those by in- and
// out-edges, each once; parallel edges and self-loops don't matter. With fewer than two neighbours it is 0.
//
// In a symmetric graph these pairs are twice the triangles at a vertex, which are counted as in [Triangles]. In
// a directed graph a triangle counts at a vertex once, or twice if the other two vertices have edges in both
// directions: mutual edges are a bit for each edge, and further rows of bits in the core. Memory: that of
// triangles, and for a directed graph a bit more for an edge, and as much for further rows of bits as for the core.
type LCC struct{}

// Plan returns that of triangles, and the bits of mutual edges.
func (LCC) Plan(g *store.Catalogue, threads int) Plan {
	p := Triangles{}.Plan(g, threads)
	if !g.Symmetric {
		n, m := int64(g.Vertices), int64(g.Edges)
		p.Arrays = append(p.Arrays, Array{"edges in both directions", m/8 + 8 + coreBytes(n, m)})
		p.Less.Arrays = append(p.Less.Arrays, Array{"edges in both directions", m/8 + 8})
		p.Less.Spare += coreBytes(n, m)
	}
	return p
}

// Run counts.
func (LCC) Run(ctx context.Context, e *Env) ([]float64, error) {
	g, err := orient(ctx, e, !e.Graph.Symmetric)
	if err != nil {
		return nil, err
	}
	counts, err := g.count(ctx, e)
	if err != nil {
		return nil, err
	}
	pairs := int64(1) // that a triangle counts, of those in counts
	if g.mutual != nil {
		pairs = 2
	}
	Free(e, g.memory)
	Free(e, g.offsets)
	values, err := Make[float64](e, len(counts))
	if err != nil {
		return nil, err
	}
	sum, err := e.Sum(ctx, len(values), func(from, to int) (sum float64) {
		for v := from; v < to; v++ {
			if d := float64(g.degree[v]); d > 1 {
				values[v] = float64(counts[g.rank[v]]/pairs) / (d * (d - 1))
			}
			sum += values[v]
		}
		return sum
	})
	e.TotalFloat("mean coefficient", sum/float64(len(values)))
	return values, err
}

// markMutual marks the edges of the span that the graph has in both directions.
func (g *oriented) markMutual(ctx context.Context, e *Env) error {
	return e.Rows().pass(ctx, "edges in both directions", nil, func(_ int, b *Block) {
		for i := range b.Len {
			v := b.Vertex(i)
			out, own := b.Row(shard.Out, i), g.rank[v]
			if own < g.first || own >= g.end {
				continue
			}
			for k, u := range b.Row(shard.In, i) {
				for len(out) > 0 && out[0] < u {
					out = out[1:]
				}
				r := g.rank[u]
				if len(out) == 0 || out[0] != u || r >= own || k > 0 && b.Row(shard.In, i)[k-1] == u {
					continue
				}
				at := g.offsets[own] + uint64(place(g.row(own), r))
				atomic.OrUint64(&g.mutual[at>>6], 1<<(at&63))
			}
		}
	})
}

// place returns the position of x in a row that has it.
func place(row []uint32, x uint32) (at int) {
	for n := len(row); n > 1; {
		half := n / 2
		if row[at+half] <= x {
			at += half
		}
		n -= half
	}
	return at
}

// inMutualCore is like inCore, with mutual edges. begin is the position of the row.
func (c *counter) inMutualCore(begin uint64, row []uint32, from, to int) (own int64) {
	words := int(row[len(row)-1])/64 + 1
	if len(row) < 2*words {
		for i := from; i < to; i++ {
			u, n, side := row[i], int64(0), int64(1+has(c.mutual, begin+uint64(i)))
			for k, x := range row[:i] {
				if c.core.has(u, x) != 0 {
					n += 2 + 2*int64(has(c.mutual, begin+uint64(k)))
					own += 2 + 2*int64(c.both.has(u, x))
					c.add(x, 2*side)
				}
			}
			c.add(u, n)
		}
		return own
	}
	var bits, mutualBits [mostCore / 64]uint64
	set, mutual := bits[:words], mutualBits[:words]
	for k, u := range row {
		set[u>>6] |= 1 << (u & 63)
		mutual[u>>6] |= has(c.mutual, begin+uint64(k)) << (u & 63)
	}
	for _, u := range row[from:to] {
		near := c.core.row(int(u))
		n := int64(commonBits(set, near))
		c.add(u, 2*(n+int64(commonBits(mutual, near))))
		own += n + int64(commonBits(set, c.both.row(int(u))))
	}
	return own
}

// inMutual is like in for row[i], whose row is other, with mutual edges.
func (c *counter) inMutual(near members, begin uint64, row []uint32, i int, other []uint32) (own int64) {
	n, side := int64(0), 2+2*int64(has(c.mutual, begin+uint64(i)))
	for j, x := range other {
		if near.has(x) {
			n += 2 + 2*int64(has(c.mutual, begin+uint64(place(row, x))))
			own += 2 + 2*int64(has(c.mutual, c.offsets[row[i]]+uint64(j)))
			c.add(x, side)
		}
	}
	c.add(row[i], n)
	return own
}

// ColumnName returns "coefficient".
func (LCC) ColumnName() string { return "coefficient" }

// LCCCommand describes garaph run lcc.
var LCCCommand = registry.Command{
	Name: "lcc", Value: LCC{}, Short: "local clustering coefficient of every vertex, as LDBC Graphalytics defines it",
	Long: `It is the part of the ordered pairs of neighbours that an edge leads from one to the
other of. In a directed graph neighbours are those in both directions, and an edge
counts once for each of its directions. Parallel edges and self-loops don't matter. With
little --memory, a temporary file has 4 bytes for each pair of neighbours.`,
	Example: `  garaph run lcc web.graph --top 10
  garaph run lcc web.graph --output coefficients.parquet`,
	Setup: registry.Fixed(LCC{}),
}
