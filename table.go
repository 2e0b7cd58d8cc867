package garaph

import (
	"fmt"
	"math"
	"reflect"

	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/store"
)

// column computes the result of a vertex: a number, which append puts into a
// batch, or a vertex.
type column[V any] struct {
	kind   results.ValueKind
	append func(b *results.Batch, v gas.Vertex, value V)
	vertex func(v gas.Vertex, value V) gas.VertexID // nil unless kind is VertexID
}

// table is the result of a job as rows.
type table[V, A any] struct {
	graph   *Graph
	program gas.Program[V, A]
	job     *dispatcher.Job[V, A] // nil: only asked whether it can be a table
	memory  int64                 // bytes for the ids of values
	column  column[V]
}

func newTable[V, A any](g *Graph, p gas.Program[V, A], job *dispatcher.Job[V, A], memory int64) (results.Table, error) {
	c, err := columnOf(p)
	return &table[V, A]{graph: g, program: p, job: job, memory: memory, column: c}, err
}

// columnOf finds the program's Result method, or takes a value that is itself a
// number.
func columnOf[V, A any](p gas.Program[V, A]) (column[V], error) {
	switch p := p.(type) {
	case gas.Float32Result[V]:
		return floats32(p.Result), nil
	case gas.Float64Result[V]:
		return floats64(p.Result), nil
	case gas.Int64Result[V]:
		return ints(p.Result), nil
	case gas.VertexResult[V]:
		return column[V]{kind: results.VertexID, vertex: p.Result}, nil
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
	return column[V]{kind: results.Float32, append: func(b *results.Batch, v gas.Vertex, x V) { b.F32 = append(b.F32, f(v, x)) }}
}

func floats64[V any](f func(gas.Vertex, V) float64) column[V] {
	return column[V]{kind: results.Float64, append: func(b *results.Batch, v gas.Vertex, x V) { b.F64 = append(b.F64, f(v, x)) }}
}

func ints[V any](f func(gas.Vertex, V) int64) column[V] {
	return column[V]{kind: results.Int64, append: func(b *results.Batch, v gas.Vertex, x V) { b.I64 = append(b.I64, f(v, x)) }}
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

// Batches yields a batch for each shard, or a part of one. A panic of the
// program's Result method ends as an error.
func (t *table[V, A]) Batches(yield func(*results.Batch) error) error {
	if t.column.kind == results.VertexID {
		return t.vertexBatches(yield)
	}
	return t.batches(0, t.graph.Catalogue().Vertices, func(b *results.Batch, vs []gas.Vertex, values []V) error {
		err := panics.Guard(t.program, func() error {
			for i, v := range vs {
				t.column.append(b, v, values[i])
			}
			return nil
		})
		if err != nil {
			return err
		}
		return yield(b)
	})
}

// batches calls yield with batches of the vertices in [from, to) that have ids
// and no values.
func (t *table[V, A]) batches(from, to uint32, yield func(b *results.Batch, vs []gas.Vertex, values []V) error) error {
	ids := t.graph.store.IDs()
	var b results.Batch
	return t.job.ValuesOf(from, to, func(vs []gas.Vertex, values []V) error {
		b = results.Batch{F32: b.F32[:0], F64: b.F64[:0], I64: b.I64[:0], IDs: emptied(b.IDs), V: emptied(b.V)}
		for _, v := range vs {
			block, err := ids.Block(v.ID)
			if err != nil {
				return err
			}
			appendID(&b.IDs, block, int(v.ID-block.First))
		}
		return yield(&b, vs, values)
	})
}

// firstWindow is a window whose ids are read in no time.
const firstWindow = 1 << 16

// vertexBatches is Batches for values that are vertices. Their ids are read for
// a window of rows at once; windows become larger as long as these ids fit into
// memory.
func (t *table[V, A]) vertexBatches(yield func(*results.Batch) error) error {
	set, err := t.graph.store.IDSet(t.memory)
	if err != nil {
		return err
	}
	defer set.Free()
	n, rows, full := t.graph.Catalogue().Vertices, uint32(firstWindow), false
	for from := uint32(0); from < n; {
		to := from + min(rows, n-from)
		set.Clear()
		if err := t.vertices(from, to, func(vs []uint32) error { return addTo(set, vs) }); err != nil {
			return err
		}
		fits, err := set.Load()
		if err != nil {
			return err
		}
		if !fits && to-from > 1 {
			rows, full = (to-from)/2, true
			continue
		}
		if err := t.vertexWindow(from, to, set, yield); err != nil {
			return err
		}
		if from = to; !full && rows <= math.MaxUint32/2 {
			rows *= 2
		}
	}
	return nil
}

// vertexWindow yields the rows in [from, to), whose values set has the ids of.
func (t *table[V, A]) vertexWindow(from, to uint32, set *store.IDSet, yield func(*results.Batch) error) error {
	var values []uint32
	return t.batches(from, to, func(b *results.Batch, vs []gas.Vertex, xs []V) (err error) {
		if values, err = t.vertexValues(values[:0], vs, xs); err != nil {
			return err
		}
		if b.V, err = t.idsOf(b.V, set, values); err != nil {
			return err
		}
		return yield(b)
	})
}

// vertices yields the values of the rows in [from, to).
func (t *table[V, A]) vertices(from, to uint32, yield func([]uint32) error) error {
	var values []uint32
	return t.job.ValuesOf(from, to, func(vs []gas.Vertex, xs []V) (err error) {
		if values, err = t.vertexValues(values[:0], vs, xs); err != nil {
			return err
		}
		return yield(values)
	})
}

// vertexValues appends the results of vertices.
func (t *table[V, A]) vertexValues(dst []uint32, vs []gas.Vertex, values []V) ([]uint32, error) {
	err := panics.Guard(t.program, func() error {
		for i, v := range vs {
			dst = append(dst, uint32(t.column.vertex(v, values[i])))
		}
		return nil
	})
	return dst, err
}

// Vertices yields the results that are vertices, shard by shard.
func (t *table[V, A]) Vertices(yield func([]uint32) error) error {
	return t.vertices(0, t.graph.Catalogue().Vertices, yield)
}

// IDsOf gives the ids of vertices, for which there must be memory.
func (t *table[V, A]) IDsOf(vs []uint32) (results.IDs, error) {
	var ids results.IDs
	reader := t.graph.store.IDs()
	for _, v := range vs {
		b, err := reader.Block(v)
		if err != nil {
			return results.IDs{}, err
		}
		appendID(&ids, b, int(v-b.First))
	}
	return ids, nil
}

// addTo adds values to a set.
func addTo(set *store.IDSet, values []uint32) error {
	for _, v := range values {
		if err := set.Add(v); err != nil {
			return fmt.Errorf("the result of a vertex is no vertex: %w", err)
		}
	}
	return nil
}

// idsOf appends the ids of values, which set has.
func (t *table[V, A]) idsOf(c results.IDs, set *store.IDSet, values []uint32) (results.IDs, error) {
	var err error
	switch t.IDKind() {
	case results.IDString:
		c.Strings, err = appendIDs(c.Strings, values, set.Text)
	case results.IDUint:
		c.Uints, err = appendIDs(c.Uints, values, set.Uint)
	default:
		c.Ints, err = appendIDs(c.Ints, values, set.Int)
	}
	return c, err
}

func appendIDs[T any](dst []T, values []uint32, id func(uint32) (T, error)) ([]T, error) {
	for _, v := range values {
		x, err := id(v)
		if err != nil {
			return nil, err
		}
		dst = append(dst, x)
	}
	return dst, nil
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
