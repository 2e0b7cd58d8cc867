package garaph

import (
	"context"
	"errors"
	"fmt"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/checkpoint"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/tables"
)

// RunAlgorithm runs an algorithm over a graph. The result holds the values until it is
// closed. After a cancellation the error is the context's.
//
// If the algorithm is [algorithms.Resumable], the run is recorded with [AlgorithmOptions.Checkpoints] or an
// [AlgorithmOptions.Job], and [ResumeAlgorithm] continues it after a crash.
func RunAlgorithm[T algorithms.Value](
	ctx context.Context, g *Graph, a algorithms.Algorithm[T], o AlgorithmOptions,
) (r *Result, err error) {
	name, err := tables.Name(a)
	if err == nil {
		err = g.begin()
	}
	if err != nil {
		return nil, errors.Join(err, giveBack(o.Job))
	}
	defer g.end(ctx, &err)
	if o, err = g.recordAlgorithm(a, o); err != nil {
		return nil, errors.Join(err, giveBack(o.Job))
	}
	out, err := algorithms.Run(ctx, g.store, a, o)
	if err != nil {
		return nil, errors.Join(err, endJob(ctx, o.Job, err))
	}
	r = resultOf(g, name, a, out)
	r.job = o.Job
	return r, nil
}

// recordAlgorithm begins the job of an algorithm, if it is recorded, and returns the options with it.
func (g *Graph) recordAlgorithm(a any, o AlgorithmOptions) (AlgorithmOptions, error) {
	switch {
	case !algorithms.IsResumable(a) && (o.Job != nil || o.Checkpoints.Wanted()):
		return o, fmt.Errorf("algorithm %T has no checkpoints", a)
	case o.Job == nil && o.Checkpoints.Wanted():
		o.Job = g.NewJob(checkpoint.Spec{Name: fmt.Sprintf("%T", a)})
	case o.Job != nil && o.Checkpoints == (Checkpoints{}):
		o.Checkpoints = o.Job.Record().Policy
	}
	return o, g.record(o.Job, a, nil, o.Checkpoints, o.Log)
}

// ResumeAlgorithm is like [Resume], for an algorithm that is [algorithms.Resumable].
func ResumeAlgorithm[T algorithms.Value](
	ctx context.Context, g *Graph, a algorithms.Algorithm[T], id int, o AlgorithmOptions,
) (r *Result, err error) {
	if o.Job, err = g.openJob(id, o.Log); err != nil {
		return nil, err
	}
	return RunAlgorithm(ctx, g, a, o)
}

// resultOf returns the result of an algorithm, whose first column has a name.
func resultOf[T algorithms.Value](
	g *Graph, name string, a algorithms.Algorithm[T], out *algorithms.Outcome[T],
) *Result {
	if out.KeyName != "" {
		columns := append([]algorithms.Column{{Name: name, Values: out.Values}}, out.Columns...)
		t := tables.NewKeyed(g.store, out.KeyName, out.Keys, columns...)
		return &Result{graph: g, Algorithm: &out.Report, table: t, columned: true, close: out.Close}
	}
	t := &tables.Table[T]{
		Store: g.store, Source: a, Memory: out.Free, Results: []tables.Column[T]{tables.AlgorithmColumn[T](name)},
		Values: out.Values,
	}
	t.Range = func(from, to uint32, yield func([]gas.Vertex, []T) error) error {
		return someValues(out.Values, from, to, yield)
	}
	for _, c := range out.Columns {
		t.Results = append(t.Results, tables.FurtherColumn[T](c))
	}
	return &Result{graph: g, Algorithm: &out.Report, table: t, close: out.Close}
}

// valuesAtOnce is the most values that someValues yields together.
const valuesAtOnce = 1 << 12

// someValues yields the values of the vertices in [from, to). The vertices have only their ids.
func someValues[T any](values []T, from, to uint32, yield func([]gas.Vertex, []T) error) error {
	var vs []gas.Vertex
	for from < to {
		end := from + min(valuesAtOnce, to-from)
		vs = vs[:0]
		for v := from; v < end; v++ {
			vs = append(vs, gas.Vertex{ID: v})
		}
		if err := yield(vs, values[from:end]); err != nil {
			return err
		}
		from = end
	}
	return nil
}
