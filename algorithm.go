package garaph

import (
	"context"
	"fmt"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/gas"
)

// RunAlgorithm runs an algorithm over a graph. The result holds the values until it is
// closed. After a cancellation the error is the context's. The run is not
// recorded, and cannot be resumed.
func RunAlgorithm[T algorithms.Value](ctx context.Context, g *Graph, a algorithms.Algorithm[T], o AlgorithmOptions) (r *Result, err error) {
	c := algorithmColumn[T]()
	c.own = true
	if c.Name, err = ownName(a); err != nil {
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
	t := &table[T]{graph: g, source: a, memory: out.Free, columns: []column[T]{c}, values: out.Values}
	t.valuesOf = func(from, to uint32, yield func([]gas.Vertex, []T) error) error {
		return someValues(out.Values, from, to, yield)
	}
	return &Result{graph: g, Algorithm: &out.Report, table: t, close: out.Close}, nil
}

// algorithmColumn takes values as they are.
func algorithmColumn[T algorithms.Value]() column[T] {
	var c any
	switch any(*new(T)).(type) {
	case int64:
		c = ints(func(_ gas.Vertex, x int64) int64 { return x })
	case float32:
		c = floats32(func(_ gas.Vertex, x float32) float32 { return x })
	case float64:
		c = floats64(func(_ gas.Vertex, x float64) float64 { return x })
	case gas.VertexID:
		c = vertexColumn(func(_ gas.Vertex, x gas.VertexID) gas.VertexID { return x })
	default:
		panic(fmt.Sprintf("algorithms.Value has a type more, %T", *new(T)))
	}
	return c.(column[T])
}

// valuesAtOnce is how many values someValues yields at most.
const valuesAtOnce = 1 << 12

// someValues yields the values of the vertices in [from, to), of which only the id
// is given.
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
