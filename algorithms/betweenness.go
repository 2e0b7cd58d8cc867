package algorithms

import (
	"context"
	"math/rand/v2"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// Betweenness is betweenness centrality: the sum, over the pairs of other vertices, of the part of the shortest
// paths between them that lead through a vertex, along edge direction, by the number of edges or, if Weighted, by
// the sum of weights, which are above 0. Pairs of a symmetric graph have no order. Parallel edges make paths of
// their own. With Samples, paths from that number of vertices are searched instead of from all, and the sums are scaled
// up.
//
// It is Brandes' algorithm (A faster algorithm for betweenness centrality, Journal of Mathematical Sociology
// 25, 2001; sampled: Brandes and Pich, 2007), a source for each thread. Of two consecutive levels of a
// symmetric graph, the rows of the one with fewer edges are read, when paths are counted (Beamer, Asanović and
// Patterson, SC 2012) and when dependencies are added up. Sources are added to the sums in their order, so that
// these do not depend on the number of threads. Memory: the out-rows, 8 bytes for a vertex, and 24 for a vertex
// and a thread, or 24 for a vertex if the budget has no room for that; 36 for 24 by weights.
type Betweenness struct {
	Samples  int // if 0, all vertices
	Seed     uint64
	Sources  []uint32 // if not nil, these instead, and the sums are not scaled
	Weighted bool     // on a graph with weights
	// If Error is above 0, paths are sampled until, with probability Confidence, no estimate is off by that part of all
	// ordered pairs of vertices or more. They are without weights.
	Error, Confidence float64
}

// Plan returns the out-rows, the sums, and a search for each thread.
func (c Betweenness) Plan(g *store.Catalogue, threads int) Plan {
	n, search := int64(g.Vertices), int64(24)
	whole, sums := []shard.Direction{shard.Out}, 8*n
	switch {
	case c.Error > 0:
		whole, sums, search = BothRows(g), 16*n, 20
		if g.Symmetric {
			whole = []shard.Direction{shard.Out}
		}
	case c.Weighted && g.Weighted:
		search = 36
	}
	return perLane(threads, func(lanes int) Plan {
		return Plan{Whole: whole, Weights: c.Weighted && c.Error == 0, Arrays: []Array{
			{"the sums", sums}, {"searches", search * n * int64(lanes)},
		}}
	})
}

// Run searches from every source.
func (c Betweenness) Run(ctx context.Context, e *Env) ([]float64, error) {
	if c.Error > 0 {
		return c.estimate(ctx, e)
	}
	rows, err := e.Load(ctx, shard.Out)
	if err != nil {
		return nil, err
	}
	n := int(e.Graph.Vertices)
	sums, err := Make[float64](e, n)
	if err != nil {
		return nil, err
	}
	sources := c.Sources
	if sources == nil && c.Samples > 0 && c.Samples < n {
		random := rand.New(rand.NewPCG(c.Seed, 0))
		sources = someOf(nil, map[uint32]bool{}, n, c.Samples, false, random.IntN)
	}
	count, source := n, func(i int) uint32 { return uint32(i) }
	if sources != nil {
		count, source = len(sources), func(i int) uint32 { return sources[i] }
	}
	lanes, err := c.lanes(ctx, e, rows, count)
	if err != nil {
		return nil, err
	}
	done := 0
	err = e.Steps(ctx, State{Done: &done, Arrays: []any{&sums}}, func() (again bool, err error) {
		err = addUp(ctx, e, lanes, &done, count, source, sums)
		return done < count, err
	})
	scale := float64(n) / float64(count)
	if c.Sources != nil {
		scale = 1
	}
	if e.Graph.Symmetric {
		scale /= 2
	}
	for v := range sums {
		sums[v] *= scale
	}
	e.Total("sources", int64(count))
	return sums, err
}

// addUp adds the dependencies of sources, from *done to before count, to sums, in the order of the sources. It ends
// early when a checkpoint is due. *done becomes the number of sources that were added.
func addUp(
	ctx context.Context, e *Env, lanes []pathSearch, done *int, count int, source func(i int) uint32, sums []float64,
) error {
	t := newTurns(*done, count)
	return e.Each(ctx, len(lanes), func(_, lane int) error {
		x, ended := lanes[lane], false
		defer func() {
			if !ended { // an error, or a panic
				t.fail()
			}
		}()
		for {
			i, ok := t.begin()
			if !ok {
				ended = true
				return nil
			}
			if err := x.search(ctx, source(i)); err != nil {
				return err
			}
			t.end(i, func() {
				vertices, dependencies := x.found()
				for _, v := range vertices[1:] {
					sums[v] += dependencies[v]
				}
				if *done = i + 1; e.Due(*done) {
					t.stop()
				}
			})
			x.clear()
			e.Progress("sources", int64(i), int64(count))
		}
	})
}

// pathSearch is a search from one source.
type pathSearch interface {
	init(e *Env, rows *frontier.Rows) error
	search(ctx context.Context, source uint32) error
	// found returns the vertices that were reached, the source first, and the dependencies of the source by vertex.
	found() (vertices []uint32, dependencies []float64)
	clear() // forgets the reached vertices
}

// lanes returns as many searches as there is room for, at most n.
func (c Betweenness) lanes(ctx context.Context, e *Env, rows *frontier.Rows, n int) (lanes []pathSearch, err error) {
	weighted := c.Weighted && e.Graph.Weighted
	if weighted {
		if err := checkPositive(ctx, e, rows); err != nil {
			return nil, err
		}
	}
	for range e.lanes(n) {
		var x pathSearch = new(brandes)
		if weighted {
			x = new(weightedBrandes)
		}
		if err := x.init(e, rows); err != nil {
			return nil, err
		}
		lanes = append(lanes, x)
	}
	return lanes, nil
}

// brandes is the search from one source.
type brandes struct {
	env    *Env
	rows   *frontier.Rows
	level  []int32   // if 0, not reached; the source is on level 1
	order  []uint32  // vertices that were reached, level after level
	all    []uint32  // the memory of order
	paths  []float64 // shortest paths from the source, and then the dependency of the source
	dep    []float64 // (1 + dependency) / paths
	levels []int     // where they end in order
	edges  []uint64  // of each level
	left   uint64    // edges of vertices that were not reached
}

func (x *brandes) init(e *Env, rows *frontier.Rows) error {
	n := int(e.Graph.Vertices)
	x.env, x.rows, x.left = e, rows, e.Graph.Edges
	return makeAll(e, into(&x.level, n), into(&x.all, n), into(&x.paths, n), into(&x.dep, n))
}

func (x *brandes) row(v uint32) []uint32 { return x.rows.Nbr[x.rows.Off[v]:x.rows.Off[v+1]] }

func (x *brandes) found() (vertices []uint32, dependencies []float64) { return x.order, x.paths }

func (x *brandes) clear() {
	for _, v := range x.order {
		x.level[v], x.paths[v], x.dep[v] = 0, 0, 0
	}
}

// reach adds a vertex to a level.
func (x *brandes) reach(v uint32, level int32) {
	x.level[v] = level
	x.order = append(x.order, v)
}

// search counts paths, level after level, and adds up dependencies on the way back.
func (x *brandes) search(ctx context.Context, source uint32) error {
	x.order, x.levels, x.edges, x.left = x.all[:0], x.levels[:0], x.edges[:0], uint64(len(x.rows.Nbr))
	x.reach(source, 1)
	x.paths[source] = 1
	for begin := 0; begin < len(x.order); {
		if err := ctx.Err(); err != nil {
			return err
		}
		now, edges := x.order[begin:], uint64(0)
		for _, v := range now {
			edges += x.rows.Off[v+1] - x.rows.Off[v]
		}
		begin = len(x.order)
		x.levels, x.edges, x.left = append(x.levels, begin), append(x.edges, edges), x.left-edges
		if next := int32(len(x.levels)) + 1; x.env.Graph.Symmetric && edges > x.left+uint64(len(x.level))/8 {
			x.pull(next)
		} else {
			x.push(now, next)
		}
	}
	for i := len(x.levels) - 1; i >= 0; i-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		x.back(i)
	}
	return nil
}

