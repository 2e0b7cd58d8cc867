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

// Batches yields batches of one block of ids each. A panic of the program's
// Result method ends as an error.
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
// and no values. The ids of a batch are of one block, so that a batch is small
// however long names are.
func (t *table[V, A]) batches(from, to uint32, yield func(b *results.Batch, vs []gas.Vertex, values []V) error) error {
	ids := t.graph.store.IDs()
	var b results.Batch
	return t.job.ValuesOf(from, to, func(vs []gas.Vertex, values []V) error {
		for len(vs) > 0 {
			block, err := ids.Block(vs[0].ID)
			if err != nil {
				return err
			}
			at := int(vs[0].ID - block.First)
			n := min(len(vs), block.Len()-at)
			b = results.Batch{F32: b.F32[:0], F64: b.F64[:0], I64: b.I64[:0], IDs: emptied(b.IDs), V: emptied(b.V)}
			for i := range n {
				appendID(&b.IDs, block, at+i)
			}
			if err := yield(&b, vs[:n], values[:n]); err != nil {
				return err
			}
			vs, values = vs[n:], values[n:]
		}
		return nil
	})
}

// firstWindow is a window whose ids are read in no time.
const firstWindow = 1 << 16

// byWindows divides n rows into windows and calls use for each, with a set that
// has the ids of the vertices that add puts into it. Windows become larger as
// long as these ids fit into limit bytes.
func (t *table[V, A]) byWindows(n uint32, limit int64, add, use func(set *store.IDSet, from, to uint32) error) error {
	set, err := t.graph.store.IDSet(limit)
	if err != nil {
		return err
	}
	defer set.Free()
	rows, full := uint32(firstWindow), false
	for from := uint32(0); from < n; {
		to := from + min(rows, n-from)
		set.Clear()
		if err := add(set, from, to); err != nil {
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
		if err := use(set, from, to); err != nil {
			return err
		}
		if from = to; !full && rows <= math.MaxUint32/2 {
			rows *= 2
		}
	}
	return nil
}

// vertexBatches is Batches for values that are vertices.
func (t *table[V, A]) vertexBatches(yield func(*results.Batch) error) error {
	add := func(set *store.IDSet, from, to uint32) error {
		return t.vertices(from, to, func(vs []uint32) error { return addTo(set, vs) })
	}
	return t.byWindows(t.graph.Catalogue().Vertices, t.memory, add, func(set *store.IDSet, from, to uint32) error {
		return t.vertexWindow(from, to, set, yield)
	})
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

// Room is half of what the job's budget leaves; the ids of IDsOf have the other.
func (t *table[V, A]) Room() int64 { return t.memory / 2 }

// idsAtOnce is how many ids IDsOf yields at most.
const idsAtOnce = 1 << 10

// IDsOf yields the ids of n vertices in their order, read for many at once.
func (t *table[V, A]) IDsOf(n int, vertex func(i int) uint32, yield func(from int, ids *results.IDs) error) error {
	add := func(set *store.IDSet, from, to uint32) error {
		for i := from; i < to; i++ {
			if err := set.Add(vertex(int(i))); err != nil {
				return err
			}
		}
		return nil
	}
	var values []uint32
	var ids results.IDs
	return t.byWindows(uint32(n), t.memory-t.Room(), add, func(set *store.IDSet, from, to uint32) (err error) {
		for ; from < to; from += uint32(len(values)) {
			values = values[:0]
			for i := from; i < min(to, from+idsAtOnce); i++ {
				values = append(values, vertex(int(i)))
			}
			if ids, err = t.idsOf(emptied(ids), set, values); err != nil {
				return err
			}
			if err := yield(int(from), &ids); err != nil {
				return err
			}
		}
		return nil
	})
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
