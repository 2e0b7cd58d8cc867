package results

import (
	"io"
	"math"
	"strconv"

	"github.com/garaph/garaph/gas"
)

// layout is what the text formats differ in: what stands around the two
// columns of a row, and how strings and special numbers are written.
type layout struct {
	header                 string
	before, between, after string
	quote                  string                                     // around inf and nan
	text                   func(dst []byte, s string) ([]byte, error) // appends a string id
}

// textBuffer is the size in bytes at which rows go to the writer: large enough
// to make a system call cheap, small enough to stay in a core's cache.
const textBuffer = 256 << 10

func writeText(w io.Writer, t Table, l layout) error {
	e := rowEncoder{layout: l, ids: t.IDKind(), values: t.ValueKind()}
	return writeRows(w, t, []byte(l.header), e.rows)
}

type rowEncoder struct {
	layout
	ids    IDKind
	values ValueKind
}

// rows is [encodeRows].
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
	if err != nil {
		return dst, err
	}
	dst = append(dst, e.between...)
	switch e.values {
	case Float32:
		dst = e.float32(dst, b.F32[i])
	case Float64:
		dst = e.float64(dst, b.F64[i])
	case Int64:
		if b.I64[i] == gas.Unreached {
			dst = e.special(dst, "inf")
		} else {
			dst = strconv.AppendInt(dst, b.I64[i], 10)
		}
	case VertexID:
		if dst, err = e.id(dst, &b.V, i); err != nil {
			return dst, err
		}
	}
	return append(dst, e.after...), nil
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
		return strconv.AppendFloat(dst, float64(f), 'g', -1, 32)
	}
	return e.special(dst, specialName(float64(f)))
}

func (e *rowEncoder) float64(dst []byte, f float64) []byte {
	if f-f == 0 {
		return strconv.AppendFloat(dst, f, 'g', -1, 64)
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
