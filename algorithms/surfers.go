package algorithms

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// Surfers are several personalised PageRanks at once (Haveliwala, Topic-sensitive PageRank, WWW 2002), a column for
// each source: the stationary distribution of a random surfer who follows an out-edge with probability Damping, and
// otherwise, and from vertices without out-edges, jumps to the source.
//
// A pass over the in-rows adds up the ranks of all sources, which lie side by side for each vertex. Memory: 4 bytes
// for a vertex, 16 for a vertex and a source, and pages.
type Surfers struct {
	Sources    []uint32 // ascending
	Damping    float64
	Iterations int     // if 0, no limit
	Tolerance  float64 // of the sum of changes of each column, below which it ends
}

// Plan returns the in-rows, the out-degrees and the ranks.
func (c Surfers) Plan(g *store.Catalogue, _ int) Plan {
	n := int64(g.Vertices)
	return Plan{Rows: []shard.Direction{shard.In}, Arrays: []Array{
		{"out-degrees", 4 * n}, {"ranks", 16*n*int64(len(c.Sources)) + 8*int64(len(c.Sources))},
	}}
}

// surfing is a run of Surfers.
type surfing struct {
	Surfers
	env       *Env
	out       []uint32
	now, next []float64 // ranks by vertex and source, each divided by the out-degree, if that is above 0
	dangling  []float64 // by source, the sum of the ranks of vertices without out-edges
}

// Run iterates.
func (c Surfers) Run(ctx context.Context, e *Env) ([]float64, error) {
	x, err := c.start(ctx, e)
	if err != nil {
		return nil, err
	}
	err = iterate(ctx, e, c.Iterations, c.Tolerance, []any{&x.now, &x.dangling}, func() (change float64, err error) {
		if err = x.step(ctx); err == nil {
			change, err = x.compare(ctx)
		}
		if err == nil {
			x.now, x.next = x.next, x.now
		}
		return change, err
	})
	if err != nil {
		return nil, err
	}
	return x.columns(ctx)
}

// Steps returns "iterations".
func (Surfers) Steps() (name, version string) { return "iterations", stateVersion }

// start has each surfer at its source.
func (c Surfers) start(ctx context.Context, e *Env) (*surfing, error) {
	n, s := int(e.Graph.Vertices), len(c.Sources)
	x := &surfing{Surfers: c, env: e}
	err := makeAll(e, into(&x.out, n), into(&x.dangling, s), into(&x.now, n*s), into(&x.next, n*s))
	if err != nil {
		return nil, err
	}
	err = eachDegree(ctx, e, []shard.Direction{shard.Out}, nil, func(v, degree uint32) { x.out[v] = degree })
	if err != nil {
		return nil, err
	}
	for k, v := range c.Sources {
		x.now[int(v)*s+k] = 1 / float64(max(x.out[v], 1))
		if x.out[v] == 0 {
			x.dangling[k] = 1
		}
	}
	return x, nil
}

// step finds the next ranks.
func (x *surfing) step(ctx context.Context) error {
	s := len(x.Sources)
	return x.env.Rows().Each(ctx, func(_ int, b *Block) error {
		for i := range b.Len {
			v := int(b.Vertex(i))
			sums := x.next[v*s:][:s]
			clear(sums)
			for _, u := range b.Row(shard.In, i) {
				for k, rank := range x.now[int(u)*s:][:s] {
					sums[k] += rank
				}
			}
			for k := range sums {
				sums[k] *= x.Damping
			}
			if k, ok := slices.BinarySearch(x.Sources, uint32(v)); ok {
				sums[k] += 1 - x.Damping + float64(x.Damping*x.dangling[k])
			}
			out := float64(max(x.out[v], 1))
			for k := range sums {
				sums[k] /= out
			}
		}
		return nil
	})
}

// compare returns the largest change of a column, and adds up the ranks of vertices without out-edges.
func (x *surfing) compare(ctx context.Context) (most float64, err error) {
	n, s := len(x.out), len(x.Sources)
	parts := make([][]float64, (n+summed-1)/summed) // changes, and ranks without out-edges
	err = x.env.Ranges(ctx, n, func(_, from, to int) {
		part := make([]float64, 2*s)
		for v := from; v < to; v++ {
			out := float64(max(x.out[v], 1))
			for k, rank := range x.next[v*s:][:s] {
				part[k] += math.Abs(rank-x.now[v*s+k]) * out
				if x.out[v] == 0 {
					part[s+k] += rank
				}
			}
		}
		parts[from/summed] = part
	})
	if err != nil {
		return 0, err
	}
	changes := make([]float64, s)
	clear(x.dangling)
	for _, part := range parts {
		for k := range s {
			changes[k] += part[k]
			x.dangling[k] += part[s+k]
		}
	}
	return slices.Max(changes), nil
}

// columns returns the ranks of the first source, and adds the columns of the others.
func (x *surfing) columns(ctx context.Context) (first []float64, err error) {
	Free(x.env, x.next)
	s := len(x.Sources)
	for k := range s {
		column, err := Make[float64](x.env, len(x.out))
		if err != nil {
			return nil, err
		}
		err = x.env.Ranges(ctx, len(column), func(_, from, to int) {
			for v := from; v < to; v++ {
				column[v] = x.now[v*s+k] * float64(max(x.out[v], 1))
			}
		})
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = column
			continue
		}
		AddColumn(x.env, fmt.Sprintf("rank%d", k+1), column)
	}
	return first, nil
}

// ColumnName returns "rank1".
func (Surfers) ColumnName() string { return "rank1" }

// mostSurfers is the largest number of sources.
const mostSurfers = 256

// SurfersCommand describes garaph run surfers.
var SurfersCommand = registry.Command{
	Name: "surfers", Value: Surfers{},
	Short: "personalised PageRank of many sources at once, a column for each",
	Long: `Column rank1 has the ranks whose teleports end at the first source, in the order of
ids, rank2 those of the second one, and so on, for up to 256 sources. pagerank has
teleports end at several sources alike. Weights are ignored. Memory: 16 bytes for each
vertex and source.`,
	Example:    `  garaph run surfers web.graph --sources seeds.txt --output ranks.parquet`,
	Iterations: powerIterations,
	Setup: func(fs *pflag.FlagSet) registry.Make {
		flags.RequiredSources(fs, "where the teleports of a column end")
		damping := flags.Number(fs, "damping", 0.85, 1, "probability of following an edge, at least 0 and below 1")
		tolerance := flags.Number(fs, "tolerance", 1e-6, 0,
			"change of the ranks of a source together (L1, they sum up to 1) in an iteration below which the run ends; 0: none")
		return func(e registry.Env) (any, error) {
			sources, err := e.Sources()
			if err == nil {
				err = endless(e.Iterations, *tolerance)
			}
			if len(sources) > mostSurfers {
				err = flags.Usagef("%d sources: expected at most %d", len(sources), mostSurfers)
			}
			return Surfers{sources, *damping, e.Iterations, *tolerance}, err
		}
	},
}
