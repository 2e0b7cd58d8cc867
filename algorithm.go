package garaph

import (
	"context"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/tables"
)

// RunAlgorithm runs an algorithm over a graph. The result holds the values until it is
// closed. After a cancellation the error is the context's. The run is not
// recorded, and cannot be resumed.
func RunAlgorithm[T algorithms.Value](
	ctx context.Context, g *Graph, a algorithms.Algorithm[T], o AlgorithmOptions,
) (r *Result, err error) {
	name, err := tables.Name(a)
	if err != nil {
		return nil, err
	}
	if err := g.begin(); err != nil {
		return nil, err
	}
	defer g.end(ctx, &err)
	out, err := algorithms.Run(ctx, g.store, a, o)
	if err != nil {
		return nil, err
	}
	if out.KeyName != "" {
		columns := append([]algorithms.Column{{Name: name, Values: out.Values}}, out.Columns...)
		t := tables.NewKeyed(g.store, out.KeyName, out.Keys, columns...)
		return &Result{graph: g, Algorithm: &out.Report, table: t, columned: true, close: out.Close}, nil
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
	return &Result{graph: g, Algorithm: &out.Report, table: t, close: out.Close}, nil
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
