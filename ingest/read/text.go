package read

import (
	"bytes"
	"fmt"
)

// BOM may stand before any text.
var BOM = []byte("\xef\xbb\xbf")

// CutLine cuts the first line, with its end, off text.
func CutLine(text []byte) (line, rest []byte) {
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return text[:i+1], text[i+1:]
	}
	return text, nil
}

// IsText reports whether b has no zero byte and few control characters: a
// handful, or one in a hundred bytes.
func IsText(b []byte) bool {
	if bytes.IndexByte(b, 0) >= 0 {
		return false
	}
	control := 0
	for _, c := range b {
		if c < ' ' && (c < '\t' || c > '\r') || c == 0x7f {
			control++
		}
	}
	return control <= 4+len(b)/100
}

// CheckText returns an error if the input is no text. A format that the user named may have any
// number of control characters in its names, but no zero byte.
func CheckText(h *Head, f FormatName, named bool) error {
	b := h.Bytes
	text := IsText(b)
	refused := func(problem, advice string) error {
		return &InputError{File: h.Input.Name, Problem: problem, Advice: advice}
	}
	switch zero := bytes.IndexByte(b, 0); {
	case bytes.IndexByte(b, '\n') < 0 && bytes.IndexByte(bytes.TrimRight(b, "\r"), '\r') >= 0:
		return refused("has carriage returns and no line feeds, so that all of it is one line", "")
	case !named && !text: // names may have any bytes
		return refused("looks binary, but would be read as "+string(f), "name its format with --format")
	case zero >= 0:
		return refused(fmt.Sprintf("byte %d is zero, which text in the format %s never has", zero, f), "")
	}
	return nil
}
