package algorithms

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/store"
)

// Leiden finds communities of high modularity by the algorithm of Traag, Waltman and van Eck (From Louvain to
// Leiden, 2019): vertices move to the community of a neighbour while modularity rises, each community is divided
// into well-connected parts, the parts become the vertices of a smaller graph, and so on until nothing moves.
// Every community is connected. It is named by its least vertex.
//
// Directions of edges don't matter, parallel edges add up, and a self-loop counts twice in the
// degree of its vertex. With a Resolution γ, modularity is Σ (w(C)/m - γ·(k(C)/2m)²) over
// communities C, where w(C) is the weight of the edges within C, k(C) the sum of the degrees in C,
// and m the weight of all edges.
//
// Vertices choose communities in batches, on all threads, from what is known when the batch begins,
// and move one after another. One whose neighbour has moved within the batch chooses again. So the
// result does not depend on the number of threads. Memory: 107 bytes for a vertex and 12 for each
// thread and vertex, 24 bytes for an edge, and 8 more if weighted.
type Leiden struct {
	Resolution float64 // if 0, 1
	Weighted   bool    // edges count by their weights, in single precision
	Seed       uint64  // of the order in which vertices choose
	Iterations int     // at most; if 0, until modularity does not rise
	// Levels is the number of divisions of communities into parts that become columns, from the finest to coarser ones,
	// at most [MostLevels].
	Levels int
}

// MostLevels is the largest number of levels that are columns. There are seldom more than ten.
const MostLevels = 32

// Louvain is [Leiden] without the division into parts (Blondel et al., Fast unfolding of communities in large
// networks, 2008). Its communities may be disconnected.
type Louvain Leiden

// Plan returns the rows of both directions, the graph of the communities, and the state of the vertices.
func (p Leiden) Plan(g *store.Catalogue, threads int) Plan {
	n, m := int64(g.Vertices), int64(g.Edges)
	if !g.Symmetric {
		m *= 2
	}
	weights := int64(0)
	if p.Weighted && g.Weighted {
		weights = 4 * m
	}
	return Plan{Rows: BothRows(g), Weights: weights > 0, Arrays: []Array{
		{"the edges", 4*m + weights},
		{"the graphs of communities", 8*m + 40*n + 16},
		{"the vertices", 91*n + 16},
		{"sums of weights", 12 * n * int64(threads)},
		{"the results", 4 * n * int64(1+min(p.Levels, MostLevels))},
	}}
}

// Plan returns that of [Leiden].
func (p Louvain) Plan(g *store.Catalogue, threads int) Plan { return Leiden(p).Plan(g, threads) }

// Run finds communities.
func (p Leiden) Run(ctx context.Context, e *Env) ([]gas.VertexID, error) { return p.run(ctx, e, true) }

// Run finds communities.
func (p Louvain) Run(ctx context.Context, e *Env) ([]gas.VertexID, error) {
	return Leiden(p).run(ctx, e, false)
}

// optimiser is the state of a run.
type optimiser struct {
	leiden  Leiden
	env     *Env
	divides bool
	double  float64 // the sum of all degrees
	base    *level
	at      vertexArrays
	choices []choice
	sums    []sums // of each worker
	columns [][]gas.VertexID
}

// vertexArrays have room for the vertices of the stored graph. Levels use the first elements.
type vertexArrays struct {
	node     []uint32 // of the level, by stored vertex
	whole    []uint32 // the communities of stored vertices
	saved    []uint32 // them after the last iteration
	order    []uint32 // vertices by community, then by part
	start    []uint32 // where those of a community begin in order
	part     []uint32 // of a vertex, named by a vertex of it
	size     []uint32 // of communities, then of parts
	degrees  []float64
	cut      []float64 // weights from a part to the rest of its community
	queue    []uint32
	queued   []bool
	touched  []uint32 // the last batch in which a neighbour has moved
	shuffled []uint32
}

// level is a graph whose vertices are parts of the level below, without self-loops.
type level struct {
	off       []uint64
	to        []uint32
	weight    []float32 // if nil, 1 each
	degree    []float64 // self-loops counted
	community []uint32  // of each vertex, a number below that of vertices
}

func (l *level) size() int { return len(l.degree) }

// sums adds up the weights from a vertex to groups of its neighbours.
type sums struct {
	of     []float64 // by group
	groups []uint32  // those with a sum
}

func (s *sums) add(group uint32, w float64) {
	if s.of[group] == 0 {
		if w == 0 {
			return
		}
		s.groups = append(s.groups, group)
	}
	s.of[group] += w
}

func (s *sums) clear() {
	for _, g := range s.groups {
		s.of[g] = 0
	}
	s.groups = s.groups[:0]
}

// gather adds up the weights from v to the groups of its neighbours.
func (l *level) gather(s *sums, v uint32, group []uint32) {
	from, to := l.off[v], l.off[v+1]
	if l.weight == nil {
		for _, u := range l.to[from:to] {
			s.add(group[u], 1)
		}
		return
	}
	for k, u := range l.to[from:to] {
		s.add(group[u], float64(l.weight[from+uint64(k)]))
	}
}

// gatherWithin is like gather, for the neighbours in the community of v.
func (l *level) gatherWithin(s *sums, v uint32, group []uint32) {
	own, from := l.community[v], l.off[v]
	for k, u := range l.to[from:l.off[v+1]] {
		if l.community[u] == own {
			s.add(group[u], l.at(from+uint64(k)))
		}
	}
}

