package ingest

import (
	"bytes"
	"fmt"
	"io"
)

// lineBody reads what follows the header of a text input: it cuts blocks at
// line ends, and parses them line by line.
type lineBody struct {
	layout  lineLayout
	skipBad bool
}

// feed cuts r into blocks of whole lines.
func (t *lineBody) feed(f *blockFeed, plan *inputPlan, r io.Reader) error {
	buf, err := f.pool.get(f.ctx)
	if err != nil {
		return err
	}
	held := 0 // bytes at the start of buf: the beginning of a line
	for {
		n, readErr := readFull(r, buf[held:])
		n += held
		cut := 0
		if i := bytes.LastIndexByte(buf[held:n], '\n'); i >= 0 {
			cut = held + i + 1
		}
		switch {
		case readErr == io.EOF:
			return f.emit(&readBlock{plan: plan, data: buf[:n]})
		case readErr != nil:
			if err := f.emit(&readBlock{plan: plan, data: buf[:cut]}); err != nil {
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
		next, err := f.pool.get(f.ctx)
		if err != nil {
			return err
		}
		if len(rest) >= len(next) { // buf had been grown
			next = make([]byte, len(buf)+blockPad)[:len(buf)]
		}
		held = copy(next, rest)
		if err := f.emit(&readBlock{plan: plan, data: buf[:cut]}); err != nil {
			return err
		}
		buf = next
	}
}

// grownForLine makes room for a line that fills buf.
func grownForLine(plan *inputPlan, buf []byte) ([]byte, error) {
	if len(buf) == maxLine {
		return nil, &SyntaxError{
			File: plan.name(), Line: 1, Text: shown(buf),
			Expected: fmt.Sprintf("lines of at most %d MiB", maxLine>>20),
		}
	}
	size := min(2*len(buf), maxLine)
	grown := make([]byte, size+blockPad)[:size]
	copy(grown, buf)
	return grown, nil
}

// parse parses one block. A bad line is an error with its number inside the
// block, unless bad lines are passed over.
func (t *lineBody) parse(b *readBlock, w *parseWorker) error {
	l, batch := &t.layout, w.batch
	data, n := b.padded(), len(b.data)
	fast := !l.names && (l.ids != IDString || !l.bounded)
	plain := l.plain
	plain.quotes = plain.rest && bytes.IndexByte(b.data, '"') >= 0
	for p := 0; p < n; {
		if batch.full() {
			if err := batch.flush(); err != nil {
				return err
			}
		}
		if fast {
			next, taken := plain.parse(data, p, n, batch)
			batch.n += taken
			w.lines += int64(taken)
			if p = next; p == n || batch.full() {
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
		w.lines++
		p = end
	}
	if l.ids == IDString || l.names {
		return batch.flush() // names are in the block, which will be recycled
	}
	return nil
}

// parse takes as many plain lines as there are and as the batch can hold.
func (f *plainLines) parse(data []byte, p, n int, batch *edgeBatch) (int, int) {
	if batch.srcNames != nil {
		return f.named(data, p, n, batch.srcNames[batch.n:], batch.dstNames[batch.n:], batch.freeWeight())
	}
	return f.edges(data, p, n, batch.src[batch.n:], batch.dst[batch.n:], batch.freeWeight())
}

// parseGeneral takes one line of any form.
func (t *lineBody) parseGeneral(raw []byte, b *readBlock, w *parseWorker) error {
	line, ok := t.layout.data(raw)
	if !ok {
		return nil
	}
	bad := t.layout.parseLine(line, &w.edge)
	if bad == nil {
		w.noteSigns(&w.edge, b)
		w.batch.add(&w.edge, t.layout.ids)
		return nil
	}
	err := &SyntaxError{
		File: b.plan.name(), Line: w.lines + 1,
		Text: shown(bad.text), Expected: bad.expected, Advice: withSkipAdvice(bad.advice),
	}
	switch {
	case bad.expected == openQuote: // what is behind it on the next line is no edge: skipping would make one of it
		err.Advice = "a field ends on its line"
		return err
	case t.skipBad:
		w.noteBad(err, b)
		return nil
	}
	return err
}
