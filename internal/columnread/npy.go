package columnread

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/internal/columnar"
)

// npyBytesAtOnce is about how many bytes of rows are read together.
const npyBytesAtOnce = 1 << 20

// npyReader decodes rows of a structured array, which stand one behind the other.
type npyReader struct {
	columns []npyColumn
	values  []columnar.Values
}

// npyColumn decodes a column that was picked.
type npyColumn struct {
	npyField
	ints   []uint64
	floats []float64
	spans  []columnar.Span
	text   []byte
	null   []bool
}

// npy reads the header, and then rows.
func (r *reader) npy() error {
	in := bufio.NewReaderSize(r.in, 1<<16)
	h, err := readNPYHeader(in)
	if err != nil {
		return err
	}
	if h.row == 0 || h.rows < 0 || h.rows > (math.MaxInt64-h.bytes)/h.row || r.size != h.bytes+h.rows*h.row {
		return fmt.Errorf("%w: %d rows of %d bytes do not fill its %d bytes behind the header", ErrDamaged, h.rows, h.row, r.size-h.bytes)
	}
	list := make([]columnar.Column, len(h.fields))
	for i, f := range h.fields {
		list[i] = f.Column
	}
	picked, err := r.picked(list)
	if err != nil {
		return err
	}
	x := &npyReader{values: make([]columnar.Values, len(picked))}
	for _, i := range picked {
		x.columns = append(x.columns, npyColumn{npyField: h.fields[i]})
	}
	n := min(max(1, npyBytesAtOnce/h.row), rowsAtOnce)
	if need := 3 * n * h.row; need > r.limit { // as text, a character takes up to 4 bytes, as in the file
		return &MemoryError{need, fmt.Errorf("a row has %s, and there are %s of memory for rows", humanize.IBytes(uint64(h.row)), humanize.IBytes(uint64(r.limit)))}
	}
	rows := make([]byte, min(n, h.rows)*h.row)
	for first := int64(0); first < h.rows; first += n {
		rows = rows[:min(n, h.rows-first)*h.row]
		if _, err := io.ReadFull(in, rows); err != nil {
			return fmt.Errorf("row %d: %w", first, err)
		}
		if err := x.decode(rows, int(h.row), first); err != nil {
			return err
		}
		if err := r.give(first, len(rows)/int(h.row), x.values); err != nil {
			return err
		}
	}
	return nil
}

// decode makes values of rows.
func (x *npyReader) decode(rows []byte, row int, first int64) error {
	for i := range x.columns {
		c := &x.columns[i]
		c.ints, c.floats, c.spans, c.text, c.null = c.ints[:0], c.floats[:0], c.spans[:0], c.text[:0], c.null[:0]
		for at := 0; at < len(rows); at += row {
			if err := c.add(rows[at : at+row]); err != nil {
				return fmt.Errorf("row %d, field %q: %w", first+int64(at/row), c.Name, err)
			}
		}
		x.values[i] = c.all()
	}
	return nil
}

// all are the values that were added.
func (c *npyColumn) all() columnar.Values {
	v := columnar.Values{}
	switch c.Kind {
	case columnar.Int, columnar.Uint:
		v.Ints = c.ints
	case columnar.Float:
		v.Floats = c.floats
	default:
		v.Text = columnar.Strings{Data: c.text, Spans: c.spans}
	}
	if c.mask >= 0 {
		v.Null = c.null
	}
	return v
}

// add decodes the column of a row.
func (c *npyColumn) add(row []byte) error {
	if c.mask >= 0 {
		c.null = append(c.null, row[c.mask] != 0)
	}
	b := row[c.at : c.at+c.size]
	switch c.Kind {
	case columnar.Text:
		return c.addText(b)
	case columnar.Float:
		if c.size == 4 {
			c.floats = append(c.floats, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
		} else {
			c.floats = append(c.floats, math.Float64frombits(binary.LittleEndian.Uint64(b)))
		}
		return nil
	}
	var wide [8]byte
	copy(wide[:], b)
	x := binary.LittleEndian.Uint64(wide[:])
	if shift := 64 - 8*c.size; c.Kind == columnar.Int {
		x = uint64(int64(x<<shift) >> shift)
	}
	c.ints = append(c.ints, x)
	return nil
}

// addText decodes a string, which NULs fill up: bytes, or characters of 4 bytes.
func (c *npyColumn) addText(b []byte) error {
	from := len(c.text)
	if !c.wide {
		c.text = append(c.text, bytes.TrimRight(b, "\x00")...)
	} else {
		end := len(b)
		for end > 0 && binary.LittleEndian.Uint32(b[end-4:]) == 0 {
			end -= 4
		}
		for ; len(b) > 0 && end > 0; b, end = b[4:], end-4 {
			r := binary.LittleEndian.Uint32(b)
			if r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
				return fmt.Errorf("%w: %#x is no character", ErrDamaged, r)
			}
			c.text = utf8.AppendRune(c.text, rune(r))
		}
	}
	c.spans = append(c.spans, columnar.Span{From: uint32(from), To: uint32(len(c.text))})
	return nil
}
