package garaph

import (
	"cmp"
	"errors"
	"iter"
	"slices"

	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/internal/tables"
)

// Blocks yields all ids with their values as slices of equal length, some thousand at a time, in the order of
// [Values.All] and without vertices that have no value. They are windows of memory that the next ones take: data that
// is kept must be copied. Nothing is copied for them, but where a type has to be another one, as for integers
// that are asked for as strings.
func (s *Values[I, V]) Blocks() iter.Seq2[[]I, []V] {
	return func(yield func([]I, []V) bool) {
		if s.err = s.result.beginReading(); s.err != nil {
			return
		}
		defer s.result.endReading()
		var ids []I
		var values []V
		err := s.result.table.Batches(func(b *results.Batch) error {
			c := &b.Columns[s.column]
			ids, values = idWindow(s, &b.IDs, ids[:0]), valueWindow(s, c, rowsOf(b), values[:0])
			for from := 0; from < len(ids); {
				to := from
				for to < len(ids) && (len(c.Null) == 0 || !c.Null[to]) {
					to++
				}
				if to > from && !yield(ids[from:to:to], values[from:to:to]) {
					return errEnough
				}
				from = to + 1 // behind a null, or the end
			}
			return nil
		})
		if !errors.Is(err, errEnough) {
			s.err = err
		}
	}
}

// rowsOf returns the number of rows of a batch.
func rowsOf(b *results.Batch) int { return len(b.IDs.Ints) + len(b.IDs.Uints) + len(b.IDs.Strings) }

// idWindow returns the ids of a batch: its own, or others in buffer.
func idWindow[I ID, V Value](s *Values[I, V], c *results.IDs, buffer []I) []I {
	for _, own := range []any{c.Ints, c.Uints, c.Strings} {
		if list, same := own.([]I); same && len(list) > 0 {
			return list
		}
	}
	for row := range len(c.Ints) + len(c.Uints) {
		buffer = append(buffer, s.id(c, row))
	}
	return buffer
}

// valueWindow is n values of a batch: its own, or others in buffer.
func valueWindow[I ID, V Value](s *Values[I, V], c *results.Values, n int, buffer []V) []V {
	for _, own := range []any{c.F32, c.F64, c.I64, c.V.Ints, c.V.Uints, c.V.Strings} {
		if list, same := own.([]V); same && len(list) == n {
			return list
		}
	}
	for row := range n {
		buffer = append(buffer, s.value(c, row))
	}
	return buffer
}

// Slice returns the values of all vertices, by dense id: [IDsOf] has those of the user in the same
// order. Where the program's values are the results themselves, as distances of [programs.SSSP] or
// core numbers, it is the memory of the job, without a copy, and valid until [Result.Close]: to
// look at it later may end the process. It must not be changed. Otherwise it is computed for each
// call, into the Go heap. A vertex without a value has the program's value, such as infinity
// or [gas.Unreached].
func (s *Values[I, V]) Slice() (all []V, err error) {
	if err := s.result.beginReading(); err != nil {
		return nil, err
	}
	defer s.result.endReading()
	if own, has := s.result.table.(interface{ Array(column int) any }); has {
		if list, same := own.Array(s.column).([]V); same {
			return list, nil
		}
	}
	all = make([]V, 0, s.result.table.Rows())
	err = s.result.table.Batches(func(b *results.Batch) error {
		c := &b.Columns[s.column]
		for row := range rowsOf(b) {
			all = append(all, s.value(c, row))
		}
		return nil
	})
	return all, err
}

// Ranked is a vertex with its value.
type Ranked[I ID, V Value] struct {
	ID    I
	Value V
}

// Top returns the n vertices with the largest values, largest first, and of equal ones in the order of
// [Values.All].
func (s *Values[I, V]) Top(n int) ([]Ranked[I, V], error) {
	var top []Ranked[I, V]
	for id, v := range s.All() {
		if n < 1 {
			break
		}
		if len(top) == n && !(v > top[n-1].Value) {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, v, func(r Ranked[I, V], v V) int {
			if cmp.Compare(r.Value, v) >= 0 { // behind equal values
				return -1
			}
			return 1
		})
		if len(top) == n {
			top = top[:n-1]
		}
		top = slices.Insert(top, at, Ranked[I, V]{id, v})
	}
	return top, s.Err()
}

// IDsOf returns the user's ids of all vertices, by dense id, in the Go heap.
func IDsOf[I ID](g *Graph) (all []I, err error) {
	if err := g.begin(); err != nil {
		return nil, err
	}
	defer g.uses.End()
	read, err := idReaderOf[I](g)
	if err != nil {
		return nil, err
	}
	n := g.Catalogue().Vertices
	all = make([]I, 0, n)
	ids := g.store.IDs()
	var c results.IDs
	for v := uint32(0); v < n; {
		block, err := ids.Block(v)
		if err != nil {
			return nil, err
		}
		c.Empty()
		tables.AppendIDs(&c, block, 0, block.Len())
		for row := range block.Len() {
			all = append(all, read(&c, row))
		}
		v = block.First + uint32(block.Len())
	}
	return all, nil
}
