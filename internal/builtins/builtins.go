// Package builtins runs the programs of package programs. The engines are compiled here for
// the types of each of them, which takes longer than all else of the command: whoever calls
// this package, and not [garaph.Run] for a program of its own, is compiled in a moment.
package builtins

import (
	"context"
	"fmt"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/programs"
)

// Run is [garaph.Run] of a program, which has one of the types of package programs.
func Run(ctx context.Context, g *garaph.Graph, program any, o garaph.RunOptions) (*garaph.Result, error) {
	return runner{ctx, g, o, nil, false}.any(program)
}

// RunWithParents is [garaph.RunWithParents] of a program of shortest paths.
func RunWithParents(ctx context.Context, g *garaph.Graph, program any, o garaph.RunOptions, progress func(algorithms.Progress)) (*garaph.Result, error) {
	return runner{ctx, g, o, progress, true}.any(program)
}

// Path is [garaph.Path] of hops.
func Path(ctx context.Context, g *garaph.Graph, p programs.BFS, to uint32, o garaph.RunOptions, progress func(algorithms.Progress)) ([]uint32, []uint32, error) {
	return garaph.Path(ctx, g, p, to, o, progress)
}

// WeightedPath is [garaph.Path] of distances.
func WeightedPath(ctx context.Context, g *garaph.Graph, p programs.SSSP[float64], to uint32, o garaph.RunOptions, progress func(algorithms.Progress)) ([]uint32, []float64, error) {
	return garaph.Path(ctx, g, p, to, o, progress)
}

// runner is a run of a program that is still to come.
type runner struct {
	ctx      context.Context //nolint:containedctx // for one call
	graph    *garaph.Graph
	options  garaph.RunOptions
	progress func(algorithms.Progress)
	parents  bool
}

func (r runner) any(program any) (*garaph.Result, error) {
	switch p := program.(type) {
	case either:
		return r.either(p)
	case programs.BFS:
		return paths(r, p)
	case programs.SSSP[float32]:
		return paths(r, p)
	case programs.SSSP[float64]:
		return paths(r, p)
	}
	if r.parents {
		return nil, fmt.Errorf("%T has no paths", program)
	}
	switch p := program.(type) {
	case programs.PageRank[float32]:
		return run(r, p)
	case programs.PageRank[float64]:
		return run(r, p)
	case programs.PersonalisedPageRank[float32]:
		return run(r, p)
	case programs.PersonalisedPageRank[float64]:
		return run(r, p)
	case programs.BiasedPageRank[float32]:
		return run(r, p)
	case programs.BiasedPageRank[float64]:
		return run(r, p)
	case programs.WCC:
		return run(r, p)
	case programs.SSWP[float32]:
		return run(r, p)
	case programs.SSWP[float64]:
		return run(r, p)
	case programs.KCore:
		return run(r, p)
	case programs.LPA:
		return run(r, p)
	case programs.Katz[float32]:
		return run(r, p)
	case programs.Katz[float64]:
		return run(r, p)
	case programs.Heat:
		return run(r, p)
	case programs.Circuit:
		return run(r, p)
	case programs.Neural:
		return run(r, p)
	}
	return nil, fmt.Errorf("%T is no built-in program", program)
}

func run[V, A any](r runner, p gas.Program[V, A]) (*garaph.Result, error) {
	return garaph.Run(r.ctx, r.graph, p, r.options)
}

func paths[V, A any](r runner, p gas.Program[V, A]) (*garaph.Result, error) {
	if r.parents {
		return garaph.RunWithParents(r.ctx, r.graph, p, r.options, r.progress)
	}
	return run(r, p)
}
