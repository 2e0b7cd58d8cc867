package garaph

import (
	"slices"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/store"
)

// table is the result of a job, or of an algorithm, as rows.
type table[V any] struct {
	graph  *Graph
	source any // the program or algorithm that is named when it panics
	// valuesOf yields the values of the vertices in [from, to), some at a time.
	valuesOf func(from, to uint32, yield func(vs []gas.Vertex, values []V) error) error
	memory   int64 // bytes for the ids of values
	columns  []column[V]
	values   []V // by dense id, in the memory of the job; nil: of columns of vertices

	parent []gas.VertexID // by dense id, of shortest paths; nil: nobody asked for them
}

// array is the values of a column as they lie in memory; nil: the results are others.
func (t *table[V]) array(i int) any {
	if !t.columns[i].own || t.values == nil {
		return nil
	}
	return t.values
}

func (t *table[V]) Rows() int64     { return int64(t.graph.Catalogue().Vertices) }
func (t *table[V]) MaxIDBytes() int { return t.graph.Catalogue().IDs.MaxBytes }

func (t *table[V]) Columns() []results.Column {
	var list []results.Column
	for _, c := range t.columns {
		list = append(list, c.Column)
	}
	return list
}

func (t *table[V]) IDKind() results.IDKind {
	switch t.graph.Catalogue().IDs.Kind {
	case store.IDString:
		return results.IDString
	case store.IDUint:
		return results.IDUint
	default:
		return results.IDInt
	}
}

// Batches yields batches of one block of ids each. A panic of a method of the program
// ends as an error.
func (t *table[V]) Batches(yield func(*results.Batch) error) error {
	if t.hasVertices() {
		return t.vertexBatches(yield)
	}
	return t.batches(0, t.graph.Catalogue().Vertices, nil, yield)
}

// batches calls yield with batches of the vertices in [from, to); set has the ids of the
// vertices among their values. The ids of a batch are of one block, so that a batch is small
// however long names are.
func (t *table[V]) batches(from, to uint32, set *store.IDSet, yield func(*results.Batch) error) error {
	r := rowReader[V]{table: t, ids: t.graph.store.IDs(), set: set}
	b := results.Batch{Columns: make([]results.Values, len(t.columns))}
	return t.valuesOf(from, to, func(vs []gas.Vertex, values []V) error {
		for len(vs) > 0 {
			b.IDs.Empty()
			for i := range b.Columns {
				b.Columns[i].Empty()
			}
			n, err := r.append(&b, vs, values)
			if err != nil {
				return err
			}
			if err := yield(&b); err != nil {
				return err
			}
			vs, values = vs[n:], values[n:]
		}
		return nil
	})
}

// Filler is there for ids that are integers; where there are vertices among the values, only
// for ids that are computed.
func (t *table[V]) Filler() results.Fill {
	kind := t.graph.Catalogue().IDs.Kind
	if kind == store.IDString || kind != store.IDBase && t.hasVertices() {
		return nil
	}
	r := rowReader[V]{table: t, ids: t.graph.store.IDs()}
	return func(b *results.Batch, from, to int64) (err error) {
		if r.set == nil && t.hasVertices() {
			if r.set, err = t.graph.store.IDSet(0); err != nil { // it keeps nothing
				return err
			}
		}
		return t.valuesOf(uint32(from), uint32(to), func(vs []gas.Vertex, values []V) error {
			for len(vs) > 0 {
				n, err := r.append(b, vs, values)
				if err != nil {
					return err
				}
				vs, values = vs[n:], values[n:]
			}
			return nil
		})
	}
}

// Numbers yields the numbers of a column in the rows [from, to).
func (t *table[V]) Numbers(i int, from, to int64, yield func(*results.Values) error) error {
	r := rowReader[V]{table: t}
	var values results.Values
	return t.valuesOf(uint32(from), uint32(to), func(vs []gas.Vertex, xs []V) error {
		values.Empty()
		if err := r.numbers(&t.columns[i], &values, vs, xs); err != nil {
			return err
		}
		values.AddNulls(r.null, 0, len(vs))
		return yield(&values)
	})
}

func (t *table[V]) hasVertices() bool {
	return slices.ContainsFunc(t.columns, func(c column[V]) bool { return c.vertex != nil })
}

// rowReader makes rows, for one goroutine.
type rowReader[V any] struct {
	table    *table[V]
	ids      *store.IDs
	set      *store.IDSet // the ids of vertices among the values
	vertices []uint32
	null     []bool
}

// append appends rows of vertices to a batch, as many as have their ids in one block.
func (r *rowReader[V]) append(b *results.Batch, vs []gas.Vertex, values []V) (n int, err error) {
	t := r.table
	block, err := r.ids.Block(vs[0].ID)
	if err != nil {
		return 0, err
	}
	at := int(vs[0].ID - block.First)
	n = min(len(vs), block.Len()-at)
	rows := len(b.IDs.Ints) + len(b.IDs.Uints) + len(b.IDs.Strings)
	appendIDs(&b.IDs, block, at, n)
	vs, values = vs[:n], values[:n]
	for i := range t.columns {
		c, dst := &t.columns[i], &b.Columns[i]
		if err := r.numbers(c, dst, vs, values); err != nil {
			return 0, err
		}
		if c.vertex != nil {
			if r.vertices, err = t.vertexValues(c, r.vertices[:0], vs, values); err != nil {
				return 0, err
			}
			if err := t.idsOf(&dst.V, r.null, r.set, r.vertices); err != nil {
				return 0, err
			}
		}
		dst.AddNulls(r.null, rows, n)
	}
	return n, nil
}

// numbers appends the numbers of a column, and notes which rows are null.
func (r *rowReader[V]) numbers(c *column[V], dst *results.Values, vs []gas.Vertex, values []V) error {
	r.null = r.null[:0]
	return panics.Guard(r.table.source, func() error {
		if c.numbers != nil {
			c.numbers(dst, vs, values)
		}
		if !c.Nullable {
			return nil
		}
		some := false
		for i, v := range vs {
			null := c.null(v, values[i])
			r.null = append(r.null, null)
			some = some || null
		}
		if !some {
			r.null = r.null[:0]
		}
		return nil
	})
}

// appendIDs appends n ids of a block.
func appendIDs(c *results.IDs, b *store.IDBlock, at, n int) {
	switch {
	case b.Strings != nil:
		c.Strings = append(c.Strings, b.Strings[at:at+n]...)
	case b.Uints != nil:
		c.Uints = append(c.Uints, b.Uints[at:at+n]...)
	default:
		c.Ints = append(c.Ints, b.Ints[at:at+n]...)
	}
}

// named is a table whose first value column has another name.
type named struct {
	results.Table
	name string
}

func (n named) Columns() []results.Column {
	list := n.Table.Columns()
	list[0].Name = n.name
	return list
}
