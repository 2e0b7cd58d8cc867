package results

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// maxNPYString bounds the width of the id field in bytes: every row of a NumPy
// array is as wide as the widest id.
const maxNPYString = 4096

// writeNPY writes the NumPy format 1.0 (numpy.lib.format): magic, a header that
// is a Python literal, and the rows of a structured array, packed:
//
//	id     <i8, <u8, or S and the length of the longest id, padded with NUL
//	value  <f4, <f8, <i8, or the type of id
func writeNPY(w io.Writer, t Table) error {
	width := max(t.MaxIDBytes(), 1)
	if t.IDKind() == IDString {
		if err := CheckIDBytes(NPY, width); err != nil {
			return err
		}
	}
	header, err := npyHeader(t, width)
	if err != nil {
		return err
	}
	e := npyEncoder{ids: t.IDKind(), values: t.ValueKind(), width: width}
	return writeRows(w, t, header, e.rows)
}

// CheckIDBytes reports the error that [Write] would end with because the longest
// string id has that many bytes, and should be called before a long job.
func CheckIDBytes(f Format, longest int) error {
	if f == NPY && longest > maxNPYString {
		return fmt.Errorf("the longest vertex id has %d bytes, and npy would spend as many on every row (at most %d are allowed); write parquet instead", longest, maxNPYString)
	}
	return nil
}

// npyHeader is magic, version, length of the dictionary as u16, and the
// dictionary, padded so that the data starts at a multiple of 64 bytes.
func npyHeader(t Table, width int) ([]byte, error) {
	id := map[IDKind]string{IDInt: "<i8", IDUint: "<u8", IDString: "|S" + strconv.Itoa(width)}[t.IDKind()]
	value := map[ValueKind]string{Float32: "<f4", Float64: "<f8", Int64: "<i8", VertexID: id}[t.ValueKind()]
	dict := fmt.Sprintf("{'descr': [('%s', '%s'), (%s, '%s')], 'fortran_order': False, 'shape': (%d,), }",
		idColumn, id, pythonString(nameOf(t)), value, t.Rows())
	const prefix = 10
	size := (prefix+len(dict)+1+63)/64*64 - prefix
	if size > math.MaxUint16 {
		return nil, fmt.Errorf("the name of the value column has %d bytes, which is too long for npy", len(t.Name()))
	}
	h := append([]byte("\x93NUMPY"), 1, 0)
	h = binary.LittleEndian.AppendUint16(h, uint16(size))
	h = append(h, dict...)
	h = append(h, strings.Repeat(" ", size-len(dict)-1)...)
	return append(h, '\n'), nil
}

// pythonString returns a Python literal in ASCII. Go's escapes are also Python's.
func pythonString(s string) string {
	if q := strconv.QuoteToASCII(s); q != `"`+s+`"` || strings.Contains(s, "'") {
		return q
	}
	return "'" + s + "'"
}

type npyEncoder struct {
	ids    IDKind
	values ValueKind
	width  int
}

// rows is [encodeRows]: column by column, but for names.
func (e *npyEncoder) rows(dst []byte, b *Batch, from, to int) ([]byte, error) {
	if e.ids == IDString {
		var err error
		for i := from; i < to && err == nil; i++ {
			dst, err = e.named(dst, b, i)
		}
		return dst, err
	}
	row, n := 16, to-from
	if e.values == Float32 {
		row = 12
	}
	at := len(dst)
	dst = slices.Grow(dst, n*row)[:at+n*row]
	e.column(dst[at:], row, &b.IDs, from, to)
	values := dst[min(at+8, len(dst)):]
	switch e.values {
	case Float32:
		for i, x := range b.F32[from:to] {
			binary.LittleEndian.PutUint32(values[i*row:], math.Float32bits(x))
		}
	case Float64:
		for i, x := range b.F64[from:to] {
			binary.LittleEndian.PutUint64(values[i*row:], math.Float64bits(x))
		}
	case Int64:
		putColumn(values, row, b.I64[from:to])
	default:
		e.column(values, row, &b.V, from, to)
	}
	return dst, nil
}

// column puts integer ids into rows of that many bytes.
func (e *npyEncoder) column(dst []byte, row int, c *IDs, from, to int) {
	if e.ids == IDUint {
		putColumn(dst, row, c.Uints[from:to])
	} else {
		putColumn(dst, row, c.Ints[from:to])
	}
}

func putColumn[T int64 | uint64](dst []byte, row int, column []T) {
	for i, x := range column {
		binary.LittleEndian.PutUint64(dst[i*row:], uint64(x))
	}
}

// named appends a row with a name.
func (e *npyEncoder) named(dst []byte, b *Batch, i int) ([]byte, error) {
	dst, err := e.name(dst, b.IDs.Strings[i])
	if err != nil {
		return dst, err
	}
	switch e.values {
	case Float32:
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(b.F32[i])), nil
	case Float64:
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(b.F64[i])), nil
	case Int64:
		return binary.LittleEndian.AppendUint64(dst, uint64(b.I64[i])), nil
	default:
		return e.name(dst, b.V.Strings[i])
	}
}

func (e *npyEncoder) name(dst []byte, s string) ([]byte, error) {
	if len(s) > e.width {
		return dst, fmt.Errorf("the vertex id %.64q has %d bytes, but the results table promised at most %d", s, len(s), e.width)
	}
	if strings.HasSuffix(s, "\x00") {
		return dst, fmt.Errorf("the vertex id %q ends with a NUL byte, which npy takes for padding; write ndjson or parquet", s)
	}
	dst = append(dst, s...)
	for range e.width - len(s) {
		dst = append(dst, 0)
	}
	return dst, nil
}
