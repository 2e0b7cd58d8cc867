package algorithms

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/internal/walk"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// Walks are random walks along edge direction. A row has the source of a walk and its vertices, a column for each
// step. An edge is chosen by its weight, or all alike on a graph without weights. A walk stays at a vertex
// without out-edges, or with edges of weight 0 alone.
//
// With P or Q other than 1 they are walks of node2vec (Grover and Leskovec, KDD 2016): after a step from t to v, an
// edge to x counts 1/P times its weight if x is t, once if an edge leads from x to t, and else 1/Q times. Edges
// are drawn by weight and rejected by these factors, as in KnightKing (Yang et al., SOSP 2019), or after 64
// rejections drawn from their exact distribution.
//
// The random numbers of a step follow from the seed, the walk and the step. Memory: the rows, 4 bytes for each
// vertex of a walk, and 8 for an edge with a weight; where the budget has no room for that, and P and Q are 1, a
// pass over the rows for each step, and 4 bytes for a vertex and for a walk.
type Walks struct {
	Length  int // steps
	Walks   int // from each source
	Seed    uint64
	P, Q    float64
	Sources []uint32 // ascending; if nil, all vertices
}

// Plan returns the out-rows in memory or, of walks without memory, in passes.
func (c Walks) Plan(g *store.Catalogue, _ int) Plan {
	walks := c.count(int64(g.Vertices))
	p := Plan{
		Whole: []shard.Direction{shard.Out}, Weights: true,
		Arrays: []Array{{"the walks", 4 * walks * int64(c.Length+1)}},
	}
	passes := Plan{
		Rows: p.Whole, Weights: true,
		Arrays: append(slices.Clone(p.Arrays), Array{"the walks at each vertex", 4*walks + 8*int64(g.Vertices+1)}),
	}
	if g.Weighted {
		p.Arrays = append(p.Arrays, Array{"sums of weights", 8 * int64(g.Edges)})
	}
	if !c.biased() {
		p.Less = &passes
	}
	return p
}

// count returns the number of walks.
func (c Walks) count(vertices int64) int64 {
	if c.Sources != nil {
		vertices = int64(len(c.Sources))
	}
	return vertices * int64(c.Walks)
}

// biased reports whether a step depends on the one before.
func (c Walks) biased() bool { return c.P != 1 || c.Q != 1 }

// Run walks.
func (c Walks) Run(ctx context.Context, e *Env) ([]gas.VertexID, error) {
	w, err := c.begin(e)
	if err == nil {
		walk := w.inPasses
		if len(e.Plan().Whole) > 0 {
			walk = w.inMemory
		}
		err = walk(ctx)
	}
	return w.results(err)
}

// begin makes the columns, with the sources in the first one.
func (c Walks) begin(e *Env) (*walking, error) {
	w := &walking{Walks: c, env: e, graph: walk.Graph{Back: 1 / c.P, Far: 1 / c.Q}}
	n := c.count(int64(e.Graph.Vertices))
	if n > math.MaxUint32 {
		return w, fmt.Errorf("%d walks: expected at most %d", n, uint32(math.MaxUint32))
	}
	for range c.Length + 1 {
		column, err := Make[gas.VertexID](e, int(n))
		if err != nil {
			return w, err
		}
		w.at = append(w.at, column)
	}
	for i := range w.at[0] {
		v := uint32(i / c.Walks)
		if c.Sources != nil {
			v = c.Sources[v]
		}
		w.at[0][i] = gas.VertexID(v)
	}
	return w, nil
}

// results returns the columns of a run, unless it has failed.
func (w *walking) results(err error) ([]gas.VertexID, error) {
	if err != nil {
		return nil, err
	}
	w.env.Keys("source", w.at[0])
	for i, column := range w.at[2:] {
		AddColumn(w.env, fmt.Sprintf("step%d", i+2), column)
	}
	return w.at[1], nil
}

// walking is a run of Walks.
type walking struct {
	Walks
	env   *Env
	at    [][]gas.VertexID // after each step, by walk
	graph walk.Graph
}

// random returns the random number of a step of a walk.
func (w *walking) random(i, step int) uint64 {
	source := uint64(w.at[0][i])*uint64(w.Walks.Walks) + uint64(i%w.Walks.Walks)
	return walk.Mixed(walk.Mixed(w.Seed+walk.Gamma) + (source*uint64(w.Length)+uint64(step))*walk.Gamma)
}

// walksAtOnce are walks that go on side by side, so that they wait for memory together.
const walksAtOnce = 256

// inMemory walks over the rows of the whole graph.
func (w *walking) inMemory(ctx context.Context) (err error) {
	if err = w.load(ctx); err != nil {
		return err
	}
	walks := len(w.at[0])
	var done atomic.Int64
	return w.env.Each(ctx, (walks+walksAtOnce-1)/walksAtOnce, func(_, task int) error {
		from, to := task*walksAtOnce, min((task+1)*walksAtOnce, walks)
		for step := 1; step <= w.Length; step++ {
			switch {
			case w.biased() && step > 1:
				for i := from; i < to; i++ {
					v, before := uint32(w.at[step-1][i]), uint32(w.at[step-2][i])
					w.at[step][i] = gas.VertexID(w.graph.BiasedStep(v, before, w.random(i, step)))
				}
			case w.graph.Sums != nil:
				for i := from; i < to; i++ {
					w.at[step][i] = gas.VertexID(w.graph.Step(uint32(w.at[step-1][i]), w.random(i, step)))
				}
			default:
				w.uniformSteps(from, to, step)
			}
		}
		w.env.Progress("walks", done.Add(int64(to-from)), int64(walks))
		return nil
	})
}

