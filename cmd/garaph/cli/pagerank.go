package cli

import (
	"context"
	"fmt"
	"math"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/internal/builtins"
)

type pageRankFlags struct {
	damping, tolerance *float64
	weights            *bool
	precision          *string
}

// tolerated is --tolerance; none where exactly so many iterations were asked for.
func (f pageRankFlags) tolerated(e Env) float64 {
	if e.Flags.Changed("iterations") && e.Options.Iterations > 0 && !e.Flags.Changed("tolerance") {
		*f.tolerance = 0 // which the report shows
	} else if *f.tolerance == 0 && e.Options.Iterations == 0 {
		e.Log.Warn("with --tolerance 0 and without a number of --iterations, it may run until it is interrupted")
	}
	return *f.tolerance
}

// run runs PageRank, of the program with the smallest values that does what was asked for.
func (f pageRankFlags) run(ctx context.Context, e Env) (*garaph.Result, error) {
	if *f.damping == 0 { // which was asked for; in a program's field it was forgotten
		least := math.SmallestNonzeroFloat64
		f.damping = &least // the flag's own value is reported
	}
	sources, err := e.sources()
	weighted := *f.weights && e.Graph.Catalogue().Weighted
	switch {
	case err != nil:
		return nil, err
	case weighted:
		return f.weighted(ctx, e, sources)
	case *f.weights:
		e.Log.Info("the graph has no weights: every edge counts 1")
	}
	p := builtins.Precision(*f.precision).PageRank(*f.damping, f.tolerated(e), sources)
	return e.beside(0, func(o garaph.RunOptions) (*garaph.Result, error) { return builtins.Run(ctx, e.Graph, p, o) })
}

// weighted runs it with weights. Their sums are in memory beside the job, and are no part of its record:
// they follow from the graph.
func (f pageRankFlags) weighted(ctx context.Context, e Env, sources []uint32) (*garaph.Result, error) {
	sums, err := e.Graph.Strengths(ctx, garaph.AlgorithmOptions{Threads: e.Options.Threads, Memory: less(e.Options.Memory, e.held.bytes), Progress: e.Progress, Log: e.Log})
	if err != nil {
		e.count(e.held.bytes, err)
		return nil, fmt.Errorf("--weighted: %w", err)
	}
	defer sums.Close()
	return e.beside(sums.Bytes(), func(o garaph.RunOptions) (*garaph.Result, error) {
		return builtins.Run(ctx, e.Graph, builtins.Precision(*f.precision).BiasedPageRank(*f.damping, f.tolerated(e), sources, sums.Of), o)
	})
}
