package cli

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/builtins"
	"github.com/garaph/garaph/internal/registry"
)

// builtinPrograms returns the programs and algorithms of package builtins.
func builtinPrograms() []Program {
	var all []Program
	for _, b := range builtins.All {
		p := programOf(b.Command, b.Run)
		p.Algorithm, p.GPU = b.IsAlgorithm(), algorithms.HasGPU(b.Value)
		if b.Instead != nil {
			instead := programOf(*b.Instead, builtins.RunAlgorithm)
			p.Instead = &instead
		}
		all = append(all, p)
	}
	return all
}

func programOf(c registry.Command, run func(builtins.Job, any) (*garaph.Result, error)) Program {
	return Program{
		Name: c.Name, Short: c.Short, Long: c.Long, Example: c.Example, Ranking: c.Ranking,
		Value: c.Value, Iterations: c.Iterations, Timed: c.Timed, Overflow: c.Overflow,
		Setup: func(fs *pflag.FlagSet) Runner {
			make := c.Setup(fs)
			return func(ctx context.Context, e Env) (*garaph.Result, error) { return e.run(ctx, make, run) }
		},
	}
}

// run creates a built-in program and runs it.
func (e Env) run(
	ctx context.Context, make registry.Make,
	run func(builtins.Job, any) (*garaph.Result, error),
) (*garaph.Result, error) {
	var sums *garaph.Strengths
	defer func() {
		if sums != nil {
			sums.Close()
		}
	}()
	program, err := make(registry.Env{
		Graph: builtins.GraphOf(e.Graph), Flags: e.Flags, Iterations: e.Options.Iterations,
		Info: func(text string) { e.Log.Info(text) }, Warn: func(text string) { e.Log.Warn(text) },
		Vertex: e.Vertex, Sources: e.sources, Pairs: e.pairs, MaxInDegree: e.Graph.MaxInDegree,
		Strengths: func() (func(uint32) float64, error) {
			var err error
			sums, err = e.Graph.Strengths(ctx, garaph.AlgorithmOptions{
				Threads: e.Options.Threads, Memory: less(e.Options.Memory, e.held.bytes), Progress: e.Progress, Log: e.Log,
			})
			if err != nil {
				e.count(e.held.bytes, err)
				return nil, err
			}
			return sums.Of, nil
		},
	})
	if err != nil {
		return nil, err
	}
	beside := int64(0)
	if sums != nil {
		beside = sums.Bytes()
	}
	parents, _ := e.Flags.GetBool("parents") // an error says that there is no such flag
	return e.beside(beside, func(o garaph.RunOptions) (*garaph.Result, error) {
		return run(builtins.Job{Context: ctx, Graph: e.Graph, Options: o, Progress: e.Progress, Parents: parents,
			Scratch: e.scratch}, program)
	})
}
