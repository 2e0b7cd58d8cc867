// Package results writes the outcome of a job, one row for each vertex, as a
// file that other tools read: TSV, CSV, NDJSON, Parquet or NumPy. A table is
// streamed batch by batch, so that memory does not grow with the graph, and a
// file appears under its name whole or not at all.
package results

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// IDKind is the type of the user's vertex ids.
type IDKind uint8

// The kinds of ids.
const (
	IDInt    IDKind = iota // signed 64-bit integers
	IDUint                 // unsigned 64-bit integers
	IDString               // any bytes, as a rule UTF-8
)

func (k IDKind) String() string { return [...]string{"int64", "uint64", "string"}[k] }

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

func (k ValueKind) String() string { return [...]string{"float32", "float64", "int64", "vertex id"}[k] }

// IDs is a column of user ids. Exactly one slice is set, by the [IDKind].
type IDs struct {
	Ints    []int64
	Uints   []uint64
	Strings []string
}

// Empty leaves no ids, and keeps the memory.
func (c *IDs) Empty() { c.Ints, c.Uints, c.Strings = c.Ints[:0], c.Uints[:0], c.Strings[:0] }

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

// Values is the values of consecutive rows in one column: those of the column's
// [ValueKind] (V for VertexID). Where the column may have nulls, Null says of each row
// whether it is one; it is empty when no row of the batch is. In the place of a
// null number is the program's value, such as infinity.
type Values struct {
	F32  []float32
	F64  []float64
	I64  []int64
	V    IDs
	Null []bool
}

func (v *Values) isNull(i int) bool { return len(v.Null) > 0 && v.Null[i] }

// Empty leaves no rows, and keeps the memory.
func (v *Values) Empty() {
	v.F32, v.F64, v.I64, v.Null = v.F32[:0], v.F64[:0], v.I64[:0], v.Null[:0]
	v.V.Empty()
}

// Batch is consecutive rows of a table: as many ids as values in each of its columns.
type Batch struct {
	IDs     IDs
	Columns []Values
}

// Column is a column of values.
type Column struct {
	Name     string // for example "pagerank"
	Kind     ValueKind
	Nullable bool // rows may have no value
}

// Rows are a column of ids and columns of values, one or more, in their order.
type Rows interface {
	// Rows returns the number of rows, or -1 if it is not known before they end.
	Rows() int64
	IDKind() IDKind
	// IDName returns the name of the column of ids, as a rule [IDColumn].
	IDName() string
	Columns() []Column
	// Batches yields all rows in the order of the engine's ids. The memory of
	// a batch is reused after yield returns. Batches may be called more than
	// once, and ends with the error of yield when there is one.
	Batches(yield func(*Batch) error) error
}

// Table is rows that are known by number: those of the engine's vertices, or of others with a key.
type Table interface {
	Rows
	// Vertex returns the vertex that a row has in its column of ids.
	Vertex(row uint32) uint32
	// Filler returns a function that gets any rows, for one goroutine: each that calls one has
	// its own. It is nil where rows are available only in order.
	Filler() Fill
	// Numbers yields the values of the i-th column, of another kind than VertexID, in the rows [from, to), without
	// ids. Goroutines may call it at the same time. Memory is as with Batches.
	Numbers(i int, from, to int64, yield func(*Values) error) error
	// Vertices yields column i, of kind VertexID, as dense ids, whose order is that of user ids.
	// Nulls are left out. Memory is as for Batches.
	Vertices(i int, yield func([]uint32) error) error
	// IDsOf yields the user's ids of n of the engine's, in that order, some at a
	// time: those of the vertices from on. Memory is as with Batches.
	IDsOf(n int, vertex func(i int) uint32, yield func(from int, ids *IDs) error) error
	// Room returns the number of bytes of memory that the reader of a table may take.
	Room() int64
}

// Fill appends the rows [from, to) of a table to an empty batch that has its columns.
type Fill func(b *Batch, from, to int64) error

// IDColumn is the usual name of the id column.
const IDColumn = "id"

// columnsOf returns the columns of t with names that are neither empty nor that of
// the id column.
func columnsOf(t Rows) []Column {
	list := slices.Clone(t.Columns())
	for i, c := range list {
		if c.Name == "" || c.Name == t.IDName() {
			list[i].Name = "value"
		}
	}
	return list
}

// check refuses a table with two columns of one name.
func check(t Rows) error {
	list := columnsOf(t)
	for i, c := range list {
		if slices.ContainsFunc(list[:i], func(other Column) bool { return other.Name == c.Name }) {
			return fmt.Errorf("the results table has two columns named %q; give one of them another name", c.Name)
		}
	}
	return nil
}

// eachBatch calls yield with the batches of t that are not empty, and their numbers of rows.
func eachBatch(t Rows, yield func(b *Batch, rows int) error) error {
	ids := t.IDKind()
	return t.Batches(func(b *Batch) error {
		if n := b.IDs.rows(ids); n > 0 {
			return yield(b, n)
		}
		return nil
	})
}

// nameStats describes all names in a table, for formats that need it before the first one
// is written.
type nameStats struct {
	utf8  bool // all are
	bytes int  // of the longest
	runes int  // of the longest, if all are UTF-8
}

// namesOf looks through all names of t, in a pass of its own.
func namesOf(t Table) (nameStats, error) {
	s := nameStats{utf8: true}
	if t.IDKind() != IDString {
		return s, nil
	}
	look := func(names []string) {
		for _, name := range names {
			s.bytes = max(s.bytes, len(name))
			s.utf8 = s.utf8 && utf8.ValidString(name)
			if s.utf8 && len(name) > s.runes {
				s.runes = max(s.runes, utf8.RuneCountInString(name))
			}
		}
	}
	err := eachBatch(t, func(b *Batch, _ int) error {
		look(b.IDs.Strings)
		for i := range b.Columns {
			look(b.Columns[i].V.Strings)
		}
		return nil
	})
	return s, err
}
