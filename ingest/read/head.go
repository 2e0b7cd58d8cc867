package read

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

// Head is the beginning of an input while a plan is made.
type Head struct {
	Input  *Input
	Stream *Stream
	Bytes  []byte
	Err    error // how the input went on: nil when there is more
}

// readHead reads the beginning of in. Its close must be called.
func (in *Input) readHead(ctx context.Context, progress *Progress) (*Head, error) {
	if !in.Once {
		progress = nil // the bytes will be read again
	}
	s, err := in.Stream(ctx, progress)
	if err != nil {
		return nil, err
	}
	h := &Head{Input: in, Stream: s}
	h.grow(headSize)
	return h, nil
}

// grow makes the beginning up to size bytes long, in steps, so that a small
// input takes little memory.
func (h *Head) grow(size int) {
	for h.Err == nil && len(h.Bytes) < size {
		old := len(h.Bytes)
		grown := make([]byte, min(max(4*old, 16<<10), size))
		copy(grown, h.Bytes)
		var n int
		n, h.Err = Full(h.Stream, grown[old:])
		h.Bytes = grown[:old+n]
	}
}

// More doubles the beginning; false when that was all, or too much.
func (h *Head) More() bool {
	old := len(h.Bytes)
	h.grow(min(2*old, maxHead))
	return len(h.Bytes) > old
}

// Size returns the unpacked size of the input, and whether it is known.
func (h *Head) Size() (int64, bool) {
	switch {
	case h.Err == io.EOF:
		return int64(len(h.Bytes)), true
	case h.Input.Size >= 0 && h.Stream.Packed == "":
		return h.Input.Size, true
	}
	return 0, false
}

// close releases h. An input that can be read only once stays open for parsing.
func (h *Head) close() {
	if h.Input.Once {
		h.Input.kept, h.Input.head = h.Stream, h.Bytes
		return
	}
	h.Stream.Close()
}

// Lines gives the lines of a beginning, one after the other.
type Lines struct {
	h     *Head
	At    int   // the next line's first byte
	Lines int64 // lines given so far
}

// LinesOf begins behind a BOM.
func LinesOf(h *Head) *Lines {
	l := &Lines{h: h}
	if bytes.HasPrefix(h.Bytes, BOM) {
		l.At = len(BOM)
	}
	return l
}

// LinesFrom begins at a byte.
func LinesFrom(h *Head, at int64) *Lines { return &Lines{h: h, At: int(at)} }

// Next returns the next whole line with its end; grow says whether the beginning
// may be made longer for it.
func (l *Lines) Next(grow bool) ([]byte, bool) {
	for {
		rest := l.h.Bytes[l.At:]
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			l.At += i + 1
			l.Lines++
			return rest[:i+1], true
		}
		if l.h.Err == io.EOF && len(rest) > 0 {
			l.At += len(rest)
			l.Lines++
			return rest, true
		}
		if !grow || !l.h.More() {
			return nil, false
		}
	}
}

// Words returns the next line that is neither blank nor a comment, and its words.
func (l *Lines) Words(comment byte, expected string) (line []byte, words [][]byte, err error) {
	for {
		line, ok := l.Next(true)
		if !ok {
			return nil, nil, l.Missing(expected)
		}
		if words := bytes.Fields(line); len(words) > 0 && words[0][0] != comment {
			return bytes.TrimSpace(line), words, nil
		}
	}
}

// Missing returns the error of a header that does not come: the input failed, ended,
// or goes on for too long without it.
func (l *Lines) Missing(expected string) error {
	if l.h.Err != nil && l.h.Err != io.EOF {
		return l.h.Err
	}
	e := &SyntaxError{File: l.h.Input.Name, Line: l.Lines + 1, Expected: expected}
	if l.h.Err == nil {
		e.Text = Shown(l.h.Bytes[l.At:])
		e.Advice = "its header is longer than 16 MiB"
	}
	return e
}

// Refused returns the error of the line that next gave last.
func (l *Lines) Refused(text []byte, expected, advice string) error {
	return &SyntaxError{File: l.h.Input.Name, Line: l.Lines, Text: Shown(text), Expected: expected, Advice: advice}
}
