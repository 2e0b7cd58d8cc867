package parquetread

import (
	"fmt"
	"io"

	"github.com/garaph/garaph/internal/columnar"
)

// Task is a run of rows within a row group, for one goroutine. It ends with a page of the
// first column; pages of others that go on beyond are read for the next task again.
type Task struct {
	Group    int   // its number
	First    int64 // the number of its first row, in the row group
	FileRow  int64 // and in the file
	Rows     int64
	Need     int64 // bytes of memory that it takes, at most
	Stored   int64 // bytes of its pages in the file
	file     *File
	columns  []taskColumn
	expanded int64 // bytes that strings with common prefixes may have when written out
}

// taskColumn are the pages of a column that have rows of a task.
type taskColumn struct {
	number     int // of the column, in File.Columns
	codec      int32
	pages      []page
	dictionary page // with kind dictionaryPage, where there is one
}

const (
	// taskRows is about how many rows a task has: many times what starting one costs, and few
	// enough that several goroutines have some of one row group.
	taskRows = 1 << 17
	// maxPages bounds the pages of a task's column.
	maxPages = 1 << 16
	// expandedShare is the part of the limit of a task that strings with common prefixes may take.
	expandedShare = 4
)

// Tasks cuts the file into tasks, and calls emit for each, in order. A task that takes
// more memory than limit is an error.
func (f *File) Tasks(r io.ReaderAt, picked []int, limit int64, emit func(*Task) error) error {
	row := int64(0)
	for i := range f.groups {
		g := &f.groups[i]
		if err := f.groupTasks(r, g, picked, row, limit, emit); err != nil {
			return err
		}
		row += g.rows
	}
	return nil
}

func (f *File) groupTasks(r io.ReaderAt, g *rowGroup, picked []int, row, limit int64, emit func(*Task) error) error {
	walks := make([]walk, len(picked))
	for i, c := range g.chunks {
		walks[i] = walk{r: r, chunk: c, at: c.from, rows: g.rows}
	}
	for from := int64(0); from < g.rows; {
		t := &Task{Group: g.number, First: from, FileRow: row + from, file: f, expanded: limit / expandedShare}
		until := min(from+taskRows, g.rows)
		for i := range walks {
			w := &walks[i]
			if err := w.collect(from, until); err != nil {
				return f.placed(g.number, picked[i], w.at, err)
			}
			if i == 0 {
				until = w.row
			}
			c := taskColumn{number: picked[i], codec: w.chunk.codec, pages: append([]page(nil), w.pages...), dictionary: w.dictionary}
			t.Need += c.need(f.columns[c.number], f.Columns[c.number].Kind, t.expanded)
			for _, p := range c.pages {
				t.Stored += int64(p.stored)
			}
			t.columns = append(t.columns, c)
		}
		t.Rows = until - from
		if t.Need > limit {
			return fmt.Errorf("row group %d: %w", g.number, &NeedError{What: "a page of each of its columns", Bytes: t.Need, Limit: limit})
		}
		if err := emit(t); err != nil {
			return err
		}
		from = until
	}
	return nil
}

// placed says where in a file an error is.
func (f *File) placed(group, column int, at int64, err error) error {
	return fmt.Errorf("row group %d, column %q, page at byte %d: %w", group, f.Columns[column].Name, at, err)
}

// need is how much memory a column takes: its largest page, and its dictionary.
func (c *taskColumn) need(col column, k columnar.Kind, expanded int64) int64 {
	perValue := int64(8 + 4 + 1)
	if k == columnar.Float {
		perValue += 8
	}
	size := func(p page) int64 {
		n := int64(p.unpacked) + perValue*int64(p.values)
		if c.codec != codecNone {
			n += int64(p.stored)
		}
		if p.encoding == encodingDeltaBytes {
			n += expanded + 16*int64(p.values)
		}
		return n
	}
	most := int64(0)
	for _, p := range c.pages {
		most = max(most, size(p))
	}
	if c.dictionary.kind == dictionaryPage {
		most += size(c.dictionary)
	}
	return most
}

// walk goes from page to page of a chunk.
type walk struct {
	r          io.ReaderAt
	chunk      chunk
	rows       int64 // of the row group
	at         int64 // of the next page
	row        int64 // of its first value
	dictionary page
	pages      []page // collected ones
	buf        []byte
}

// collect makes pages those with rows from one up to another, or up to where the last
// of these pages ends.
func (w *walk) collect(from, until int64) error {
	kept := w.pages[:0]
	for _, p := range w.pages {
		if p.first+int64(p.values) > from {
			kept = append(kept, p)
		}
	}
	w.pages = kept
	for w.row < until {
		if w.at >= w.chunk.to {
			return fmt.Errorf("%w: the column ends with %d of %d rows", ErrDamaged, w.row, w.rows)
		}
		p, err := readHead(w.r, w.at, w.chunk.to, &w.buf)
		if err != nil {
			return err
		}
		switch p.kind {
		case dictionaryPage:
			if w.row > 0 || w.dictionary.kind == dictionaryPage {
				return fmt.Errorf("%w: a dictionary behind the values", ErrDamaged)
			}
			w.dictionary = p
		case dataPage, dataPageV2:
			if int64(p.values) > w.rows-w.row {
				return fmt.Errorf("%w: it has %d values, and %d rows are left", ErrDamaged, p.values, w.rows-w.row)
			}
			if len(w.pages) == maxPages {
				return fmt.Errorf("%w: more than %d pages for %d rows", ErrUnsupported, maxPages, w.row-from)
			}
			if p.first = w.row; p.values > 0 {
				w.pages = append(w.pages, p)
			}
			w.row += int64(p.values)
		}
		w.at = p.at + int64(p.stored)
	}
	return nil
}
