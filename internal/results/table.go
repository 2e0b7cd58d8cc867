// Package results writes the outcome of a job, one row for each vertex, as a
// file that other tools read: TSV, CSV, NDJSON, Parquet or NumPy. A table is
// streamed batch by batch, so that memory does not grow with the graph, and a
// file appears under its name whole or not at all.
package results

import (
	"errors"
	"fmt"
)

// IDKind is the type of the user's vertex ids.
type IDKind uint8

// The kinds of ids.
const (
	IDInt    IDKind = iota // signed 64-bit integers
	IDUint                 // unsigned 64-bit integers
	IDString               // any bytes, as a rule UTF-8
)

func (k IDKind) String() string {
	switch k {
	case IDInt:
		return "int64"
	case IDUint:
		return "uint64"
	case IDString:
		return "string"
	}
	return fmt.Sprintf("IDKind(%d)", uint8(k))
}

// ValueKind is the type of the values.
type ValueKind uint8

// The kinds of values. A VertexID value is itself a vertex, written under the
// user's id and of the same kind as the id column.
const (
	Float32 ValueKind = iota
	Float64
	Int64
	VertexID
)

func (k ValueKind) String() string {
	switch k {
	case Float32:
		return "float32"
	case Float64:
		return "float64"
	case Int64:
		return "int64"
	case VertexID:
		return "vertex id"
	}
	return fmt.Sprintf("ValueKind(%d)", uint8(k))
}

// IDs is a column of user ids. Exactly one slice is set, by the [IDKind].
type IDs struct {
	Ints    []int64
	Uints   []uint64
	Strings []string
}

func (c *IDs) rows(k IDKind) int {
	switch k {
	case IDInt:
		return len(c.Ints)
	case IDUint:
		return len(c.Uints)
	default:
		return len(c.Strings)
	}
}

// Batch is consecutive rows of a table: as many ids as values, and the values
// in the slice of the table's [ValueKind] (V for VertexID).
type Batch struct {
	IDs IDs
	F32 []float32
	F64 []float64
	I64 []int64
	V   IDs
}

func (b *Batch) values(v ValueKind, k IDKind) int {
	switch v {
	case Float32:
		return len(b.F32)
	case Float64:
		return len(b.F64)
	case Int64:
		return len(b.I64)
	default:
		return b.V.rows(k)
	}
}

// Table is a column of ids and a column of values.
type Table interface {
	Rows() int64
	IDKind() IDKind
	ValueKind() ValueKind
	// Name is the name of the value column, for example "pagerank".
	Name() string
	// MaxIDBytes is the length in bytes of the longest string id, the ids
	// among the values included; it matters with IDString only.
	MaxIDBytes() int
	// Batches yields all rows in the order of the engine's ids. The memory of
	// a batch is reused after yield returns. Batches may be called more than
	// once, and ends with the error of yield when there is one.
	Batches(yield func(*Batch) error) error
	// Vertices yields the values of a VertexID table alone, as the engine's
	// ids, which have the order of the user's. Memory is as with Batches.
	Vertices(yield func([]uint32) error) error
	// IDsOf yields the user's ids of n of the engine's, in that order, some at a
	// time: those of the vertices from on. Memory is as with Batches.
	IDsOf(n int, vertex func(i int) uint32, yield func(from int, ids *IDs) error) error
	// Room is how many bytes of memory the reader of a table may take.
	Room() int64
}

// idColumn is the name of the id column.
const idColumn = "id"

// nameOf returns the name of t's value column, which is neither empty nor the
// name of the id column, since readers distinguish columns by name.
func nameOf(t Table) string {
	if name := t.Name(); name != "" && name != idColumn {
		return name
	}
	return "value"
}

func checkKinds(t Table) error {
	if t.IDKind() > IDString || t.ValueKind() > VertexID {
		return fmt.Errorf("a results table with ids of type %v and values of type %v cannot be written", t.IDKind(), t.ValueKind())
	}
	return nil
}

// eachBatch runs over t's batches with their numbers of rows, and checks that
// they are what the table promised: a file that lacks rows must not pass for a
// result.
func eachBatch(t Table, yield func(b *Batch, rows int) error) error {
	ids, values := t.IDKind(), t.ValueKind()
	var done int64
	err := t.Batches(func(b *Batch) error {
		if b == nil {
			return errors.New("the results table gave a nil batch")
		}
		n := b.IDs.rows(ids)
		if m := b.values(values, ids); m != n {
			return fmt.Errorf("the results table gave a batch with %d ids (%v) and %d values (%v) at row %d", n, ids, m, values, done)
		}
		if done += int64(n); done > t.Rows() {
			return fmt.Errorf("the results table promised %d rows and gave at least %d", t.Rows(), done)
		}
		if n == 0 {
			return nil
		}
		return yield(b, n)
	})
	if err == nil && done != t.Rows() {
		err = fmt.Errorf("the results table promised %d rows and gave %d", t.Rows(), done)
	}
	return err
}