// push counts the paths to the next level along the rows of the last one.
func (x *brandes) push(now []uint32, next int32) {
	for _, v := range now {
		paths := x.paths[v]
		for _, u := range x.row(v) {
			switch x.level[u] {
			case 0:
				x.reach(u, next)
				x.paths[u] = paths
			case next:
				x.paths[u] += paths
			}
		}
	}
}

// pull counts them along the rows of vertices that were not reached.
func (x *brandes) pull(next int32) {
	for v, level := range x.level {
		if level != 0 {
			continue
		}
		paths := 0.
		for _, u := range x.row(uint32(v)) {
			if x.level[u] == next-1 {
				paths += x.paths[u]
			}
		}
		if paths > 0 {
			x.reach(uint32(v), next)
			x.paths[v] = paths
		}
	}
}

// back adds up the dependencies of the vertices of level i on the next one.
func (x *brandes) back(i int) {
	begin := 0
	if i > 0 {
		begin = x.levels[i-1]
	}
	now, next := x.order[begin:x.levels[i]], int32(i)+2
	switch {
	case i == len(x.levels)-1:
	case x.env.Graph.Symmetric && x.edges[i+1] < x.edges[i]:
		for _, u := range x.order[x.levels[i]:x.levels[i+1]] {
			for _, v := range x.row(u) {
				if x.level[v] == next-1 {
					x.dep[v] += x.dep[u]
				}
			}
		}
	default:
		for _, v := range now {
			sum := 0.
			for _, u := range x.row(v) {
				if x.level[u] == next {
					sum += x.dep[u]
				}
			}
			x.dep[v] = sum
		}
	}
	for _, v := range now {
		paths, dependency := x.paths[v], x.dep[v]*x.paths[v]
		x.paths[v], x.dep[v] = dependency, (1+dependency)/paths
	}
}

