package tables

import (
	"fmt"
	"math"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/store"
)

// firstWindow is the number of rows of the first window.
const firstWindow = 1 << 16

// byWindows divides n rows into windows and calls use for each, with a set that
// has the ids of the vertices that add puts into it. Windows become larger as
// long as these ids fit into limit bytes.
func (t *Table[V]) byWindows(n uint32, limit int64, add, use func(set *store.IDSet, from, to uint32) error) error {
	set, err := t.Store.IDSet(limit)
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

// vertexBatches is Batches if some values are vertices.
func (t *Table[V]) vertexBatches(yield func(*results.Batch) error) error {
	add := func(set *store.IDSet, from, to uint32) error {
		for i := range t.Results {
			if t.Results[i].vertex == nil {
				continue
			}
			if err := t.vertices(&t.Results[i], from, to, func(vs []uint32) error { return addTo(set, vs) }); err != nil {
				return err
			}
		}
		return nil
	}
	return t.byWindows(t.Store.Catalogue().Vertices, t.Memory, add, func(set *store.IDSet, from, to uint32) error {
		return t.batches(from, to, set, yield)
	})
}

// vertices yields the values of a column in the rows [from, to), without nulls.
func (t *Table[V]) vertices(c *Column[V], from, to uint32, yield func([]uint32) error) error {
	var values []uint32
	return t.Range(from, to, func(vs []gas.Vertex, xs []V) (err error) {
		if values, err = t.vertexValues(c, values[:0], vs, xs); err != nil {
			return err
		}
		return yield(values)
	})
}

// vertexValues appends the results of vertices in a column, without nulls.
func (t *Table[V]) vertexValues(c *Column[V], dst []uint32, vs []gas.Vertex, values []V) ([]uint32, error) {
	err := panics.Guard(t.Source, func() error {
		for i, v := range vs {
			if c.Null == nil || !c.Null(v, values[i]) {
				dst = append(dst, uint32(c.vertex(v, values[i])))
			}
		}
		return nil
	})
	return dst, err
}

// Vertices yields the results of a column that are vertices, shard by shard.
func (t *Table[V]) Vertices(i int, yield func([]uint32) error) error {
	return t.vertices(&t.Results[i], 0, t.Store.Catalogue().Vertices, yield)
}

// Room returns half of the memory that the job leaves of its budget. IDsOf uses the other half.
func (t *Table[V]) Room() int64 { return t.Memory / 2 }

// idsAtOnce is the number of ids IDsOf yields at most.
const idsAtOnce = 1 << 10

// IDsOf yields the ids of n vertices in their order, read for many at once.
func (t *Table[V]) IDsOf(n int, vertex func(i int) uint32, yield func(from int, ids *results.IDs) error) error {
	add := func(set *store.IDSet, from, to uint32) error {
		for i := from; i < to; i++ {
			if err := set.Add(vertex(int(i))); err != nil {
				return err
			}
		}
		return nil
	}
	var list []uint32
	var ids results.IDs
	return t.byWindows(uint32(n), t.Memory-t.Room(), add, func(set *store.IDSet, from, to uint32) error {
		for ; from < to; from += uint32(len(list)) {
			list = list[:0]
			for i := from; i < min(to, from+idsAtOnce); i++ {
				list = append(list, vertex(int(i)))
			}
			ids.Empty()
			if err := t.idsOf(&ids, nil, set, list); err != nil {
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

// idsOf appends the ids of vertices, which set has; rows that are null, for which there
// is none, get an empty one.
func (t *Table[V]) idsOf(dst *results.IDs, null []bool, set *store.IDSet, vertices []uint32) error {
	var err error
	switch t.IDKind() {
	case results.IDString:
		dst.Strings, err = appendIDsOf(dst.Strings, null, vertices, set.Text)
	case results.IDUint:
		dst.Uints, err = appendIDsOf(dst.Uints, null, vertices, set.Uint)
	default:
		dst.Ints, err = appendIDsOf(dst.Ints, null, vertices, set.Int)
	}
	return err
}

func appendIDsOf[T any](dst []T, null []bool, vertices []uint32, id func(uint32) (T, error)) ([]T, error) {
	var none T
	before := len(dst)
	skip := func() {
		for i := len(dst) - before; i < len(null) && null[i]; i++ {
			dst = append(dst, none)
		}
	}
	for _, v := range vertices {
		skip()
		x, err := id(v)
		if err != nil {
			return nil, err
		}
		dst = append(dst, x)
	}
	skip()
	return dst, nil
}
