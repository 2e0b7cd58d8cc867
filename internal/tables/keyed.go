package tables

import (
	"strings"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/store"
)

// keyed is a table whose rows are not those of the vertices, such as edges. Its row numbers are positions
// among keys.
type keyed struct {
	ids     Table[struct{}]
	name    string // of the column of keys
	keys    []gas.VertexID
	columns []Column[struct{}]
}

const (
	keyedMemory = 2 << 20   // for ids that are looked up together
	keyedIDs    = 256 << 10 // bytes of ids in a column of a batch
)

// NewKeyed returns a table with a row for each of keys. name is the name of their column.
func NewKeyed(s *store.Store, name string, keys []gas.VertexID, columns ...algorithms.Column) results.Table {
	k := &keyed{ids: Table[struct{}]{Store: s, Memory: keyedMemory}, name: name, keys: keys}
	for _, c := range columns {
		k.columns = append(k.columns, FurtherColumn[struct{}](c))
	}
	return k
}

func (k *keyed) IDName() string         { return k.name }
func (k *keyed) IDKind() results.IDKind { return k.ids.IDKind() }
func (k *keyed) Rows() int64            { return int64(len(k.keys)) }
func (k *keyed) Room() int64            { return k.ids.Room() }

// Filler returns a function that fills batches with any rows if ids are computed, or else nil.
func (k *keyed) Filler() results.Fill {
	if k.ids.Store.Catalogue().IDs.Kind != store.IDBase {
		return nil
	}
	return k.fill
}

func (k *keyed) Array(i int) any { return k.columns[i].array }

func (k *keyed) Columns() (list []results.Column) {
	for _, c := range k.columns {
		list = append(list, c.Column)
	}
	return list
}

// Batches yields the rows, some at a time.
func (k *keyed) Batches(yield func(*results.Batch) error) error {
	b := results.Batch{Columns: make([]results.Values, len(k.columns))}
	rows := min(idsAtOnce, max(1, keyedIDs/max(1, k.ids.Store.Catalogue().IDs.MaxBytes)))
	for from := 0; from < len(k.keys); from += rows {
		b.IDs.Empty()
		for i := range b.Columns {
			b.Columns[i].Empty()
		}
		if err := k.fill(&b, int64(from), int64(min(from+rows, len(k.keys)))); err != nil {
			return err
		}
		if err := yield(&b); err != nil {
			return err
		}
	}
	return nil
}

func (k *keyed) fill(b *results.Batch, from, to int64) error {
	err := k.appendIDs(&b.IDs, k.keys[from:to])
	for i, c := range k.columns {
		if list, ok := c.array.([]gas.VertexID); ok && err == nil {
			err = k.appendIDs(&b.Columns[i].V, list[from:to])
		}
		if c.numbers != nil && from < to {
			c.numbers(&b.Columns[i], rowNumbers(from, to), nil)
		}
	}
	return err
}

// rowNumbers returns the numbers of rows in place of vertices.
func rowNumbers(from, to int64) []gas.Vertex {
	vs := make([]gas.Vertex, to-from)
	vs[0].ID = uint32(from)
	return vs
}

// appendIDs appends copies of the ids of vertices.
func (k *keyed) appendIDs(to *results.IDs, vertices []gas.VertexID) error {
	vertex := func(i int) uint32 { return uint32(vertices[i]) }
	return k.ids.IDsOf(len(vertices), vertex, func(_ int, ids *results.IDs) error {
		to.Ints, to.Uints = append(to.Ints, ids.Ints...), append(to.Uints, ids.Uints...)
		for _, id := range ids.Strings {
			to.Strings = append(to.Strings, strings.Clone(id))
		}
		return nil
	})
}

// Numbers yields the numbers of a column in the rows [from, to).
func (k *keyed) Numbers(i int, from, to int64, yield func(*results.Values) error) error {
	var values results.Values
	for ; from < to; from += idsAtOnce {
		values.Empty()
		k.columns[i].numbers(&values, rowNumbers(from, min(from+idsAtOnce, to)), nil)
		if err := yield(&values); err != nil {
			return err
		}
	}
	return nil
}

// Vertices yields the values of a column.
func (k *keyed) Vertices(i int, yield func([]uint32) error) error {
	var some []uint32
	list := k.columns[i].array.([]gas.VertexID)
	for from := 0; from < len(list); from += idsAtOnce {
		some = some[:0]
		for _, v := range list[from:min(from+idsAtOnce, len(list))] {
			some = append(some, uint32(v))
		}
		if err := yield(some); err != nil {
			return err
		}
	}
	return nil
}

// IDsOf yields the ids of n vertices.
func (k *keyed) IDsOf(n int, vertex func(i int) uint32, yield func(from int, ids *results.IDs) error) error {
	return k.ids.IDsOf(n, vertex, yield)
}

// Vertex returns the key of a row.
func (k *keyed) Vertex(row uint32) uint32 { return uint32(k.keys[row]) }
