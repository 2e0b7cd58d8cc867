package ingest

import (
	"bytes"
	"fmt"
	"io"
	"iter"
)

// maxLine is the length of the longest line, its end included.
const maxLine = 16 << 20

// lineBody reads what follows the header of a text input: it cuts blocks at
// line ends, and parses them line by line.
type lineBody struct {
	layout  lineLayout
	skipBad bool
	quotes  string // what to do about a quote that is not closed
	first   []byte // the first lines: where all of them are bad, skipping bad lines is no help

	header *headerLine // nil: none
}

// headerLine is a header, and what it has in the place of ids.
type headerLine struct {
	line  string
	ids   [2]string
	names []string // of all its columns; nil when it cannot be split
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
			Advice:   "this does not look like an edge list",
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
			if t.header != nil && batch.srcNames != nil {
				t.header.note(batch.srcNames[batch.n:batch.n+taken], batch.dstNames[batch.n:], b, w)
			}
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
	e := &w.edge
	line, ok := t.layout.data(raw)
	if !ok {
		t.noteComment(raw, b, w)
		return nil
	}
	bad := t.layout.parseLine(line, e)
	again := t.header != nil && e.fields.n >= 2 && t.header.is(e.fields.field[0], e.fields.field[1])
	if bad == nil {
		if again {
			w.headers.note(t.header.line, w.lines+1, b)
		}
		w.noteSigns(e, b)
		w.batch.add(e, t.layout.ids)
		return nil
	}
	err := &SyntaxError{
		File: b.plan.name(), Line: w.lines + 1,
		Text: shown(bad.text), Expected: bad.expected, Advice: bad.advice,
	}
	if bad.expected == openQuote { // what is behind it on the next line is no edge: skipping would make one of it
		err.Advice = t.quotes
		return err
	}
	usual := 0
	switch {
	case bytes.IndexByte(line, '\r') >= 0:
		err.Expected, err.Advice = "lines that end with a line feed, but there are carriage returns within one", adviceReturns
	case bad.fields > 0 && !again:
		usual = t.usualFields(bad.fields)
	}
	if usual > 0 {
		err.Text, err.Expected = shown(line), fmt.Sprintf("%d fields, as in the first line, and not %d", usual, bad.fields)
		err.Advice = "look at the file, where lines may have been joined"
	}
	if again {
		err.Advice = "it is the header once more: use one for all of the file"
	}
	if t.skipBad {
		w.noteBad(err, b)
		return nil
	}
	switch {
	case usual > 0:
		err.Advice += "; use " + skipLines
	case t.someGood():
		err.Advice = withSkipAdvice(err.Advice)
	}
	return err
}

// is reports whether two ids are those of the header.
func (h *headerLine) is(src, dst []byte) bool {
	return string(src) == h.ids[0] && string(dst) == h.ids[1]
}

// note counts the edges, of the lines that come next, that are the header.
func (h *headerLine) note(src, dst [][]byte, b *readBlock, w *parseWorker) {
	for i, name := range src {
		if len(name) == len(h.ids[0]) && h.is(name, dst[i]) {
			w.headers.note(h.line, w.lines+int64(i)+1, b)
		}
	}
}

// noteComment counts a comment that would be an edge between names: the first one may begin so.
func (t *lineBody) noteComment(raw []byte, b *readBlock, w *parseWorker) {
	l := &t.layout
	if l.ids != IDString || !l.commas {
		return
	}
	s := splitter{delimiter: l.delimiter}
	line, ok := s.data(raw)
	if !ok || len(line) < 2 || line[1] == line[0] || l.parseLine(line, &w.edge) != nil {
		return
	}
	if isBlank(line[1]) && (t.header == nil || l.delimiter == 0 || len(l.columnNames(line)) != len(t.header.names)) {
		return // words, in most files
	}
	w.comments.note(shown(line), w.lines+1, b)
}

// Up to firstLines whole lines in the first firstBytes are lineBody.first.
const (
	firstLines = 16
	firstBytes = 4 << 10
)

// firstOf are the first lines of data behind skip bytes, with the comments between them.
func (l *lineLayout) firstOf(h *inputHead, skip int64) []byte {
	lines := headLines{h: h, at: int(skip)}
	for n := 0; n < firstLines; {
		at := lines.at
		raw, ok := lines.next(false)
		if !ok {
			break
		}
		if lines.at-int(skip) > firstBytes {
			lines.at = at
			break
		}
		if _, ok := l.data(raw); ok {
			n++
		}
	}
	return bytes.Clone(h.bytes[skip:lines.at])
}

// firstData are those of the first lines that have data.
func (t *lineBody) firstData() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for raw := range bytes.Lines(t.first) {
			if line, ok := t.layout.data(raw); ok && !yield(line) {
				return
			}
		}
	}
}

// someGood reports whether one of the first lines is good, or none is known.
func (t *lineBody) someGood() bool {
	known := false
	var e lineEdge
	for line := range t.firstData() {
		if t.layout.parseLine(line, &e) == nil {
			return true
		}
		known = true
	}
	return !known
}

// usualFields is how many fields the first line has, or the header if that has more, where a line has more than these, and the first is good;
// 0 where not.
func (t *lineBody) usualFields(fields int) int {
	line, good := t.firstGood()
	usual := len(t.layout.columnNames(line))
	if t.header != nil {
		usual = max(usual, len(t.header.names))
	}
	if !good || usual >= fields {
		return 0
	}
	return usual
}

// firstGood is the first line of data, and whether it is good.
func (t *lineBody) firstGood() ([]byte, bool) {
	var e lineEdge
	for line := range t.firstData() {
		return line, t.layout.parseLine(line, &e) == nil
	}
	return nil, false
}

const skipLines = "--skip-bad-lines to pass over such lines"

// withSkipAdvice adds what can be done about any bad line.
func withSkipAdvice(advice string) string {
	if advice == "" {
		return "use " + skipLines
	}
	return advice + ", or " + skipLines
}
