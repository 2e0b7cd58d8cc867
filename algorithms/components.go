package algorithms

import (
	"context"
	"math/rand/v2"
	"sync/atomic"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packedrows"
	"github.com/garaph/garaph/store"
)

// Components labels each vertex with the least id of its weakly connected component,
// as the vertex program [github.com/garaph/garaph/programs.WCC] does.
//
// Every edge links the trees of its ends in a forest whose roots are the least ids:
// the tree with the larger root is hung below the other root by compare-and-swap, as in
// Afforest (Sutton, Ben-Nun, Barak, Optimizing Parallel Graph Connectivity Computation
// via Subgraph Sampling, IPDPS 2018). Rows of both directions that fit into memory are sampled:
// two neighbours of each vertex are linked, and then those of vertices outside the largest component.
// Otherwise one pass reads each page once, in an order in which both ends of an edge are in the
// processor's caches, and most edges end at the first comparison. Memory: 4 bytes for a vertex, and 8
// for the index of rows. A GPU, which has all rows in its memory, samples where the graph is symmetric:
// 12 bytes for a vertex there and 4 for an edge.
type Components struct{}

// Plan returns the edges, and a label for each vertex and for where dummies lead.
func (Components) Plan(g *store.Catalogue, _ int) Plan {
	return Plan{Edges: true, Places: true, Arrays: []Array{
		{"the labels", 4 * (int64(g.Vertices) + 1)}, {"the least ids", g.OrderBytes()},
	}}
}

// Run links, and replaces parents by roots.
func (c Components) Run(ctx context.Context, e *Env) ([]gas.VertexID, error) {
	n := int(e.Graph.Vertices)
	labels, err := Make[gas.VertexID](e, n+1)
	if err != nil {
		return nil, err
	}
	f := forest(labels)
	err = e.Ranges(ctx, len(f), func(_, from, to int) {
		for v := from; v < to; v++ {
			f[v] = gas.VertexID(v)
		}
	})
	if rows := c.heldRows(e); err == nil && rows != nil {
		err = f[:n].sample(ctx, e, rows)
	} else if err == nil {
		err = e.Edges().Each(ctx, func(_ int, a Arcs) { f.linkAll(a) })
	}
	if err == nil {
		err = f[:n].compressAll(ctx, e)
	}
	if err == nil {
		err = nameByLeast(ctx, e, labels[:n])
	}
	return labels[:n], err
}

// heldRows returns the rows of a graph, those of in-edges second where they are others, if they can be in memory.
func (Components) heldRows(e *Env) (list []*page.HeldRows) {
	dirs := []shard.Direction{shard.Out, shard.In}
	if e.Graph.SameRows() {
		dirs = dirs[:1]
	}
	bytes := int64(0)
	for _, dir := range dirs {
		rows, err := page.WholeRows{Sides: []shard.Direction{dir}}.PlanHeld(e.store)
		if err != nil {
			return nil
		}
		bytes += rows.Bytes() + rows.ListBytes(e.Threads)
		list = append(list, rows)
	}
	if !e.read.inMemory() || bytes > e.left() {
		return nil
	}
	return list
}

