package results

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/garaph/garaph/gas"
)

// maxNPYString bounds the length of a name in bytes: every row of a NumPy
// array is as wide as the widest name.
const maxNPYString = 4096

// writeNPY writes the NumPy format 1.0 (numpy.lib.format): magic, a header that
// is a Python literal, and the rows of a structured array, packed:
//
//	id         <i8, <u8; of names, U and the characters of the longest, or S and its bytes where one is no UTF-8
//	NAME       <f4, <f8, <i8, or the type of id
//	NAME_null  |b1, behind a column that may be null
//
// A float that is null is infinite if the program has that, and else not a number.
func writeNPY(w io.Writer, t Table) error {
	names, err := namesOf(t)
	if err != nil {
		return err
	}
	if err := CheckIDBytes(NPY, names.bytes); err != nil {
		return err
	}
	e := newNPYEncoder(t, names)
	header, err := e.header(t.Rows())
	if err != nil {
		return err
	}
	return writeRows(w, t, header, e.rows)
}

// CheckIDBytes reports the error that [Write] would end with because the longest
// string id has that many bytes, and should be called before a long job.
func CheckIDBytes(f Format, longest int) error {
	if f == NPY && longest > maxNPYString {
		return fmt.Errorf("the longest vertex id has %d bytes, and npy would spend as many or more on every row (at most "+
			"%d are allowed); write parquet instead", longest, maxNPYString)
	}
	return nil
}

// npyField is a field of a row.
type npyField struct {
	name, kind string
	at, size   int
}

// npyEncoder makes rows. Fields are the id, then those of each column.
type npyEncoder struct {
	ids     IDKind
	wide    bool // names have 4 bytes a character
	columns []Column
	fields  []npyField
	of      []int // the field of each column, behind which is that of its nulls
	row     int   // bytes
}

func newNPYEncoder(t Table, names nameStats) *npyEncoder {
	e := &npyEncoder{ids: t.IDKind(), wide: names.utf8, columns: columnsOf(t)}
	id := npyField{kind: "<i8", size: 8}
	switch {
	case e.ids == IDUint:
		id.kind = "<u8"
	case e.ids == IDString && e.wide:
		n := max(names.runes, 1)
		id.kind, id.size = "<U"+strconv.Itoa(n), 4*n
	case e.ids == IDString:
		n := max(names.bytes, 1)
		id.kind, id.size = "|S"+strconv.Itoa(n), n
	}
	e.add(t.IDName(), id)
	for _, c := range e.columns {
		e.of = append(e.of, len(e.fields))
		switch c.Kind {
		case Float32:
			e.add(c.Name, npyField{kind: "<f4", size: 4})
		case Float64:
			e.add(c.Name, npyField{kind: "<f8", size: 8})
		case Int64:
			e.add(c.Name, npyField{kind: "<i8", size: 8})
		default:
			e.add(c.Name, id)
		}
		if c.Nullable {
			e.add(c.Name+"_null", npyField{kind: "|b1", size: 1})
		}
	}
	return e
}

func (e *npyEncoder) add(name string, f npyField) {
	f.name, f.at = name, e.row
	e.fields, e.row = append(e.fields, f), e.row+f.size
}

// header returns magic, version, length of the dictionary as u16, and the
// dictionary, padded so that the data starts at a multiple of 64 bytes.
func (e *npyEncoder) header(rows int64) ([]byte, error) {
	var list []string
	for i, f := range e.fields {
		if slices.ContainsFunc(e.fields[:i], func(other npyField) bool { return other.name == f.name }) {
			return nil, fmt.Errorf("npy would have two fields named %q; give the column another name, or write parquet", f.name)
		}
		list = append(list, fmt.Sprintf("(%s, '%s')", pythonString(f.name), f.kind))
	}
	dict := fmt.Sprintf("{'descr': [%s], 'fortran_order': False, 'shape': (%d,), }", strings.Join(list, ", "), rows)
	const prefix = 10
	size := (prefix+len(dict)+1+63)/64*64 - prefix
	if size > math.MaxUint16 {
		return nil, fmt.Errorf("the names of the columns make a header of %d bytes, which is too long for npy", size)
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

// rows is an [encodeRows] that works column by column.
func (e *npyEncoder) rows(dst []byte, b *Batch, from, to int) ([]byte, error) {
	at, n := len(dst), to-from
	dst = slices.Grow(dst, n*e.row)[:at+n*e.row]
	if err := e.names(dst[at:], e.fields[0], &b.IDs, nil, from, to); err != nil {
		return dst, err
	}
	for i, c := range e.columns {
		v, f := &b.Columns[i], e.fields[e.of[i]]
		rows := dst[at+min(f.at, n*e.row):]
		switch c.Kind {
		case Float32:
			for i, x := range v.F32[from:to] {
				if v.isNull(from+i) && !math.IsInf(float64(x), 0) {
					x = float32(math.NaN())
				}
				binary.LittleEndian.PutUint32(rows[i*e.row:], math.Float32bits(x))
			}
		case Float64:
			for i, x := range v.F64[from:to] {
				if v.isNull(from+i) && !math.IsInf(x, 0) {
					x = math.NaN()
				}
				binary.LittleEndian.PutUint64(rows[i*e.row:], math.Float64bits(x))
			}
		case Int64:
			putColumn(rows, e.row, v.I64, v.Null, from, to, uint64(gas.Unreached))
		default:
			if err := e.names(dst[at:], f, &v.V, v.Null, from, to); err != nil {
				return dst, err
			}
		}
		if c.Nullable {
			rows = dst[at+min(f.at+f.size, n*e.row):]
			for i := range n {
				rows[i*e.row] = 0
				if v.isNull(from + i) {
					rows[i*e.row] = 1
				}
			}
		}
	}
	return dst, nil
}

// names puts ids into a field of rows; a null is the largest integer, or "".
func (e *npyEncoder) names(rows []byte, f npyField, c *IDs, null []bool, from, to int) error {
	rows = rows[min(f.at, len(rows)):]
	switch e.ids {
	case IDInt:
		putColumn(rows, e.row, c.Ints, null, from, to, math.MaxInt64)
		return nil
	case IDUint:
		putColumn(rows, e.row, c.Uints, null, from, to, math.MaxUint64)
		return nil
	}
	for i, s := range c.Strings[from:to] {
		if len(null) > 0 && null[from+i] {
			s = ""
		}
		if err := e.name(rows[i*e.row:i*e.row+f.size], s); err != nil {
			return err
		}
	}
	return nil
}

func putColumn[T int64 | uint64](rows []byte, row int, column []T, null []bool, from, to int, none uint64) {
	for i, x := range column[from:to] {
		bits := uint64(x)
		if len(null) > 0 && null[from+i] {
			bits = none
		}
		binary.LittleEndian.PutUint64(rows[i*row:], bits)
	}
}

// name fills a field with s and NULs.
func (e *npyEncoder) name(field []byte, s string) error {
	if strings.HasSuffix(s, "\x00") {
		return fmt.Errorf("the vertex id %q ends with a NUL byte, which npy takes for padding; write ndjson or parquet", s)
	}
	if e.wide {
		for _, r := range s {
			binary.LittleEndian.PutUint32(field, uint32(r))
			field = field[4:]
		}
	} else {
		field = field[copy(field, s):]
	}
	clear(field)
	return nil
}
