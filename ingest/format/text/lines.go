package text

import (
	"bytes"
	"cmp"
	"fmt"
	"io"

	"github.com/garaph/garaph/ingest/read"
)

// lineBody reads the lines behind the header of a text input: it cuts blocks at
// line ends, and parses them line by line.
type lineBody struct {
	layout  Layout
	skipBad bool
}

// Feed cuts r into blocks of whole lines.
func (t *lineBody) Feed(f *read.Feed, plan *read.Plan, r io.Reader) error {
	buf, err := f.Pool.Get(f.Ctx)
	if err != nil {
		return err
	}
	held := 0 // bytes at the start of buf: the beginning of a line
	for {
		n, readErr := read.Full(r, buf[held:])
		n += held
		cut := 0
		if i := bytes.LastIndexByte(buf[held:n], '\n'); i >= 0 {
			cut = held + i + 1
		}
		switch {
		case readErr == io.EOF:
			return f.Emit(&read.Block{Plan: plan, Data: buf[:n]})
		case readErr != nil:
			if err := f.Emit(&read.Block{Plan: plan, Data: buf[:cut]}); err != nil {
				return err
			}
			return readErr
		case cut == 0:
			if buf, err = grownForLine(plan, buf); err != nil {
				return err
			}
			held = n
			continue
		}
		rest := buf[cut:n]
		next, err := f.Pool.Get(f.Ctx)
		if err != nil {
			return err
		}
		if len(rest) >= len(next) { // buf had been grown
			next = make([]byte, len(buf)+read.Padding)[:len(buf)]
		}
		held = copy(next, rest)
		if err := f.Emit(&read.Block{Plan: plan, Data: buf[:cut]}); err != nil {
			return err
		}
		buf = next
	}
}

// grownForLine makes room for a line that fills buf.
func grownForLine(plan *read.Plan, buf []byte) ([]byte, error) {
	if len(buf) == read.MaxLine {
		return nil, &read.SyntaxError{
			File: plan.Name(), Line: 1, Text: read.Shown(buf),
			Expected: fmt.Sprintf("lines of at most %d MiB", read.MaxLine>>20),
		}
	}
	size := min(2*len(buf), read.MaxLine)
	grown := make([]byte, size+read.Padding)[:size]
	copy(grown, buf)
	return grown, nil
}

// Parse parses one block. A bad line is an error with its number inside the
// block, unless bad lines are passed over.
func (t *lineBody) Parse(b *read.Block, w *read.Parser) error {
	l, batch := &t.layout, w.Batch
	data, n := b.Padded(), len(b.Data)
	fast := !l.names && (l.IDs != read.IDString || !l.bounded)
	plain := l.plain
	plain.quotes = plain.rest && bytes.IndexByte(b.Data, '"') >= 0
	for p := 0; p < n; {
		if batch.Full() {
			if err := batch.Flush(); err != nil {
				return err
			}
		}
		if fast {
			next, taken := plain.parse(data, p, n, batch)
			batch.N += taken
			w.Lines += int64(taken)
			if p = next; p == n || batch.Full() {
				continue
			}
		}
		end := n
		if i := bytes.IndexByte(data[p:n], '\n'); i >= 0 {
			end = p + i + 1
		}
		if err := t.parseGeneral(data[p:end], b, w); err != nil {
			return err
		}
		w.Lines++
		p = end
	}
	if l.IDs == read.IDString || l.names {
		return batch.Flush() // names are in the block, which will be recycled
	}
	return nil
}

// parse takes as many plain lines as there are and as the batch can hold.
func (f *plainLines) parse(data []byte, p, n int, batch *read.Batch) (int, int) {
	if batch.SrcNames != nil {
		return f.named(data, p, n, batch.SrcNames[batch.N:], batch.DstNames[batch.N:], batch.FreeWeight())
	}
	return f.edges(data, p, n, batch.Src[batch.N:], batch.Dst[batch.N:], batch.FreeWeight())
}

// parseGeneral takes one line of any form.
func (t *lineBody) parseGeneral(raw []byte, b *read.Block, w *read.Parser) error {
	line, ok := t.layout.data(raw)
	if !ok {
		return nil
	}
	bad := t.layout.parseLine(line, &w.Edge)
	if bad == nil {
		w.Batch.Add(&w.Edge, t.layout.IDs)
		return nil
	}
	err := &read.SyntaxError{
		File: b.Plan.Name(), Line: w.Lines + 1,
		Text: read.Shown(bad.Text), Expected: bad.Expected, Advice: cmp.Or(bad.Advice, read.AdviceSkip),
	}
	switch {
	case bad.Expected == openQuote: // the next line is the rest of the quoted id: skipping would make an edge of it
		err.Advice = "a field ends on its line"
		return err
	case t.skipBad:
		w.NoteBad(err, b)
		return nil
	}
	return err
}
