// Package parquetread reads columns of Parquet files
// (https://parquet.apache.org/docs/file-format/): a few columns at the top level, many row
// groups at once, within a bound of memory. Whatever the bytes of a file are, they lead to
// an error at worst, and to no memory beyond what the pages take that are there.
package parquetread

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/internal/columnar"
)

// ErrDamaged is the cause of all errors of files that contradict themselves.
var ErrDamaged = errors.New("the file is damaged")

// ErrUnsupported is the cause of errors of files that are well, but not read.
var ErrUnsupported = errors.New("this is not read")

// Magic begins and ends a file.
const Magic = "PAR1"

const (
	encryptedMagic = "PARE"
	tailBytes      = 8       // of the footer: its length and the magic
	maxElements    = 1 << 16 // of a schema
)

// File is the directory of a Parquet file.
type File struct {
	Columns []columnar.Column // those of the top level
	Rows    int64
	Writer  string // created_by

	size    int64
	columns []column
	leaves  int        // of the schema, nested ones included
	groups  []rowGroup // those with rows
	bounds  []bounds   // of the columns that were picked
}

// column is what reading a column takes. Its index is that of File.Columns.
type column struct {
	leaf     int // -1: it is nested
	physical int64
	optional bool
}

type rowGroup struct {
	number int
	rows   int64
	chunks []chunk // of the columns that were picked
}

// chunk is a column of a row group.
type chunk struct {
	from, to int64 // bytes of the file
	codec    int32
}

// chunkHead is what a footer says of a chunk.
type chunkHead struct {
	chunk
	values   int64
	min, max []byte // statistics of numbers; nil: none
	problem  string // why it cannot be read
}

// Open reads the directory of a file of that size, if it takes no more than limit
// bytes, with the row groups of the columns that pick returns.
func Open(r io.ReaderAt, size, limit int64, pick func([]columnar.Column) ([]int, error)) (*File, []int, error) {
	b, err := readFooter(r, size, limit)
	if err != nil {
		return nil, nil, err
	}
	f := &File{size: size}
	var elements []element
	t := &thrift{b: b}
	t.fields(func(id int64, kind byte) bool {
		switch id {
		case 2:
			t.list(kind, func(i int, kind byte) {
				if elements = append(elements, t.element(kind)); i >= maxElements {
					t.fail(fmt.Errorf("%w: it has more than %d columns", ErrUnsupported, maxElements))
				}
			})
		case 3:
			f.Rows = t.integer(kind)
		case 6:
			f.Writer = string(t.binary(kind))
		default:
			return false
		}
		return true
	})
	if t.err == nil && f.Rows < 0 {
		t.err = fmt.Errorf("%w: %d rows", ErrDamaged, f.Rows)
	}
	if t.err == nil {
		t.err = f.schema(elements)
	}
	if t.err != nil {
		return nil, nil, fmt.Errorf("the footer: %w", t.err)
	}
	picked, err := pick(f.Columns)
	if err != nil {
		return nil, nil, err
	}
	if err := f.readGroups(b, picked); err != nil {
		return nil, nil, fmt.Errorf("the footer: %w", err)
	}
	return f, picked, nil
}

// readFooter reads the bytes of the directory.
func readFooter(r io.ReaderAt, size, limit int64) ([]byte, error) {
	if size < int64(len(Magic))+tailBytes {
		return nil, fmt.Errorf("%w: it has %d bytes, fewer than any Parquet file", ErrDamaged, size)
	}
	var tail [tailBytes]byte
	if err := readAt(r, tail[:], size-tailBytes); err != nil {
		return nil, err
	}
	switch string(tail[4:]) {
	case Magic:
	case encryptedMagic:
		return nil, fmt.Errorf("%w: the file is encrypted", ErrUnsupported)
	default:
		return nil, fmt.Errorf("%w: it does not end with %s, as if it was cut off or is still being written", ErrDamaged, Magic)
	}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	switch {
	case n > size-tailBytes-int64(len(Magic)):
		return nil, fmt.Errorf("%w: its footer is said to have %d bytes, and the file has %d", ErrDamaged, n, size)
	case n > limit:
		return nil, &NeedError{What: "the footer", Bytes: n, Limit: limit}
	}
	b := make([]byte, n)
	return b, readAt(r, b, size-tailBytes-n)
}

// readAt fills b.
func readAt(r io.ReaderAt, b []byte, at int64) error {
	n, err := r.ReadAt(b, at)
	switch {
	case n == len(b):
		return nil
	case err == io.EOF || err == nil:
		return fmt.Errorf("%w: it ends within what it refers to, at byte %d", ErrDamaged, at+int64(n))
	}
	return err
}

// NeedError: a part of a file takes more memory than there is for it.
type NeedError struct {
	What         string
	Bytes, Limit int64
}

func (e *NeedError) Error() string {
	return fmt.Sprintf("%s takes %s of memory, and there are %s for it", e.What, humanize.IBytes(uint64(e.Bytes)), humanize.IBytes(uint64(e.Limit)))
}

