package results

import (
	"io"
	"math"
	"strconv"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/decimal"
)

// layout describes a text format: the separators around the columns of a row,
// and how strings, special numbers and nulls are written.
type layout struct {
	header  string
	before  string                                     // the id
	between []string                                   // before the value of each column
	after   string                                     // the row
	quote   string                                     // around inf and nan
	text    func(dst []byte, s string) ([]byte, error) // appends a string id
	null    string
	plain   bool // a number that is null is written as it is
}

// textBuffer is the size in bytes at which rows go to the writer: large enough
// to make a system call cheap, small enough to stay in a core's cache.
const textBuffer = 256 << 10

func writeText(w io.Writer, t Table, l layout) error {
	e := rowEncoder{layout: l, ids: t.IDKind(), columns: t.Columns()}
	return writeRows(w, t, []byte(l.header), e.rows)
}

type rowEncoder struct {
	layout
	ids     IDKind
	columns []Column
}

// rows is an [encodeRows].
func (e *rowEncoder) rows(dst []byte, b *Batch, from, to int) ([]byte, error) {
	var err error
	for i := from; i < to && err == nil; i++ {
		dst, err = e.row(dst, b, i)
	}
	return dst, err
}

func (e *rowEncoder) row(dst []byte, b *Batch, i int) ([]byte, error) {
	dst = append(dst, e.before...)
	dst, err := e.id(dst, &b.IDs, i)
	for j := 0; j < len(e.columns) && err == nil; j++ {
		dst = append(dst, e.between[j]...)
		dst, err = e.value(dst, &b.Columns[j], e.columns[j].Kind, i)
	}
	return append(dst, e.after...), err
}

func (e *rowEncoder) value(dst []byte, v *Values, kind ValueKind, i int) ([]byte, error) {
	if v.isNull(i) && !(e.plain && kind != VertexID) {
		return append(dst, e.null...), nil
	}
	switch kind {
	case Float32:
		return e.float32(dst, v.F32[i]), nil
	case Float64:
		return e.float64(dst, v.F64[i]), nil
	case Int64:
		if v.I64[i] == gas.Unreached && v.isNull(i) {
			return e.special(dst, "inf"), nil
		}
		return strconv.AppendInt(dst, v.I64[i], 10), nil
	default:
		return e.id(dst, &v.V, i)
	}
}

func (e *rowEncoder) id(dst []byte, c *IDs, i int) ([]byte, error) {
	switch e.ids {
	case IDInt:
		return strconv.AppendInt(dst, c.Ints[i], 10), nil
	case IDUint:
		return strconv.AppendUint(dst, c.Uints[i], 10), nil
	default:
		return e.text(dst, c.Strings[i])
	}
}

func (e *rowEncoder) float32(dst []byte, f float32) []byte {
	if f-f == 0 { // finite
		return decimal.Append(dst, float64(f), 32)
	}
	return e.special(dst, specialName(float64(f)))
}

func (e *rowEncoder) float64(dst []byte, f float64) []byte {
	if f-f == 0 {
		return decimal.Append(dst, f, 64)
	}
	return e.special(dst, specialName(f))
}

func (e *rowEncoder) special(dst []byte, name string) []byte {
	dst = append(dst, e.quote...)
	dst = append(dst, name...)
	return append(dst, e.quote...)
}

func specialName(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	default:
		return "nan"
	}
}
