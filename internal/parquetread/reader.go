package parquetread

import (
	"fmt"
	"hash/crc32"
	"io"

	"github.com/garaph/garaph/internal/columnar"
)

// Reader reads the rows of one task after the other. It keeps its buffers, unless
// Free is called.
type Reader struct {
	r      io.ReaderAt
	task   *Task
	row    int64 // of the task
	cursor []cursor
	values []columnar.Values
}

// Start begins to read a task.
func (x *Reader) Start(r io.ReaderAt, t *Task) {
	x.r, x.task, x.row = r, t, 0
	for len(x.cursor) < len(t.columns) {
		x.cursor = append(x.cursor, cursor{})
	}
	x.cursor = x.cursor[:len(t.columns)]
	x.values = make([]columnar.Values, len(t.columns))
	for i := range x.cursor {
		x.cursor[i].start(t, i)
	}
}

// Free lets all buffers go.
func (x *Reader) Free() { *x = Reader{} }

// Next returns the next rows, most at most, of all columns. They are valid until Next
// is called again. After the last ones it returns io.EOF.
func (x *Reader) Next(most int) ([]columnar.Values, int, error) {
	if x.row == x.task.Rows {
		return nil, 0, io.EOF
	}
	n := int(min(int64(most), x.task.Rows-x.row))
	for i := range x.cursor {
		c := &x.cursor[i]
		if c.at == c.rows {
			p := c.pages[c.next].at
			if err := c.load(x.r, x.task.First+x.row); err != nil {
				return nil, 0, x.task.file.placed(x.task.Group, x.task.columns[i].number, p, err)
			}
		}
		n = min(n, c.rows-c.at)
	}
	for i := range x.cursor {
		c := &x.cursor[i]
		x.values[i] = c.values.Slice(c.at, c.at+n)
		c.at += n
	}
	x.row += int64(n)
	return x.values, n, nil
}

// cursor is where a column is being read.
type cursor struct {
	column column
	kind   columnar.Kind
	taskColumn
	expanded int64
	next     int // page

	values columnar.Values // of the page before it
	rows   int             // in values
	at     int             // the first of these that was not returned

	dictionaryOf *File // whose dictionary is in words or text, of the page at dictionaryAt
	dictionaryAt int64
	words        []uint64
	text         columnar.Strings

	buffers
}

// buffers are used for one page after the other.
type buffers struct {
	stored, unpacked, dictionaryBytes []byte
	ints                              []uint64
	floats                            []float64
	spans                             []columnar.Span
	index                             []uint32
	null                              []bool
	lengths                           [2][]uint64
	expandedText                      []byte
}

func (c *cursor) start(t *Task, i int) {
	c.taskColumn = t.columns[i]
	c.column, c.kind, c.expanded = t.file.columns[c.number], t.file.Columns[c.number].Kind, t.expanded
	c.next, c.rows, c.at, c.values = 0, 0, 0, columnar.Values{}
	if c.dictionaryOf != t.file {
		c.dictionaryOf, c.dictionaryAt = t.file, -1
	}
}

// grown is a slice of n elements, with b's memory where that is enough.
func grown[T any](b *[]T, n int) []T {
	if cap(*b) < n {
		*b = make([]T, n)
	}
	return (*b)[:n]
}

// load reads the next page, which has a certain row of the row group.
func (c *cursor) load(r io.ReaderAt, row int64) error {
	if c.dictionary.kind == dictionaryPage && c.dictionaryAt != c.dictionary.at {
		c.dictionaryAt = -1
		if err := c.loadDictionary(r); err != nil {
			return fmt.Errorf("its dictionary: %w", err)
		}
		c.dictionaryAt = c.dictionary.at
	}
	p := &c.pages[c.next]
	c.next++
	stored, err := c.readStored(r, p, &c.stored)
	if err != nil {
		return err
	}
	levels, body, err := c.unpackPage(p, stored)
	if err != nil {
		return err
	}
	present, err := c.nulls(p.values, levels)
	if err != nil {
		return err
	}
	if err := c.decode(p, body, present); err != nil {
		return err
	}
	c.rows, c.at = p.values, int(row-p.first)
	return nil
}

// readStored reads the bytes of a page.
func (c *cursor) readStored(r io.ReaderAt, p *page, buf *[]byte) ([]byte, error) {
	b := grown(buf, p.stored)
	if err := readAt(r, b, p.at); err != nil {
		return nil, err
	}
	if p.checked && crc32.ChecksumIEEE(b) != p.crc {
		return nil, fmt.Errorf("%w: its bytes do not have the checksum in its header", ErrDamaged)
	}
	return b, nil
}

// unpackPage returns the definition levels of a page, and its values.
func (c *cursor) unpackPage(p *page, stored []byte) (levels, values []byte, err error) {
	if p.kind == dataPageV2 {
		if p.levels > min(p.stored, p.unpacked) {
			return nil, nil, fmt.Errorf("%w: levels of %d bytes in a page of %d", ErrDamaged, p.levels, p.stored)
		}
		levels, stored = stored[:p.levels], stored[p.levels:]
		if p.plain || c.codec == codecNone || len(stored) == 0 {
			return levels, stored, nil
		}
		values = grown(&c.unpacked, p.unpacked-p.levels)
		return levels, values, unpack(c.codec, values, stored)
	}
	values = stored
	if c.codec != codecNone {
		values = grown(&c.unpacked, p.unpacked)
		if err := unpack(c.codec, values, stored); err != nil {
			return nil, nil, err
		}
	}
	if !c.column.optional {
		return nil, values, nil
	}
	if len(values) < 4 {
		return nil, nil, fmt.Errorf("%w: it ends within its levels", ErrDamaged)
	}
	n := uint64(values[0]) | uint64(values[1])<<8 | uint64(values[2])<<16 | uint64(values[3])<<24
	if values = values[4:]; n > uint64(len(values)) {
		return nil, nil, fmt.Errorf("%w: it ends within its levels", ErrDamaged)
	}
	return values[:n], values[n:], nil
}

// nulls reads definition levels, and returns how many values are not null.
func (c *cursor) nulls(n int, levels []byte) (int, error) {
	c.values.Null = nil
	if !c.column.optional {
		return n, nil
	}
	defined := grown(&c.index, n)
	if err := hybrid(defined, levels, 1); err != nil {
		return 0, fmt.Errorf("its levels: %w", err)
	}
	present := 0
	for _, d := range defined {
		present += int(d)
	}
	if present == n {
		return n, nil
	}
	c.values.Null = grown(&c.null, n)
	for i, d := range defined {
		c.values.Null[i] = d == 0
	}
	return present, nil
}
