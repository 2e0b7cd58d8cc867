package results

import (
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
// goroutines where the table has a filler.
func writeRows(w io.Writer, t Table, head []byte, encode encodeRows) error {
	if t.Filler() != nil {
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

// writeParts is like writeRows, with goroutines: several fill and encode parts of rows, and one writes
// them.
func writeParts(w io.Writer, t Table, head []byte, rows int, encode encodeRows) error {
	threads := min(runtime.GOMAXPROCS(0), mostEncoders)
	free := make(chan *part, 2*threads)
	for range cap(free) {
		free <- &part{ready: make(chan struct{}, 1), batch: Batch{Columns: make([]Values, len(t.Columns()))}}
	}
	toEncode, toWrite := make(chan *part, cap(free)), make(chan *part, cap(free))
	var encoders sync.WaitGroup
	for range threads {
		fill := t.Filler() // of this goroutine
		encoders.Go(func() {
			for p := range toEncode {
				if p.err = fill(&p.batch, p.from, p.from+int64(p.rows)); p.err == nil {
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
	for from := int64(0); from < t.Rows() && !failed.Load(); from += int64(rows) {
		p := <-free
		p.empty()
		p.from, p.rows = from, int(min(int64(rows), t.Rows()-from))
		toEncode <- p // there is room for all parts
		toWrite <- p
	}
	close(toEncode)
	close(toWrite)
	encoders.Wait()
	return <-written
}

// part is some rows, and then their text.
type part struct {
	batch Batch
	from  int64 // the first row
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