// sample links the first two neighbours of each vertex, and then the others of those outside the largest component.
func (f forest) sample(ctx context.Context, e *Env, held []*page.HeldRows) error {
	for _, rows := range held {
		if err := bring(ctx, e, rows); err != nil {
			return err
		}
	}
	cursors := make([][]*page.RowCursor, e.Threads) // by worker, over the rows
	for i := range cursors {
		for _, rows := range held {
			cursors[i] = append(cursors[i], rows.NewCursor())
		}
	}
	compress := func(_ int, from, to uint32) error {
		f.compress(from, to)
		return nil
	}
	var largest uint32
	for _, do := range []func(worker int, from, to uint32) error{
		func(worker int, from, to uint32) error { f.hang(cursors[worker][0], from, to); return nil },
		compress,
		func(worker int, from, to uint32) error {
			_, err := f.linkSecond(cursors[worker][0], from, to)
			return err
		},
		compress,
		func(worker int, from, to uint32) error { return f.linkOthers(cursors[worker], largest, from, to) },
	} {
		largest = f.frequent()
		err := e.Each(ctx, (len(f)+summed-1)/summed, func(worker, i int) error {
			return do(worker, uint32(i*summed), uint32(min((i+1)*summed, len(f))))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// together is the number of parents that are loaded at once: a look at one waits for memory, and where it
// leads to cannot be guessed.
const together = 128

// touch loads the parents of a list of vertices, and of none.
func (f forest) touch(list []uint32) (touched uint32) {
	for _, u := range list {
		touched += f.parent(min(u, uint32(len(f)-1)))
	}
	return touched
}

// hang hangs each vertex in [from, to) below the parent of its first neighbour, if that is before it: most of those
// have got theirs by then. No other goroutine hangs these vertices.
func (f forest) hang(rows *page.RowCursor, from, to uint32) (touched uint32) {
	var list [together]uint32
	for ; from < to; from += together {
		firsts := list[:min(together, to-from)]
		for i := range firsts {
			firsts[i] = rows.First(from + uint32(i))
		}
		touched += f.touch(firsts)
		for i, u := range firsts {
			if v := from + uint32(i); u < v {
				atomic.StoreUint32((*uint32)(&f[v]), f.parent(f.parent(u)))
			}
		}
	}
	return touched
}

// linkSecond links the vertices in [from, to) with their second neighbours, or the only ones: those may be behind them.
func (f forest) linkSecond(rows *page.RowCursor, from, to uint32) (touched uint32, err error) {
	var list [together]uint32
	for ; from < to; from += together {
		seconds := list[:min(together, to-from)]
		if err := rows.Seconds(from, seconds); err != nil {
			return 0, err
		}
		touched += f.touch(seconds)
		for i, u := range seconds {
			v := from + uint32(i)
			if u != packedrows.None && f.parent(u) != f.parent(v) && f.shorten(u) != f.shorten(v) {
				f.link(u, v)
			}
		}
	}
	return touched, nil
}

// linkOthers links the vertices in [from, to) that are not in the largest component with all of their neighbours.
func (f forest) linkOthers(rows []*page.RowCursor, largest, from, to uint32) error {
	for v := from; v < to; v++ {
		if f.parent(v) == largest {
			continue
		}
		for _, r := range rows {
			if r.First(v) == packedrows.None {
				continue
			}
			row, err := r.Row(v)
			if err != nil {
				return err
			}
			for _, u := range row {
				if f.parent(u) != f.parent(v) {
					f.link(u, v)
				}
			}
		}
	}
	return nil
}

// bring brings the rows of all shards into memory.
func bring(ctx context.Context, e *Env, rows *page.HeldRows) error {
	var done atomic.Int64
	err := e.Each(ctx, rows.Shards(), func(_, i int) error {
		if rows.Has(i) {
			return nil
		}
		err := rows.Bring(i)
		e.Progress("edges", done.Add(1), int64(rows.Shards()))
		return err
	})
	e.mu.Lock()
	defer e.mu.Unlock()
	e.loaded += rows.BytesRead()
	return err
}

// frequent returns the most frequent parent of 1,024 vertices.
func (f forest) frequent() (most uint32) {
	const samples = 1 << 10
	rng := rand.New(rand.NewPCG(uint64(len(f)), 0))
	seen := map[uint32]int{}
	for range samples {
		p := f.parent(rng.Uint32N(uint32(len(f))))
		if seen[p]++; seen[p] > seen[most] {
			most = p
		}
	}
	return most
}

// forest has the parent of each vertex, which is not above it; a root is its own. Any
// goroutine may replace a parent by one that is further up.
type forest []gas.VertexID

func (f forest) parent(v uint32) uint32 { return atomic.LoadUint32((*uint32)(&f[v])) }

// linkAll links the ends of edges. Most have the same parent already: of 31 million of
// RMAT 20, one million has not.
func (f forest) linkAll(a Arcs) {
	dst := a.Dst[:len(a.Src)]
	for i, u := range a.Src {
		v := a.First + uint32(dst[i])
		if f.parent(u) != f.parent(v) && uint32(dst[i]) != a.None {
			f.link(u, v)
			f.shorten(u)
			f.shorten(v)
		}
	}
}

// link makes one tree of those of u and v.
func (f forest) link(u, v uint32) {
	a, b := f.parent(u), f.parent(v)
	for a != b {
		low, high := min(a, b), max(a, b)
		above := f.parent(high)
		if above == low {
			return
		}
		if above == high && atomic.CompareAndSwapUint32((*uint32)(&f[high]), high, low) {
			return
		}
		a, b = f.parent(f.parent(high)), f.parent(low)
	}
}

// shorten makes the root of v its parent, and returns it. Another goroutine may have
// hung it below another meanwhile.
func (f forest) shorten(v uint32) uint32 {
	above := f.parent(v)
	for {
		next := f.parent(above)
		if next == above {
			return above
		}
		atomic.StoreUint32((*uint32)(&f[v]), next)
		above = next
	}
}

// compressAll makes roots the parents of all vertices, and counts them.
func (f forest) compressAll(ctx context.Context, e *Env) error {
	var roots atomic.Int64
	err := e.Ranges(ctx, len(f), func(_, from, to int) { roots.Add(f.compress(uint32(from), uint32(to))) })
	e.Total("components", roots.Load())
	return err
}

// compress makes roots the parents of the vertices in [from, to), and returns how many of
// these are roots. No trees are linked meanwhile.
func (f forest) compress(from, to uint32) (roots int64) {
	for v := from; v < to; v++ {
		if f.shorten(v) == v {
			roots++
		}
	}
	return roots
}

// ColumnName returns "component".
func (Components) ColumnName() string { return "component" }

// ComponentsCommand describes garaph run components.
var ComponentsCommand = registry.Command{
	Name: "components", Value: Components{}, Short: "weakly connected components, as wcc, in one pass over the edges",
	Long: `A component has the id of one of its vertices, the same as with wcc. Each edge is
read once and links its two ends; the summary has the number of components. Beside
4 bytes for each vertex, --memory has to hold little. A GPU has all edges in its
memory, 4 bytes each, and 12 for each vertex; several GPUs divide edges that do not
fit in the memory of the first one. Use wcc for checkpoints.`,
	Example: `  garaph run components web.graph --output components.parquet
  garaph run components web.graph --memory 1GiB
  garaph run components web.graph --device gpu --json`,
	Ranking: registry.Groups,
	Setup:   registry.Fixed(Components{}),
}