// readGroups reads the row groups, with the chunks of the columns that were picked.
func (f *File) readGroups(b []byte, picked []int) error {
	places := make(map[int][]int, len(picked)) // by leaf, those in chunks
	for i, p := range picked {
		leaf := f.columns[p].leaf
		places[leaf] = append(places[leaf], i)
	}
	f.bounds = make([]bounds, len(picked))
	rows := int64(0)
	t := &thrift{b: b}
	t.fields(func(id int64, kind byte) bool {
		if id != 4 {
			return false
		}
		t.list(kind, func(i int, kind byte) {
			g, heads := t.group(kind, places, len(picked), f.leaves)
			if t.err == nil {
				t.err = f.checkGroup(&g, heads, picked)
			}
			if t.err != nil {
				t.err = fmt.Errorf("row group %d: %w", i, t.err)
				return
			}
			if rows += g.rows; g.rows == 0 {
				return
			}
			g.number, g.chunks = i, make([]chunk, len(heads))
			for k := range heads {
				g.chunks[k] = heads[k].chunk
				f.bounds[k].join(&f.columns[picked[k]], f.Columns[picked[k]].Kind, &heads[k])
			}
			f.groups = append(f.groups, g)
		})
		return true
	})
	if t.err == nil && rows != f.Rows {
		t.err = fmt.Errorf("%w: %d rows, and %d in its row groups", ErrDamaged, f.Rows, rows)
	}
	return t.err
}

// group reads the description of a row group: the chunks that stand at certain places.
func (t *thrift) group(kind byte, places map[int][]int, picked, leaves int) (rowGroup, []chunkHead) {
	var g rowGroup
	heads, found := make([]chunkHead, picked), 0
	t.structure(kind, func(id int64, kind byte) bool {
		switch id {
		case 1:
			t.list(kind, func(leaf int, kind byte) {
				found++
				wanted := places[leaf]
				if wanted == nil {
					t.skipElement(kind)
					return
				}
				c := t.chunk(kind)
				for _, p := range wanted {
					heads[p] = c
				}
			})
		case 3:
			g.rows = t.integer(kind)
		default:
			return false
		}
		return true
	})
	if t.err == nil && found != leaves {
		t.err = fmt.Errorf("%w: it has %d columns, and the schema %d", ErrDamaged, found, leaves)
	}
	return g, heads
}

// checkGroup compares what a row group says of itself with the file.
func (f *File) checkGroup(g *rowGroup, heads []chunkHead, picked []int) error {
	if g.rows < 0 || g.rows > f.Rows {
		return fmt.Errorf("%w: %d rows of %d", ErrDamaged, g.rows, f.Rows)
	}
	for i := range heads {
		c, name := &heads[i], f.Columns[picked[i]].Name
		switch {
		case c.problem != "":
			return fmt.Errorf("%w: column %q %s", ErrUnsupported, name, c.problem)
		case c.values != g.rows:
			return fmt.Errorf("%w: column %q has %d values in %d rows", ErrDamaged, name, c.values, g.rows)
		case c.from < 0 || c.to < c.from || c.to > f.size-tailBytes:
			return fmt.Errorf("%w: column %q is said to be at bytes %d to %d of %d", ErrDamaged, name, c.from, c.to, f.size)
		}
	}
	return nil
}

// chunk reads the description of a column of a row group.
func (t *thrift) chunk(kind byte) chunkHead {
	var c chunkHead
	var dictionary, data, bytes int64
	t.structure(kind, func(id int64, kind byte) bool {
		switch id {
		case 1:
			if path := t.binary(kind); len(path) > 0 {
				c.problem = fmt.Sprintf("is in another file, %q", path)
			}
		case 8, 9:
			c.problem = "is encrypted"
			return false
		case 3:
			t.structure(kind, func(id int64, kind byte) bool {
				switch id {
				case 4:
					c.codec = int32(t.integer(kind))
				case 5:
					c.values = t.integer(kind)
				case 7:
					bytes = t.integer(kind)
				case 9:
					data = t.integer(kind)
				case 11:
					dictionary = t.integer(kind)
				case 12:
					t.statistics(kind, &c)
				default:
					return false
				}
				return true
			})
		default:
			return false
		}
		return true
	})
	c.from = data
	if dictionary > 0 && dictionary < data {
		c.from = dictionary
	}
	if bytes >= 0 && c.from <= math.MaxInt64-bytes {
		c.to = c.from + bytes
	}
	return c
}

// statistics reads the least and the largest value, where they are numbers.
func (t *thrift) statistics(kind byte, c *chunkHead) {
	t.structure(kind, func(id int64, kind byte) bool {
		if id != 5 && id != 6 {
			return false
		}
		if id == 5 {
			c.max = t.binary(kind)
		} else {
			c.min = t.binary(kind)
		}
		return true
	})
}
