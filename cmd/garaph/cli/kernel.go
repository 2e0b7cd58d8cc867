package cli

import (
	"context"
	"slices"
	"time"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/internal/builtins"
)

// kernels runs the programs of a benchmark on the CPU.
type kernels struct {
	app     *app
	graph   *garaph.Graph
	threads *int
	memory  *int64
}

// took is how long a program has run, in seconds.
type took struct {
	Load     float64 `json:"load_seconds"`
	Seconds  float64 `json:"seconds"` // of processing
	Makespan float64 `json:"makespan_seconds"`
}

// run runs the built-in program of a name. If iterations is 0, it runs until it has converged.
func (k kernels) run(ctx context.Context, name string, program any, iterations int) (*garaph.Result, took, error) {
	p := builtins.All[slices.IndexFunc(builtins.All, func(p builtins.Program) bool { return p.Name == name })]
	begin := time.Now()
	out, err := p.Run(builtins.Job{Context: ctx, Graph: k.graph, Options: garaph.RunOptions{
		Threads: *k.threads, Memory: *k.memory, Iterations: iterations, Device: dispatcher.CPU, Log: k.app.console.Log,
	}}, program)
	if err != nil {
		return nil, took{}, err
	}
	t := took{out.Report.Preparation.Load.Seconds(), out.Report.Duration.Seconds(), time.Since(begin).Seconds()}
	if a := out.Algorithm; a != nil {
		t.Load, t.Seconds = a.Load.Seconds(), a.Duration.Seconds()
	}
	return out, t, nil
}

// intsOf returns the first column of a result, of integers or ids, by vertex. It is valid until the result is closed.
func intsOf(out *garaph.Result) ([]int64, error) {
	values, err := garaph.ValuesOf[int64, int64](out, "")
	if err != nil {
		return nil, err
	}
	return values.Slice()
}

// floatsOf is like intsOf, for floats.
func floatsOf(out *garaph.Result) ([]float64, error) {
	values, err := garaph.ValuesOf[int64, float64](out, "")
	if err != nil {
		return nil, err
	}
	return values.Slice()
}