// uniformSteps makes a step of some walks, in two loops whose reads do not wait for each other.
func (w *walking) uniformSteps(from, to, step int) {
	const stays = math.MaxUint64
	var edges [walksAtOnce]uint64
	now, next := w.at[step-1][from:to], w.at[step][from:to]
	for i, v := range now {
		begin, end := w.graph.Rows.Off[v], w.graph.Rows.Off[v+1]
		if edges[i] = begin + walk.Below(w.random(from+i, step), end-begin); begin == end {
			edges[i] = stays
		}
	}
	for i := range next {
		if next[i] = now[i]; edges[i] != stays {
			next[i] = gas.VertexID(w.graph.Rows.To(edges[i]))
		}
	}
}

// load loads the rows of the whole graph, and adds up the weights of each.
func (w *walking) load(ctx context.Context) (err error) {
	g := &w.graph
	if g.Rows, err = w.env.Load(ctx, shard.Out); err != nil || !w.env.Graph.Weighted {
		return err
	}
	if g.Sums, err = Make[float64](w.env, int(w.env.Graph.Edges)); err != nil {
		return err
	}
	return w.env.Ranges(ctx, int(w.env.Graph.Vertices), func(_, from, to int) {
		for v := from; v < to; v++ {
			sum := 0.
			for k := g.Rows.Off[v]; k < g.Rows.Off[v+1]; k++ {
				_, weight := g.Rows.Arc(k)
				sum += weight
				g.Sums[k] = sum
			}
		}
	})
}

// inPasses makes a step of all walks in each pass over the rows.
func (w *walking) inPasses(ctx context.Context) error {
	var begin []uint64 // of the walks at a vertex, in order
	var order []uint32
	err := makeAll(w.env, into(&begin, int(w.env.Graph.Vertices)+1), into(&order, len(w.at[0])))
	if err != nil {
		return err
	}
	for step := 1; step <= w.Length; step++ {
		w.sort(w.at[step-1], begin, order)
		wanted := func(first, end uint32) bool { return begin[first] < begin[end] }
		err := w.env.Rows().pass(ctx, fmt.Sprintf("step %d", step), wanted, func(_ int, b *Block) {
			for i := range b.Len {
				v := b.Vertex(i)
				if here := order[begin[v]:begin[v+1]]; len(here) > 0 {
					w.leave(v, here, step, b.Row(shard.Out, i), b.Weights(shard.Out, i))
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// sort orders walks by where they are.
func (w *walking) sort(at []gas.VertexID, begin []uint64, order []uint32) {
	clear(begin)
	for _, v := range at {
		begin[v+1]++
	}
	for v := range begin[1:] {
		begin[v+1] += begin[v]
	}
	for i, v := range slices.Backward(at) {
		begin[v+1]--
		order[begin[v+1]] = uint32(i)
	}
	copy(begin, begin[1:])
	begin[len(begin)-1] = uint64(len(at))
}

// leave makes a step of the walks at a vertex.
func (w *walking) leave(v uint32, walks []uint32, step int, row []uint32, weights shard.Plane) {
	next := w.at[step]
	if !w.env.Graph.Weighted && len(row) > 0 {
		for _, i := range walks {
			next[i] = gas.VertexID(row[walk.Below(w.random(int(i), step), uint64(len(row)))])
		}
		return
	}
	sum := 0.
	for k := range row {
		sum += weights.At(k)
	}
	if sum == 0 {
		for _, i := range walks {
			next[i] = gas.VertexID(v)
		}
		return
	}
	random := func(i uint32) uint64 { return w.random(int(i), step) }
	slices.SortFunc(walks, func(i, j uint32) int {
		return cmp.Compare(random(i), random(j))
	})
	k, upTo := 0, weights.At(0)
	for _, i := range walks {
		for goal := walk.Share(random(i), sum); upTo <= goal; upTo += weights.At(k) {
			k++
		}
		next[i] = gas.VertexID(row[k])
	}
}

// ColumnName returns "step1".
func (Walks) ColumnName() string { return "step1" }

// WalksCommand describes garaph run walks.
var WalksCommand = registry.Command{
	Name: "walks", Value: Walks{Length: 1, Walks: 1, P: 1, Q: 1},
	Short: "random walks from every vertex, or those of node2vec: a row has a walk",
	Long: `Walks follow edge direction. Edges are chosen by weight, or all alike without weights; a
walk stays at a vertex without out-edges. With --p or --q other than 1, walks are those
of node2vec: an edge back to the vertex before counts 1/p times, and one to a vertex
without an edge to that 1/q times. The result has columns source, step1, step2 and so
on. Where --memory has no room for all edges, each step is a pass over the graph.`,
	Example: `  garaph run walks web.graph --length 80 --walks 10 --output walks.parquet
  garaph run walks web.graph --p 0.5 --q 2 --output walks.npy`,
	Setup: func(fs *pflag.FlagSet) registry.Make {
		length := flags.Range(fs, "length", 20, 1, 1000, "steps of a walk")
		walks := flags.Range(fs, "walks", 1, 1, 1<<20, "walks from each vertex")
		p := flags.Positive(fs, "p", 1, "return parameter of node2vec")
		q := flags.Positive(fs, "q", 1, "in-out parameter of node2vec")
		flags.Sources(fs, "to walk from (default all)")
		seed := seedFlag(fs)
		return func(e registry.Env) (any, error) {
			sources, err := e.Sources()
			if len(sources) == 0 {
				sources = nil
			}
			return Walks{*length, *walks, uint64(*seed), *p, *q, sources}, err
		}
	},
}
