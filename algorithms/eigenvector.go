package algorithms

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// Eigenvector is eigenvector centrality (Bonacich, 1972): the value of a vertex is proportional to the sum of
// the values of those that its in-edges come from, by the largest eigenvalue of the adjacency matrix. Values
// have a Euclidean norm of 1. Parallel edges count as often as they are stored. It is found by power iteration
// from equal values, with each vertex added to its own sum, so that bipartite graphs converge. Memory: 16 bytes
// for a vertex, and pages.
type Eigenvector struct {
	Iterations int     // if 0, no limit
	Tolerance  float64 // Euclidean change of the values below which it ends
}

// Plan returns the in-rows, and two numbers a vertex.
func (Eigenvector) Plan(g *store.Catalogue, _ int) Plan {
	return Plan{Places: true, Rows: []shard.Direction{shard.In}, Arrays: []Array{{"the values", 16 * int64(g.Vertices)}}}
}

// Run iterates.
func (c Eigenvector) Run(ctx context.Context, e *Env) ([]float64, error) {
	var values, next []float64
	n := int(e.Graph.Vertices)
	if err := makeAll(e, into(&values, n), into(&next, n)); err != nil {
		return nil, err
	}
	fill(values, 1)
	norm, err := normalize(ctx, e, values)
	if err != nil {
		return nil, err
	}
	err = iterate(ctx, e, c.Iterations, c.Tolerance, []any{&values}, func() (change float64, err error) {
		if norm, err = gather(ctx, e, shard.In, 1, values, next); err == nil {
			change, err = distance(ctx, e, values, next)
		}
		if err == nil {
			values, next = next, values
		}
		return change, err
	})
	e.TotalFloat("eigenvalue", norm-1)
	return values, err
}

// Steps returns "iterations".
func (Eigenvector) Steps() (name, version string) { return "iterations", stateVersion }

// ColumnName returns "centrality".
func (Eigenvector) ColumnName() string { return "centrality" }

// EigenvectorCommand describes garaph run eigenvector.
var EigenvectorCommand = registry.Command{
	Name: "eigenvector", Value: Eigenvector{},
	Short: "eigenvector centrality: proportional to the sum of those of in-neighbours",
	Long: `Values have a Euclidean norm of 1; the summary has the largest eigenvalue. Weights are
ignored. In a directed graph without circles there is no such vector: values
become those of the vertices at the ends of its longest paths.`,
	Example: `  garaph run eigenvector web.graph --top 10
  garaph run eigenvector web.graph --tolerance 1e-6 --output centrality.parquet`,
	Iterations: powerIterations,
	Setup: func(fs *pflag.FlagSet) registry.Make {
		tolerance := toleranceFlag(fs)
		return func(e registry.Env) (any, error) {
			return Eigenvector{e.Iterations, *tolerance}, endless(e.Iterations, *tolerance)
		}
	},
}
