package algorithms

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// HITS gives each vertex a hub and an authority (Kleinberg, Authoritative sources in a hyperlinked environment,
// Journal of the ACM 46, 1999): the hub is proportional to the sum of the authorities that its edges lead to,
// and the authority to the sum of the hubs that its edges come from. Both have a Euclidean norm of 1. Parallel
// edges count as often as they are stored. They are found by power iteration from equal hubs. Memory: 24 bytes
// for a vertex, and pages.
type HITS struct {
	Iterations int     // if 0, no limit
	Tolerance  float64 // Euclidean change of the hubs below which it ends
}

// Plan returns the rows of both directions, and three numbers a vertex.
func (HITS) Plan(g *store.Catalogue, _ int) Plan {
	return Plan{Places: true, Rows: BothRows(g), Arrays: []Array{{"hubs and authorities", 24 * int64(g.Vertices)}}}
}

// Run iterates.
func (c HITS) Run(ctx context.Context, e *Env) ([]float64, error) {
	var hubs, next, authorities []float64
	n := int(e.Graph.Vertices)
	if err := makeAll(e, into(&hubs, n), into(&next, n), into(&authorities, n)); err != nil {
		return nil, err
	}
	fill(hubs, 1)
	if _, err := normalize(ctx, e, hubs); err != nil {
		return nil, err
	}
	err := iterate(ctx, e, c.Iterations, c.Tolerance, []any{&hubs}, func() (change float64, err error) {
		if _, err = gather(ctx, e, shard.In, 0, hubs, authorities); err == nil {
			_, err = gather(ctx, e, shard.Out, 0, authorities, next)
		}
		if err == nil {
			change, err = distance(ctx, e, hubs, next)
		}
		if err == nil {
			hubs, next = next, hubs
		}
		return change, err
	})
	AddColumn(e, "authority", authorities)
	return hubs, err
}

// Steps returns "iterations".
func (HITS) Steps() (name, version string) { return "iterations", stateVersion }

// ColumnName returns "hub".
func (HITS) ColumnName() string { return "hub" }

// HITSCommand describes garaph run hits.
var HITSCommand = registry.Command{
	Name: "hits", Value: HITS{},
	Short: "hubs and authorities: a vertex is a good hub if its edges lead to good authorities",
	Long: `The hub of a vertex is proportional to the sum of the authorities that its edges lead
to, and its authority to the sum of the hubs that edges come from. Both columns have a
Euclidean norm of 1. Weights are ignored.`,
	Example: `  garaph run hits web.graph --top 10
  garaph run hits web.graph --output hubs.parquet`,
	Iterations: powerIterations,
	Setup: func(fs *pflag.FlagSet) registry.Make {
		tolerance := toleranceFlag(fs)
		return func(e registry.Env) (any, error) {
			return HITS{e.Iterations, *tolerance}, endless(e.Iterations, *tolerance)
		}
	},
}
