package results

import (
	"errors"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
)

const (
	// partRows are encoded at once by one goroutine: as many as a shard of the default size has.
	partRows = 12288
	// mostEncoders bounds the memory of parts; more than these, no disk keeps up with.
	mostEncoders = 8
)

// encodeRows appends rows [from, to) of a batch. Goroutines call it at once.
type encodeRows func(dst []byte, b *Batch, from, to int) ([]byte, error)

// writeRows writes head and all rows of t, in their order. Rows are encoded by several
// goroutines, but for those with names, whose memory is the table's.
func writeRows(w io.Writer, t Table, head []byte, encode encodeRows) error {
	if t.Filler() != nil || runtime.GOMAXPROCS(0) > 1 && t.IDKind() != IDString {
		return writeParts(w, t, head, partRows, encode)
	}
	buf := append(make([]byte, 0, textBuffer+4096), head...)
	step := 1 // names may be long
	if t.IDKind() != IDString {
		step = 256
	}
	flush := func() error {
		_, err := w.Write(buf)
		buf = buf[:0]
		return err
	}
	err := eachBatch(t, func(b *Batch, rows int) error {
		var err error
		for i := 0; i < rows; i += step {
			if buf, err = encode(buf, b, i, min(rows, i+step)); err != nil {
				return err
			}
			if len(buf) >= textBuffer {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return flush()
}

// errUnwritten ends a table of which no more can be written; it never leaves the package.
var errUnwritten = errors.New("no more rows can be written")

// writeParts is like writeRows, with goroutines: several encode parts of rows, and one writes
// them. Where the table has a filler, they also fill the parts, and else the caller's goroutine does,
// with copies of rows.
func writeParts(w io.Writer, t Table, head []byte, rows int, encode encodeRows) error {
	threads := min(runtime.GOMAXPROCS(0), mostEncoders)
	free := make(chan *part, 2*threads)
	for range cap(free) {
		free <- &part{ready: make(chan struct{}, 1)}
	}
	toEncode, toWrite := make(chan *part, cap(free)), make(chan *part, cap(free))
	var encoders sync.WaitGroup
	for range threads {
		fill := t.Filler() // of this goroutine
		encoders.Go(func() {
			for p := range toEncode {
				if p.err = p.fill(t, fill); p.err == nil {
					p.text, p.err = encode(p.text, &p.batch, 0, p.rows)
				}
				p.ready <- struct{}{}
			}
		})
	}
	var failed atomic.Bool
	written := make(chan error, 1)
	go func() {
		_, err := w.Write(head)
		for p := range toWrite {
			<-p.ready
			if err == nil {
				err = p.err
			}
			if err == nil {
				_, err = w.Write(p.text)
			}
			failed.Store(err != nil)
			free <- p
		}
		written <- err
	}()
	each := eachPart
	if t.Filler() != nil {
		each = eachRange
	}
	err := each(t, rows, free, func(p *part) error {
		toEncode <- p // there is room for all parts
		toWrite <- p
		if failed.Load() {
			return errUnwritten
		}
		return nil
	})
	close(toEncode)
	close(toWrite)
	encoders.Wait()
	if failed := <-written; failed != nil {
		return failed
	}
	return err
}

// eachRange divides all rows of t into parts that are to be filled.
func eachRange(t Table, rows int, free <-chan *part, yield func(*part) error) error {
	for from := int64(0); from < t.Rows(); from += int64(rows) {
		p := <-free
		p.empty()
		p.from, p.rows = from, int(min(int64(rows), t.Rows()-from))
		if err := yield(p); err != nil {
			return err
		}
	}
	return nil
}

// eachPart fills parts with all rows of t.
func eachPart(t Table, rows int, free <-chan *part, yield func(*part) error) error {
	var p *part
	err := eachBatch(t, func(b *Batch, n int) error {
		for from := 0; from < n; {
			if p == nil {
				p = <-free
				p.empty()
			}
			to := min(n, from+rows-p.rows)
			p.add(b, from, to)
			if from = to; p.rows < rows {
				continue
			}
			full := p
			p = nil
			if err := yield(full); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && p != nil {
		err = yield(p)
	}
	return err
}

// part is some rows, and then their text.
type part struct {
	batch Batch
	from  int64 // the first row, where there is a filler
	rows  int
	text  []byte
	err   error
	ready chan struct{} // text and err are there
}

func (p *part) empty() {
	p.batch.IDs.Empty()
	for i := range p.batch.Columns {
		p.batch.Columns[i].Empty()
	}
	p.rows, p.text, p.err = 0, p.text[:0], nil
}

// fill gets the rows, if they are not there yet.
func (p *part) fill(t Table, fill Fill) error {
	if fill == nil {
		return nil
	}
	for len(p.batch.Columns) < len(t.Columns()) {
		p.batch.Columns = append(p.batch.Columns, Values{})
	}
	return fill(&p.batch, p.from, p.from+int64(p.rows))
}

// add copies rows of a batch without names.
func (p *part) add(b *Batch, from, to int) {
	appendIDs(&p.batch.IDs, &b.IDs, from, to)
	for len(p.batch.Columns) < len(b.Columns) {
		p.batch.Columns = append(p.batch.Columns, Values{})
	}
	for i := range b.Columns {
		dst, src := &p.batch.Columns[i], &b.Columns[i]
		appendIDs(&dst.V, &src.V, from, to)
		appendRows(&dst.F32, src.F32, from, to)
		appendRows(&dst.F64, src.F64, from, to)
		appendRows(&dst.I64, src.I64, from, to)
		var null []bool
		if len(src.Null) > 0 {
			null = src.Null[from:to]
		}
		dst.AddNulls(null, p.rows, to-from)
	}
	p.rows += to - from
}

// AddNulls appends which of n rows are null, none if null is empty, behind a number of others.
func (v *Values) AddNulls(null []bool, rows, n int) {
	if len(null) == 0 && len(v.Null) == 0 {
		return
	}
	for len(v.Null) < rows { // none of these was
		v.Null = append(v.Null, false)
	}
	v.Null = append(v.Null, null...)
	for len(v.Null) < rows+n {
		v.Null = append(v.Null, false)
	}
}

func appendIDs(dst, ids *IDs, from, to int) {
	appendRows(&dst.Ints, ids.Ints, from, to)
	appendRows(&dst.Uints, ids.Uints, from, to)
}

// appendRows copies the rows of a column that the batch has.
func appendRows[T any](dst *[]T, column []T, from, to int) {
	if len(column) > 0 {
		*dst = append(*dst, column[from:to]...)
	}
}
