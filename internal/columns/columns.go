// Package columns reads and writes files of columns, Parquet and Arrow IPC, with arrow-go. It knows columns at the top
// level of integers, floating-point numbers and strings, and reads dates, timestamps, UUIDs and decimals as text.
// Panics of arrow-go become errors, and the memory that it takes
// for pages and record batches is bounded by a [Memory].
package columns

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/apache/arrow-go/v18/parquet"
)

// Kind is a kind of values, of any width.
type Kind uint8

// The kinds. The values of a column of kind None are not read.
const (
	None  Kind = iota
	Int        // signed integers of up to 64 bits
	Uint       // unsigned integers of up to 64 bits
	Float      // floating-point numbers of 32 or 64 bits
	Text       // strings of bytes
)

// Column describes a column of a file.
type Column struct {
	Name   string
	Kind   Kind
	Type   string // the format's name of the type of a column of kind None
	Single bool   // the column has floats of 32 bits

	Decimal bool // the column is of kind Text, and has the same numbers as Floats
	text    bool // its values are formatted as text
}

// IsNumber reports whether the values of the column are read as numbers.
func (c *Column) IsNumber() bool {
	return c.Kind == Int || c.Kind == Uint || c.Kind == Float || c.Decimal
}

// Check refuses a column whose values are not read.
func (c *Column) Check() error {
	if c.Kind == None {
		return UnsupportedError(fmt.Sprintf("column %q: %s is not supported", c.Name, c.Type))
	}
	return nil
}

// Bytes is a string in a file.
type Bytes = parquet.ByteArray

// Values are some values of a column, in the order of rows: Ints, Floats or Text, as the Kind of
// the column says. They are valid until the next values are read.
type Values struct {
	Ints   []int64 // of Uint, the bits
	Floats []float64
	Text   []Bytes
	Null   []bool // If nil, no value is null. The value of a null is undefined.
}

// IsNull reports whether row i is null.
func (v *Values) IsNull(i int) bool { return v.Null != nil && v.Null[i] }

// AppendID appends the value of row i of a column of integers or strings as text.
func (v *Values) AppendID(dst []byte, k Kind, i int) []byte {
	switch k {
	case Int:
		return strconv.AppendInt(dst, v.Ints[i], 10)
	case Uint:
		return strconv.AppendUint(dst, uint64(v.Ints[i]), 10)
	}
	return append(dst, v.Text[i]...)
}

// UnsupportedError names a feature of a sound file that is not supported.
type UnsupportedError string

func (e UnsupportedError) Error() string { return string(e) }

// ErrDamaged is the class of errors of files that are not as their format requires.
var ErrDamaged = errors.New("the file is damaged")

// caught completes an error of reading, which may be a panic of arrow-go.
func caught(a *account, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%v", p)
	}
	var unsupported UnsupportedError
	switch {
	case *err == nil || *err == io.EOF || errors.As(*err, &unsupported):
	case a.failed() != nil:
		*err = a.failed()
	default:
		*err = fmt.Errorf("%w: %w", ErrDamaged, *err)
	}
}

// grown returns a slice of n elements, with the memory of b if that is enough.
func grown[T any](b *[]T, n int) []T {
	if cap(*b) < n {
		*b = make([]T, n)
	}
	return (*b)[:n]
}

// widened converts numbers into dst.
func widened[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32, W int64 | float64](
	dst *[]W, list []T,
) []W {
	wide := grown(dst, len(list))
	for i, x := range list {
		wide[i] = W(x)
	}
	return wide
}
