package algorithms

import (
	"context"
	"sync/atomic"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/store"
)

// Components labels each vertex with the least id of its weakly connected component,
// as the vertex program [github.com/garaph/garaph/programs.WCC] does, in one pass over
// the edges.
//
// Every edge links the trees of its ends in a forest whose roots are the least ids:
// the tree with the larger root is hung below the other root by compare-and-swap, as in
// Afforest (Sutton, Ben-Nun, Barak, Optimizing Parallel Graph Connectivity Computation
// via Subgraph Sampling, IPDPS 2018). Its sampling leaves out the rows of the largest
// component, which takes rows of both directions in memory. One pass reads each page
// once, in an order in which both ends of an edge are in the processor's caches, and
// most edges end at the first comparison. Memory: 4 bytes for a vertex. A GPU, which has
// all rows in its memory, samples where the graph is symmetric: 12 bytes for a vertex there
// and 4 for an edge.
type Components struct{}

// compressed is how many vertices a task compresses.
const compressed = 1 << 16

// Plan returns the edges, and a label for each vertex and for where dummies lead.
func (Components) Plan(g *store.Catalogue, _ int) Plan {
	return Plan{Edges: true, Arrays: []Array{{"the labels", 4 * (int64(g.Vertices) + 1)}}}
}

// Run links, and replaces parents by roots.
func (Components) Run(ctx context.Context, e *Env) ([]gas.VertexID, error) {
	n := int(e.Graph.Vertices)
	labels, err := Make[gas.VertexID](e, n+1)
	if err != nil {
		return nil, err
	}
	f := forest(labels)
	for v := range f {
		f[v] = gas.VertexID(v)
	}
	err = e.Edges().Each(ctx, func(_ int, a Arcs) { f.linkAll(a) })
	if err == nil {
		err = f[:n].compressAll(ctx, e)
	}
	return labels[:n], err
}

// gpuArrays returns the rows and the labels.
func (Components) gpuArrays(c *store.Catalogue) []Array {
	n := int64(c.Vertices)
	return []Array{{"where rows begin", 8 * (n + 1)}, {"the edges", 4 * int64(c.Edges)}, {"the labels", 4 * n}, {"a counter", 4}}
}

// runGPU has all rows on the device, and links them there.
func (c Components) runGPU(ctx context.Context, e *Env, g *gpu) ([]gas.VertexID, error) {
	labels, err := Make[gas.VertexID](e, int(e.Graph.Vertices))
	if err != nil {
		return nil, err
	}
	kernel, err := kernels.LoadComponents(g.Device)
	if err != nil {
		return nil, err
	}
	at, err := g.alloc(c.gpuArrays(e.Graph)...)
	if err != nil {
		return nil, err
	}
	a := kernels.ComponentsArgs{Off: at[0], Nbr: at[1], Parent: at[2], Arrived: at[3], N: e.Graph.Vertices}
	if e.Graph.Symmetric {
		a.Symmetric = 1
	}
	if err = g.rows(ctx, e, a.Off, a.Nbr); err == nil {
		err = g.Stream.Fill(a.Arrived, 0, 4)
	}
	if err == nil {
		err = g.timed(func() error { return kernel.Launch(g.Stream, &a) })
	}
	if err == nil {
		err = ToHost(g.DeviceMemory, labels, a.Parent)
	}
	if err == nil {
		err = forest(labels).compressAll(ctx, e) // which counts the roots
	}
	return labels, err
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
	err := e.Each(ctx, (len(f)+compressed-1)/compressed, func(_, i int) error {
		roots.Add(f.compress(i*compressed, min((i+1)*compressed, len(f))))
		return nil
	})
	e.Total("components", roots.Load())
	return err
}

// compress makes roots the parents of the vertices in [from, to), and returns how many of
// these are roots. No trees are linked meanwhile.
func (f forest) compress(from, to int) (roots int64) {
	for v := uint32(from); v < uint32(to); v++ {
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
memory, 4 bytes each, and 12 for each vertex. Use wcc for checkpoints.`,
	Example: `  garaph run components web.graph --output components.parquet
  garaph run components web.graph --memory 1GiB
  garaph run components web.graph --device gpu --json`,
	Ranking: registry.Groups,
	Setup:   registry.Fixed(Components{}),
}
