// Package columnar has what files of columns (Parquet, Arrow) are read into: the
// description of a column, and runs of its values.
package columnar

import "strconv"

// Kind is what the values of a column are, whatever their width in the file.
type Kind uint8

// The kinds. The values of a column of no kind are not read.
const (
	None  Kind = iota
	Int        // signed integers of up to 64 bits
	Uint       // unsigned ones
	Float      // floating-point numbers of up to 64 bits
	Text       // bytes
)

// Column describes a column at the top level of a file.
type Column struct {
	Name string
	Kind Kind
	Type string // as users of the format know it: int64, string, list …
}

// Values are some values of a column, in the order of rows. One of Ints, Floats and
// Text is set, as the Kind says. They are valid until the next are read.
type Values struct {
	Ints   []uint64 // the bits of int64 for Int
	Floats []float64
	Text   Strings
	Null   []bool // nil where none is null; the value of a null is any
}

// Strings are byte strings within a buffer.
type Strings struct {
	Data  []byte
	Spans []Span
	Index []uint32 // of the spans, one a row; nil: rows have the spans in order
}

// Span is where a string begins and ends.
type Span struct{ From, To uint32 }

// At is the string of row i. It aliases Data.
func (s *Strings) At(i int) []byte {
	if s.Index != nil {
		i = int(s.Index[i])
	}
	span := s.Spans[i]
	return s.Data[span.From:span.To:span.To]
}

// IsNull reports whether row i is null.
func (v *Values) IsNull(i int) bool { return v.Null != nil && v.Null[i] }

// Slice are the rows from one up to another.
func (v *Values) Slice(from, to int) Values {
	s := Values{Text: v.Text}
	if v.Ints != nil {
		s.Ints = v.Ints[from:to]
	}
	if v.Floats != nil {
		s.Floats = v.Floats[from:to]
	}
	switch {
	case v.Text.Index != nil:
		s.Text.Index = v.Text.Index[from:to]
	case v.Text.Spans != nil:
		s.Text.Spans = v.Text.Spans[from:to]
	}
	if v.Null != nil {
		s.Null = v.Null[from:to]
	}
	return s
}

// AppendInteger appends an integer of a column of that kind in decimal.
func AppendInteger(dst []byte, k Kind, bits uint64) []byte {
	if k == Int {
		return strconv.AppendInt(dst, int64(bits), 10)
	}
	return strconv.AppendUint(dst, bits, 10)
}
