// Package tables presents the values of a job or an algorithm as rows under the user's ids.
package tables

import (
	"slices"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/store"
)

// A Table is the result of a job or an algorithm as rows: a [results.Table].
type Table[V any] struct {
	Store  *store.Store
	Source any // the program or algorithm, which a panic of its methods names
	// Range yields the values of the vertices in [from, to), some at a time.
	Range   func(from, to uint32, yield func(vs []gas.Vertex, values []V) error) error
	Memory  int64 // bytes for the ids of values
	Results []Column[V]
	Values  []V            // by dense id, in the memory of the job
	Parents []gas.VertexID // by dense id, if the result has shortest paths
}

// Array returns the values of a column as they are in memory, or nil if the results are others.
func (t *Table[V]) Array(i int) any {
	if c := t.Results[i]; c.array != nil || !c.own {
		return c.array
	}
	return t.Values
}

// Rows returns the number of vertices.
func (t *Table[V]) Rows() int64 { return int64(t.Store.Catalogue().Vertices) }

// Columns describes the columns of results.
func (t *Table[V]) Columns() []results.Column {
	var list []results.Column
	for _, c := range t.Results {
		list = append(list, c.Column)
	}
	return list
}

// Vertex returns the vertex of a row, which has its number.
func (t *Table[V]) Vertex(row uint32) uint32 { return row }

// IDName returns "id".
func (t *Table[V]) IDName() string { return results.IDColumn }

// IDKind returns the kind of the user's ids.
func (t *Table[V]) IDKind() results.IDKind { return IDKind(t.Store) }

// IDKind returns the kind of the user's ids of a graph.
func IDKind(s *store.Store) results.IDKind {
	switch s.Catalogue().IDs.Kind {
	case store.IDString:
		return results.IDString
	case store.IDUint:
		return results.IDUint
	default:
		return results.IDInt
	}
}

// Batches yields batches of one block of ids each. A panic of a method of the program becomes an error.
func (t *Table[V]) Batches(yield func(*results.Batch) error) error {
	if t.hasVertices() {
		return t.vertexBatches(yield)
	}
	return t.batches(0, t.Store.Catalogue().Vertices, nil, yield)
}

// batches calls yield with batches of the vertices in [from, to); set has the ids of the
// vertices among their values. The ids of a batch are of one block, so that a batch is small
// however long names are.
func (t *Table[V]) batches(from, to uint32, set *store.IDSet, yield func(*results.Batch) error) error {
	r := rowReader[V]{table: t, ids: t.Store.IDs(), set: set}
	b := results.Batch{Columns: make([]results.Values, len(t.Results))}
	return t.Range(from, to, func(vs []gas.Vertex, values []V) error {
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

// Filler returns a function that fills batches with any rows if ids are integers or, with vertices among the values,
// computed.
func (t *Table[V]) Filler() results.Fill {
	kind := t.Store.Catalogue().IDs.Kind
	if kind == store.IDString || kind != store.IDBase && t.hasVertices() {
		return nil
	}
	r := rowReader[V]{table: t, ids: t.Store.IDs()}
	return func(b *results.Batch, from, to int64) (err error) {
		if r.set == nil && t.hasVertices() {
			if r.set, err = t.Store.IDSet(0); err != nil { // it keeps nothing
				return err
			}
		}
		return t.Range(uint32(from), uint32(to), func(vs []gas.Vertex, values []V) error {
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
func (t *Table[V]) Numbers(i int, from, to int64, yield func(*results.Values) error) error {
	r := rowReader[V]{table: t}
	var values results.Values
	return t.Range(uint32(from), uint32(to), func(vs []gas.Vertex, xs []V) error {
		values.Empty()
		if err := r.numbers(&t.Results[i], &values, vs, xs); err != nil {
			return err
		}
		values.AddNulls(r.null, 0, len(vs))
		return yield(&values)
	})
}

func (t *Table[V]) hasVertices() bool {
	return slices.ContainsFunc(t.Results, func(c Column[V]) bool { return c.vertex != nil })
}

// rowReader makes rows, for one goroutine.
type rowReader[V any] struct {
	table    *Table[V]
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
	AppendIDs(&b.IDs, block, at, n)
	vs, values = vs[:n], values[:n]
	for i := range t.Results {
		c, dst := &t.Results[i], &b.Columns[i]
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
func (r *rowReader[V]) numbers(c *Column[V], dst *results.Values, vs []gas.Vertex, values []V) error {
	r.null = r.null[:0]
	return panics.Guard(r.table.Source, func() error {
		if c.numbers != nil {
			c.numbers(dst, vs, values)
		}
		if !c.Nullable {
			return nil
		}
		some := false
		for i, v := range vs {
			null := c.Null(v, values[i])
			r.null = append(r.null, null)
			some = some || null
		}
		if !some {
			r.null = r.null[:0]
		}
		return nil
	})
}

// AppendIDs appends n ids of a block.
func AppendIDs(c *results.IDs, b *store.IDBlock, at, n int) {
	switch {
	case b.Strings != nil:
		c.Strings = append(c.Strings, b.Strings[at:at+n]...)
	case b.Uints != nil:
		c.Uints = append(c.Uints, b.Uints[at:at+n]...)
	default:
		c.Ints = append(c.Ints, b.Ints[at:at+n]...)
	}
}

// Named is a table whose first value column has another name.
type Named struct {
	results.Table
	Name string
}

// Columns returns the columns.
func (n Named) Columns() []results.Column {
	list := n.Table.Columns()
	list[0].Name = n.Name
	return list
}
