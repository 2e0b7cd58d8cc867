package ingest

import (
	"bytes"
	"context"
	"io"
)

// The beginning of an input, by which it is recognised: headSize bytes, and
// more, up to maxHead, where comments fill them.
const (
	headSize = 1 << 20
	maxHead  = 16 << 20
)

// inputHead is the beginning of an input while a plan is made.
type inputHead struct {
	in     *readInput
	stream *inputStream
	bytes  []byte
	err    error // how the input went on: nil when there is more
	passed int   // bytes of a first line that is passed over
}

// readHead reads the beginning of in. Its close must be called.
func (in *readInput) readHead(ctx context.Context, progress *readProgress) (*inputHead, error) {
	if !in.once {
		progress = nil // the bytes will be read again
	}
	s, err := in.stream(ctx, progress)
	if err != nil {
		return nil, err
	}
	h := &inputHead{in: in, stream: s}
	h.grow(headSize)
	return h, nil
}

// grow makes the beginning up to size bytes long, in steps, so that a small
// input takes little memory.
func (h *inputHead) grow(size int) {
	for h.err == nil && len(h.bytes) < size {
		old := len(h.bytes)
		grown := make([]byte, min(max(4*old, 16<<10), size))
		copy(grown, h.bytes)
		var n int
		n, h.err = readFull(h.stream, grown[old:])
		h.bytes = grown[:old+n]
	}
}

// more doubles the beginning; false when that was all, or too much.
func (h *inputHead) more() bool {
	old := len(h.bytes)
	h.grow(min(2*old, maxHead))
	return len(h.bytes) > old
}

// size is the size of the input, unpacked, where it is known yet.
func (h *inputHead) size() (int64, bool) {
	switch {
	case h.err == io.EOF:
		return int64(len(h.bytes)), true
	case h.in.size >= 0 && h.stream.packed == "":
		return h.in.size, true
	}
	return 0, false
}

// close ends the use of h. What can be read only once is kept for the parsing.
func (h *inputHead) close() {
	if h.in.once {
		h.in.kept, h.in.head = h.stream, h.bytes
		return
	}
	h.stream.Close()
}

// headLines gives the lines of a beginning, one after the other.
type headLines struct {
	h     *inputHead
	at    int   // the next line's first byte
	lines int64 // lines given so far
}

// linesOf begins behind a BOM, and a first line that is passed over.
func linesOf(h *inputHead) *headLines {
	l := &headLines{h: h}
	if bytes.HasPrefix(h.bytes, utf8BOM) {
		l.at = len(utf8BOM)
	}
	if h.passed > 0 {
		l.at, l.lines = l.at+h.passed, 1
	}
	return l
}

// linesFrom begins at a byte.
func linesFrom(h *inputHead, at int64) *headLines { return &headLines{h: h, at: int(at)} }

// next returns the next whole line with its end; grow says whether the beginning
// may be made longer for it.
func (l *headLines) next(grow bool) ([]byte, bool) {
	for {
		rest := l.h.bytes[l.at:]
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			l.at += i + 1
			l.lines++
			return rest[:i+1], true
		}
		if l.h.err == io.EOF && len(rest) > 0 {
			l.at += len(rest)
			l.lines++
			return rest, true
		}
		if !grow || !l.h.more() {
			return nil, false
		}
	}
}

// missing is the error of a header that does not come: the input failed, ended,
// or goes on for too long without it.
func (l *headLines) missing(expected string) error {
	if l.h.err != nil && l.h.err != io.EOF {
		return l.h.err
	}
	e := &SyntaxError{File: l.h.in.name, Line: l.lines + 1, Expected: expected}
	if l.h.err == nil {
		e.Text = shown(l.h.bytes[l.at:])
		e.Advice = "its header is longer than 16 MiB"
	}
	return e
}

// refused is the error of the line that next gave last.
func (l *headLines) refused(text []byte, expected, advice string) error {
	return &SyntaxError{File: l.h.in.name, Line: l.lines, Text: shown(text), Expected: expected, Advice: advice}
}
