package garaph

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/internal/tables"
)

// ID is a type of the user's ids of vertices: int64 for integers, uint64 when some are
// above its range, and string for names. Integers can also be read as strings, in decimal.
type ID interface{ int64 | uint64 | string }

// Value is a type of results. Floats of 32 bits can also be read as float64. Results that are vertices are returned as
// user ids of any [ID] type.
type Value interface {
	float32 | float64 | int64 | uint64 | string
}

// Values are the results of a job or an algorithm in one column, under the user's ids. They
// are read from the memory of the job, some thousand at a time, as often as All is called.
//
//	ranks, err := garaph.ValuesOf[string, float64](res, "")
//	...
//	for id, rank := range ranks.All() {
//		...
//	}
//	err = ranks.Err()
//
// One goroutine at a time may read them.
type Values[I ID, V Value] struct {
	result *Result
	column int
	id     func(c *results.IDs, row int) I
	value  func(c *results.Values, row int) V
	err    error
}

// ValuesOf returns the values of a column; "" is the first column, or the only one. The error
// names the columns, or the types of the ids and values, when they differ from
// the arguments.
func ValuesOf[I ID, V Value](r *Result, column string) (*Values[I, V], error) {
	if err := r.beginReading(); err != nil {
		return nil, err
	}
	defer r.endReading()
	ids, columns := r.table.IDKind(), r.table.Columns()
	at := 0
	if column != "" {
		at = slices.IndexFunc(columns, func(c results.Column) bool { return c.Name == column })
	}
	if at < 0 {
		return nil, fmt.Errorf("the result has no column %q; %s", column, known(columns))
	}
	values := &Values[I, V]{result: r, column: at}
	var ok bool
	if values.id, ok = idReader[I](ids); !ok {
		return nil, idTypeError[I](ids)
	}
	if values.value, ok = valueReader[V](columns[at].Kind, ids); !ok {
		kind := columns[at].Kind.String()
		if columns[at].Kind == results.VertexID {
			kind = ids.String()
		}
		return nil, fmt.Errorf("the values of the result are of type %s, and cannot be had as %T; ask for %[1]s",
			kind, *new(V))
	}
	return values, nil
}

// idTypeError refuses ids of another type than those of the graph.
func idTypeError[I ID](kind results.IDKind) error {
	return fmt.Errorf("the ids of the graph are of type %v, and cannot be had as %T; ask for %[1]v", kind, *new(I))
}

// known reports how the columns of a result can be called.
func known(columns []results.Column) string {
	var names []string
	for _, c := range columns {
		if c.Name != "" {
			names = append(names, strconv.Quote(c.Name))
		}
	}
	if len(names) == 0 {
		return `its only column is ""`
	}
	return "it has " + strings.Join(names, ", ")
}

// All yields the id of each vertex with its value, in the order of the engine's ids. What has
// no value is left out, such as a vertex that a search did not reach. The values end early
// at an error, which Err then tells.
func (s *Values[I, V]) All() iter.Seq2[I, V] {
	return func(yield func(I, V) bool) {
		for ids, values := range s.Blocks() {
			for i, id := range ids {
				if !yield(cloned(id), cloned(values[i])) {
					return
				}
			}
		}
	}
}

// cloned copies a string, which may be a window of memory that is used again.
func cloned[T ID | Value](x T) T {
	if text, is := any(x).(string); is {
		return any(strings.Clone(text)).(T)
	}
	return x
}

// Err returns why the last reading of All ended early; nil after all values, or a break.
func (s *Values[I, V]) Err() error { return s.err }

// errEnough ends a reading that was left; it never leaves the package.
var errEnough = errors.New("no more values are wanted")

// idReader returns how an id is read from a column of ids.
func idReader[T Value](kind results.IDKind) (func(*results.IDs, int) T, bool) {
	var read any
	switch any(*new(T)).(type) {
	case int64:
		if kind == results.IDInt {
			read = func(c *results.IDs, row int) int64 { return c.Ints[row] }
		}
	case uint64:
		if kind == results.IDUint {
			read = func(c *results.IDs, row int) uint64 { return c.Uints[row] }
		}
	case string:
		switch kind {
		case results.IDInt:
			read = func(c *results.IDs, row int) string { return strconv.FormatInt(c.Ints[row], 10) }
		case results.IDUint:
			read = func(c *results.IDs, row int) string { return strconv.FormatUint(c.Uints[row], 10) }
		case results.IDString: // in memory that is used again
			read = func(c *results.IDs, row int) string { return strings.Clone(c.Strings[row]) }
		}
	}
	f, ok := read.(func(*results.IDs, int) T)
	return f, ok
}

// idReaderOf is idReader for the ids of a graph.
func idReaderOf[I ID](g *Graph) (func(*results.IDs, int) I, error) {
	kind := tables.IDKind(g.store)
	read, ok := idReader[I](kind)
	if !ok {
		return nil, idTypeError[I](kind)
	}
	return read, nil
}

// valueReader returns how a value is read from a column of values.
func valueReader[V Value](kind results.ValueKind, ids results.IDKind) (func(*results.Values, int) V, bool) {
	if kind == results.VertexID {
		id, ok := idReader[V](ids)
		return func(c *results.Values, row int) V { return id(&c.V, row) }, ok
	}
	var read any
	switch any(*new(V)).(type) {
	case float32:
		if kind == results.Float32 {
			read = func(c *results.Values, row int) float32 { return c.F32[row] }
		}
	case float64:
		switch kind {
		case results.Float32:
			read = func(c *results.Values, row int) float64 { return float64(c.F32[row]) }
		case results.Float64:
			read = func(c *results.Values, row int) float64 { return c.F64[row] }
		}
	case int64:
		if kind == results.Int64 {
			read = func(c *results.Values, row int) int64 { return c.I64[row] }
		}
	}
	f, ok := read.(func(*results.Values, int) V)
	return f, ok
}