func (l *level) at(edge uint64) float64 {
	if l.weight == nil {
		return 1
	}
	return float64(l.weight[edge])
}

// within returns the weight from v to its community.
func (l *level) within(v uint32) (w float64) {
	own, from := l.community[v], l.off[v]
	for k, u := range l.to[from:l.off[v+1]] {
		if l.community[u] == own {
			w += l.at(from + uint64(k))
		}
	}
	return w
}

func (p Leiden) run(ctx context.Context, e *Env, divides bool) ([]gas.VertexID, error) {
	if p.Resolution == 0 {
		p.Resolution = 1
	}
	o := &optimiser{leiden: p, env: e, divides: divides}
	if err := o.load(ctx); err != nil {
		return nil, err
	}
	best, q, passes, levels := -1., 0., 0, 0
	err := e.Steps(ctx, State{Done: &passes, Numbers: []any{&best}, Arrays: []any{&o.at.saved}, Check: func() error {
		if c := slices.Max(o.at.saved); int(c) >= len(o.at.saved) {
			return fmt.Errorf("it has community %d of %d", c, len(o.at.saved))
		}
		return nil
	}}, func() (again bool, err error) {
		copy(o.at.whole, o.at.saved)
		if levels, err = o.pass(ctx, fmt.Sprintf("iteration %d", passes+1)); err != nil {
			return false, err
		}
		o.base.community = o.at.whole
		if q, err = o.modularity(ctx); err != nil {
			return false, err
		}
		again = q > best+1e-6 && divides && passes+1 != p.Iterations
		copy(o.at.saved, o.at.whole)
		best = q
		passes++
		return again, nil
	})
	if err != nil {
		return nil, err
	}
	return o.result(q, passes, levels)
}

// Steps returns "iterations".
func (Leiden) Steps() (name, version string) { return "iterations", stateVersion }

// pass moves vertices, then parts of communities, and so on. It returns how many levels there were.
func (o *optimiser) pass(ctx context.Context, stage string) (levels int, err error) {
	l := o.base
	for v := range o.at.node {
		o.at.node[v] = uint32(v)
	}
	for {
		levels++
		if err := o.move(ctx, l, fmt.Sprintf("%s, level %d", stage, levels)); err != nil {
			return 0, err
		}
		communities := o.bucket(l.community, l.size())
		if communities == l.size() {
			break
		}
		if err := o.divide(ctx, l); err != nil {
			return 0, err
		}
		next, err := o.aggregate(ctx, l)
		if err != nil {
			return 0, err
		}
		if levels <= len(o.columns) {
			o.name(o.columns[levels-1], o.at.node)
		}
		l = next
	}
	for v, x := range o.at.node {
		o.at.whole[v] = l.community[x]
	}
	o.free(l)
	return levels, nil
}

// ColumnName returns "community".
func (Leiden) ColumnName() string { return "community" }

// ColumnName returns "community".
func (Louvain) ColumnName() string { return "community" }

const modularityHelp = `Directions of edges don't matter, and parallel edges add up. The summary has the number
of communities and their modularity. The result is the same for any number of threads;
--seed draws another one.`

// LeidenCommand describes garaph run leiden.
var LeidenCommand = registry.Command{
	Name: "leiden", Value: Leiden{}, Short: "communities of high modularity, each connected, by the Leiden algorithm",
	Long: modularityHelp + ` --iterations limits how often the communities found begin
again as those of the vertices.`,
	Example: `  garaph run leiden friends.graph --output communities.parquet
  garaph run leiden roads.graph --weighted --resolution 0.5 --levels 3`,
	Ranking: registry.Groups, Iterations: 2,
	Setup: func(fs *pflag.FlagSet) registry.Make {
		make := leidenFlags(fs)
		return func(e registry.Env) (any, error) { return make(e), nil }
	},
}

// LouvainCommand describes garaph run louvain.
var LouvainCommand = registry.Command{
	Name: "louvain", Value: Louvain{},
	Short: "communities of high modularity, by the Louvain algorithm; leiden finds better ones",
	Long:  modularityHelp + ` Communities may be disconnected.`,
	Example: `  garaph run louvain friends.graph --output communities.parquet
  garaph run louvain roads.graph --weighted --levels 3`,
	Ranking: registry.Groups,
	Setup: func(fs *pflag.FlagSet) registry.Make {
		make := leidenFlags(fs)
		return func(e registry.Env) (any, error) { return Louvain(make(e)), nil }
	},
}

func leidenFlags(fs *pflag.FlagSet) func(registry.Env) Leiden {
	resolution := flags.Checked(fs, "resolution", "X", 1, func(s string) (float64, error) {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || !(x > 0 && x <= math.MaxFloat64) {
			return 0, errors.New("expected a number above 0")
		}
		return x, nil
	}, func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) },
		"the larger, the smaller the communities; above 0")
	weighted := fs.Bool("weighted", false, "edges count by their weights")
	seed := seedFlag(fs)
	levels := flags.Range(fs, "levels", 0, 0, MostLevels,
		"how many divisions of communities to write as columns, from the finest one")
	return func(e registry.Env) Leiden {
		if *weighted && !e.Graph.Weighted {
			e.LogUnweighted()
		}
		return Leiden{
			Resolution: *resolution, Weighted: *weighted, Seed: uint64(*seed), Iterations: e.Iterations, Levels: *levels,
		}
	}
}
