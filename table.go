package garaph

import (
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
	for i := range t.columns {
		if t.columns[i].vertex != nil {
			return t.vertexBatches(yield)
		}
	}
	return t.batches(0, t.graph.Catalogue().Vertices, nil, yield)
}

// batches calls yield with batches of the vertices in [from, to); set has the ids of the
// vertices among their values. The ids of a batch are of one block, so that a batch is small
// however long names are.
func (t *table[V]) batches(from, to uint32, set *store.IDSet, yield func(*results.Batch) error) error {
	ids := t.graph.store.IDs()
	b := results.Batch{Columns: make([]results.Values, len(t.columns))}
	var vertices []uint32
	return t.valuesOf(from, to, func(vs []gas.Vertex, values []V) error {
		for len(vs) > 0 {
			block, err := ids.Block(vs[0].ID)
			if err != nil {
				return err
			}
			at := int(vs[0].ID - block.First)
			n := min(len(vs), block.Len()-at)
			b.IDs.Empty()
			appendIDs(&b.IDs, block, at, n)
			for i := range t.columns {
				dst := &b.Columns[i]
				dst.Empty()
				if err := t.fill(&t.columns[i], dst, vs[:n], values[:n]); err != nil {
					return err
				}
				if t.columns[i].vertex == nil {
					continue
				}
				if vertices, err = t.vertexValues(&t.columns[i], vertices[:0], vs[:n], values[:n]); err != nil {
					return err
				}
				if err := t.idsOf(dst, set, vertices); err != nil {
					return err
				}
			}
			if err := yield(&b); err != nil {
				return err
			}
			vs, values = vs[n:], values[n:]
		}
		return nil
	})
}

// fill appends the numbers of a column, and which rows are null.
func (t *table[V]) fill(c *column[V], dst *results.Values, vs []gas.Vertex, values []V) error {
	return panics.Guard(t.source, func() error {
		if c.numbers != nil {
			c.numbers(dst, vs, values)
		}
		if !c.Nullable {
			return nil
		}
		some := false
		for i, v := range vs {
			null := c.null(v, values[i])
			dst.Null = append(dst.Null, null)
			some = some || null
		}
		if !some {
			dst.Null = dst.Null[:0]
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

// named is a table whose first value column has a name, unless it has one of its own.
type named struct {
	results.Table
	name string
}

func (n named) Columns() []results.Column {
	list := n.Table.Columns()
	if list[0].Name == "" {
		list[0].Name = n.name
	}
	return list
}
