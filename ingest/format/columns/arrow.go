package columns

import (
	"bytes"
	"fmt"
	"io"

	"github.com/garaph/garaph/ingest/read"
	cols "github.com/garaph/garaph/internal/columns"
)

// arrowBody reads Arrow IPC: streams from their beginning to their end, files by their directory,
// or, where they are compressed or come from a pipe, as the stream that is in them. The goroutine
// that feeds reads record batches and unpacks them; those that parse decode rows.
type arrowBody struct {
	rowBody
	inFile bool
}

// arrowRows is the number of rows of a record batch one goroutine gets at once.
const arrowRows = 1 << 16

// isArrow recognises files by their magic, and streams by the mark before the first message.
func isArrow(b []byte) bool {
	return isArrowFile(b) || bytes.HasPrefix(b, []byte("\xff\xff\xff\xff")) && len(b) > 8 && b[7] == 0 && b[4]|b[5] != 0
}

func isArrowFile(b []byte) bool { return bytes.HasPrefix(b, []byte(cols.ArrowMagic)) }

// planArrow reads the schema.
func planArrow(p *read.Plan, h *read.Head, o read.Options) error {
	t := &arrowBody{inFile: isArrowFile(h.Bytes)}
	if bytes.HasPrefix(h.Bytes, []byte("FEA1")) {
		return p.Refused("is a file of Feather version 1, which cannot be read", "write it as version 2")
	}
	memory := cols.NewMemory(o.RowBytes)
	var r *cols.Arrow
	var err error
	if t.inFile && h.Input.OpenAt != nil && h.Stream.Packed == "" {
		var in io.Closer
		if r, in, err = openArrowFile(h.Input, memory); err == nil {
			defer in.Close()
		}
	} else {
		if t.inFile {
			p.SkipBytes = int64(len(cols.ArrowMagic))
		}
		for more := true; more; more = err != nil && h.More() {
			r, err = cols.OpenArrow(bytes.NewReader(h.Bytes[p.SkipBytes:]), memory)
		}
	}
	if err != nil {
		return columnsError(p.Name(), err)
	}
	if t.pickedColumns, err = pickEdges(p.Name(), r.Columns, o); err != nil {
		return err
	}
	t.plan(p, o)
	p.Body = t
	if t.inFile && p.SkipBytes == 0 {
		p.Body = &arrowFileBody{t}
	}
	return nil
}

// openArrowFile opens a file by its directory.
func openArrowFile(file *read.Input, m *cols.Memory) (*cols.Arrow, io.Closer, error) {
	in, err := file.OpenAt()
	if err != nil {
		return nil, nil, err
	}
	r, err := cols.OpenArrowFile(in, file.Size, m)
	if err != nil {
		_ = in.Close() // it was only read
	}
	return r, in, err
}

// arrowFileBody reads a file by its directory.
type arrowFileBody struct{ *arrowBody }

// FeedRows implements the row feeder of package read.
func (t *arrowFileBody) FeedRows(f *read.Feed, plan *read.Plan) error {
	r, in, err := openArrowFile(plan.Input, f.Memory)
	if err != nil {
		return columnsError(plan.Name(), err)
	}
	defer in.Close()
	if err := t.batches(f, plan, r); err != nil {
		return err
	}
	f.Progress.Done += plan.Input.Size
	return nil
}

// Feed implements the stream body of package read.
func (t *arrowBody) Feed(f *read.Feed, plan *read.Plan, in io.Reader) error {
	r, err := cols.OpenArrow(in, f.Memory)
	if err != nil {
		return columnsError(plan.Name(), err)
	}
	if err := t.batches(f, plan, r); err != nil {
		return err
	}
	if err := r.End(in, t.inFile); err != nil {
		return columnsError(plan.Name(), err)
	}
	return nil
}

// batches hands out the rows of all record batches.
func (t *arrowBody) batches(f *read.Feed, plan *read.Plan, r *cols.Arrow) error {
	r.Pick(t.at)
	for first := int64(0); ; {
		b, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return columnsError(plan.Name(), err)
		}
		for from := 0; from < b.Rows && err == nil; from += arrowRows {
			b.Retain()
			task := &arrowTask{batch: b, from: from, to: min(b.Rows, from+arrowRows), first: first, name: plan.Name()}
			err = f.EmitRows(&read.Block{Plan: plan, Rows: task, Release: b.Release})
		}
		b.Release()
		if err != nil {
			return err
		}
		first += int64(b.Rows)
	}
}

// arrowTask is rows of a record batch.
type arrowTask struct {
	batch    *cols.Batch
	from, to int
	first    int64 // row of the input with which the batch begins
	name     string
}

func (t *arrowTask) place(i int64) string {
	return fmt.Sprintf("row %d (from 0)", t.first+int64(t.from)+i)
}

// read implements [rowTask].
func (t *arrowTask) read(r *rowReader, deliver func(v []cols.Values, n int) error) error {
	for from := t.from; from < t.to; from += read.BatchSize {
		to := min(t.to, from+read.BatchSize)
		v, err := t.batch.Values(from, to, &r.arrow)
		if err != nil {
			return columnsError(t.name, err)
		}
		if err := deliver(v, to-from); err != nil {
			return err
		}
	}
	return nil
}