// Steps returns "sources", or "paths" if paths are sampled.
func (c Betweenness) Steps() (name, version string) {
	if c.Error > 0 {
		return "paths", stateVersion
	}
	return "sources", stateVersion
}

// ColumnName returns "betweenness".
func (Betweenness) ColumnName() string { return "betweenness" }

// BetweennessCommand describes garaph run betweenness.
var BetweennessCommand = registry.Command{
	Name: "betweenness", Value: Betweenness{},
	Short: "betweenness of every vertex: the shortest paths between others that lead through it",
	Long: `It is the sum, over the pairs of other vertices, of the part of the shortest paths
between them that lead through the vertex. Paths follow edge direction; pairs of an
undirected graph count once. With --weighted, shortest paths are those of the least sum
of weights, which have to be above 0. Parallel edges make paths of their own. Exact
values take a search from every vertex: --samples searches from some at random, and
scales the sums up, and --error samples single paths until they are enough. The edges
are in memory, 4 bytes each, and 8 bytes for each vertex, and 24 for each vertex and
thread.`,
	Example: `  garaph run betweenness roads.graph --samples 1000 --top 10
  garaph run betweenness web.graph --error 0.001 --top 10
  garaph run betweenness small.graph --output betweenness.parquet`,
	Setup: func(fs *pflag.FlagSet) registry.Make {
		samples := flags.Count(fs, "samples", 0, 0, "number of sources to search from; 0: all vertices")
		seed := seedFlag(fs)
		weighted := fs.Bool("weighted", false, "the length of a path is the sum of its weights, not its number of edges")
		off := flags.Number(fs, "error", 0, 1,
			"sample paths until no value is off by this part of all ordered pairs of vertices; 0: search from sources")
		confidence := flags.Number(fs, "confidence", 0.95, 1, "probability with which --error holds for all vertices")
		return func(e registry.Env) (any, error) {
			if *weighted {
				e.LogUnweighted()
			}
			if *off > 0 && (*samples > 0 || *weighted) {
				return nil, flags.Usagef("--error: does not go with --samples or --weighted")
			}
			return Betweenness{
				Samples: *samples, Seed: uint64(*seed), Weighted: *weighted, Error: *off, Confidence: *confidence,
			}, nil
		}
	},
}

// seedFlag declares --seed.
func seedFlag(fs *pflag.FlagSet) *int {
	return flags.Count(fs, "seed", 1, 0, "seed of the random choices")
}
