package garaph

import (
	"fmt"
	"reflect"

	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/store"
)

// column computes the result of a vertex and puts it into a batch.
type column[V any] struct {
	kind   results.ValueKind
	append func(b *results.Batch, v gas.Vertex, value V) error
}

// table is the result of a job as rows.
type table[V, A any] struct {
	graph   *Graph
	program gas.Program[V, A]
	job     *dispatcher.Job[V, A]
	column  column[V]
}

func newTable[V, A any](g *Graph, p gas.Program[V, A], job *dispatcher.Job[V, A]) (results.Table, error) {
	t := &table[V, A]{graph: g, program: p, job: job}
	var err error
	t.column, err = t.columnOf(p)
	return t, err
}

// columnOf finds the program's Result method, or takes a value that is itself a
// number.
func (t *table[V, A]) columnOf(p gas.Program[V, A]) (column[V], error) {
	switch p := p.(type) {
	case gas.Float32Result[V]:
		return floats32(p.Result), nil
	case gas.Float64Result[V]:
		return floats64(p.Result), nil
	case gas.Int64Result[V]:
		return ints(p.Result), nil
	case gas.VertexResult[V]:
		return t.vertices(p.Result), nil
	}
	switch k := reflect.TypeFor[V]().Kind(); k {
	case reflect.Float32:
		return floats32(func(_ gas.Vertex, x V) float32 { return float32(reflect.ValueOf(x).Float()) }), nil
	case reflect.Float64:
		return floats64(func(_ gas.Vertex, x V) float64 { return reflect.ValueOf(x).Float() }), nil
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return ints(func(_ gas.Vertex, x V) int64 { return reflect.ValueOf(x).Int() }), nil
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return ints(func(_ gas.Vertex, x V) int64 { return int64(reflect.ValueOf(x).Uint()) }), nil
	default:
		return column[V]{}, fmt.Errorf("program %T: a value of type %s is not written as it is: numbers up to 32 bits, int64 and floats are; give the program a Result method that returns float32, float64, int64 or gas.VertexID", p, reflect.TypeFor[V]())
	}
}

func floats32[V any](f func(gas.Vertex, V) float32) column[V] {
	return column[V]{results.Float32, func(b *results.Batch, v gas.Vertex, x V) error {
		b.F32 = append(b.F32, f(v, x))
		return nil
	}}
}

func floats64[V any](f func(gas.Vertex, V) float64) column[V] {
	return column[V]{results.Float64, func(b *results.Batch, v gas.Vertex, x V) error {
		b.F64 = append(b.F64, f(v, x))
		return nil
	}}
}

func ints[V any](f func(gas.Vertex, V) int64) column[V] {
	return column[V]{results.Int64, func(b *results.Batch, v gas.Vertex, x V) error {
		b.I64 = append(b.I64, f(v, x))
		return nil
	}}
}

func (t *table[V, A]) vertices(f func(gas.Vertex, V) gas.VertexID) column[V] {
	ids := t.graph.store.IDs()
	return column[V]{results.VertexID, func(b *results.Batch, v gas.Vertex, x V) error {
		id := uint32(f(v, x))
		block, err := ids.Block(id)
		if err != nil {
			return fmt.Errorf("the result of a vertex is no vertex: %w", err)
		}
		appendID(&b.V, block, int(id-block.First))
		return nil
	}}
}

func appendID(c *results.IDs, b *store.IDBlock, i int) {
	switch {
	case b.Strings != nil:
		c.Strings = append(c.Strings, b.Strings[i])
	case b.Uints != nil:
		c.Uints = append(c.Uints, b.Uints[i])
	default:
		c.Ints = append(c.Ints, b.Ints[i])
	}
}

func (t *table[V, A]) Rows() int64                  { return int64(t.graph.Catalogue().Vertices) }
func (t *table[V, A]) ValueKind() results.ValueKind { return t.column.kind }
func (t *table[V, A]) Name() string                 { return "value" }
func (t *table[V, A]) MaxIDBytes() int              { return t.graph.Catalogue().IDs.MaxBytes }

func (t *table[V, A]) IDKind() results.IDKind {
	switch t.graph.Catalogue().IDs.Kind {
	case store.IDString:
		return results.IDString
	case store.IDUint:
		return results.IDUint
	default:
		return results.IDInt
	}
}

// Batches yields a batch for each shard. A panic of the program's Result method
// ends as an error.
func (t *table[V, A]) Batches(yield func(*results.Batch) error) error {
	ids := t.graph.store.IDs()
	var b results.Batch
	return t.job.Values(func(vs []gas.Vertex, values []V) error {
		b = results.Batch{F32: b.F32[:0], F64: b.F64[:0], I64: b.I64[:0], IDs: emptied(b.IDs), V: emptied(b.V)}
		for _, v := range vs {
			block, err := ids.Block(v.ID)
			if err != nil {
				return err
			}
			appendID(&b.IDs, block, int(v.ID-block.First))
		}
		err := panics.Guard(t.program, func() error {
			for i, v := range vs {
				if err := t.column.append(&b, v, values[i]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		return yield(&b)
	})
}

func emptied(c results.IDs) results.IDs {
	return results.IDs{Ints: c.Ints[:0], Uints: c.Uints[:0], Strings: c.Strings[:0]}
}

// named is a table whose value column has a name.
type named struct {
	results.Table
	name string
}

func (n named) Name() string { return n.name }
