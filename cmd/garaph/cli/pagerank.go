package cli

import (
	"context"
	"errors"
	"math"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/programs"
)

type pageRankFlags struct {
	damping, tolerance *float64
	weights            *bool
}

// pageRank is the program whose surfer has one source at most and no preferences: a value of it is half
// or a third as large as one of [biasedPageRank].
func pageRank[F float32 | float64](e Env, f pageRankFlags, sources []uint32) gas.Program[F, int64] {
	p := programs.PageRank[F]{Damping: *f.damping, Tolerance: f.tolerated(e), Personalised: len(sources) > 0}
	if p.Personalised {
		p.Source = sources[0]
	}
	return p
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

// runPageRank runs PageRank in a precision.
func runPageRank[F float32 | float64](f pageRankFlags) Runner {
	return func(ctx context.Context, e Env) (*garaph.Result, error) {
		f := f
		if *f.damping == 0 { // which was asked for; in a program's field it was forgotten
			least := math.SmallestNonzeroFloat64
			f.damping = &least // the flag's own value is reported
		}
		sources, err := e.sources()
		weighted := *f.weights && e.Graph.Catalogue().Weighted
		switch {
		case err != nil:
			return nil, err
		case *f.weights && !weighted:
			e.Log.Info("the graph has no weights: every edge counts 1")
			fallthrough
		case !weighted && len(sources) < 2:
			return garaph.Run(ctx, e.Graph, pageRank[F](e, f, sources), e.Options)
		}
		return biasedPageRank[F](ctx, e, f, sources, weighted)
	}
}

// biasedPageRank runs it with weights, or with several sources. The sums of the weights are in memory beside
// the job, and are no part of its record: they follow from the graph.
func biasedPageRank[F float32 | float64](ctx context.Context, e Env, f pageRankFlags, sources []uint32, weighted bool) (*garaph.Result, error) {
	p := programs.BiasedPageRank[F]{Damping: *f.damping, Tolerance: f.tolerated(e), Sources: sources, Weighted: weighted}
	if !weighted {
		return garaph.Run(ctx, e.Graph, p, e.Options)
	}
	o := e.Options
	sums, err := e.Graph.Strengths(ctx, garaph.AlgorithmOptions{Threads: o.Threads, Memory: o.Memory, Progress: e.Progress, Log: e.Log})
	if err != nil {
		return nil, err
	}
	defer sums.Close()
	p.Strength = sums.Of
	if o.Memory > 0 {
		o.Memory = max(1, o.Memory-sums.Bytes())
	}
	r, err := garaph.Run(ctx, e.Graph, p, o)
	var need *garaph.MemoryError
	if errors.As(err, &need) { // to say how much would do
		need.Budget, need.Vertices = e.Options.Memory, need.Vertices+sums.Bytes()
	}
	return r, err
}
