package read

import (
	"bytes"
	"fmt"
)

// foreignBytes are how binary contents begin that are recognised, and not read.
var foreignBytes = []struct{ magic, what string }{
	{"\xfd7zXZ\x00", "compressed with xz"},
	{"\x04\x22\x4d\x18", "compressed with lz4"},
	{"PK\x03\x04", "a zip archive"},
	{"\x89HDF", "an HDF5 or MATLAB file"},
	{"MATLAB 5.0 MAT-file", "a MATLAB file"},
	{"\x93NUMPY", "a NumPy array"},
	{"SQLite format 3\x00", "a SQLite database"},
	{"Obj\x01", "an Avro file"},
	{"ORC", "an ORC file"},
	{"\xff\xfe", "UTF-16 text"},
	{"\xfe\xff", "UTF-16 text"},
}

// SeeFormats is the hint of errors about formats that are not read.
const SeeFormats = "see docs/formats.md"

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
	what := ""
	for _, f := range foreignBytes {
		if bytes.HasPrefix(b, []byte(f.magic)) {
			what = f.what
		}
	}
	if len(b) > 262 && string(b[257:262]) == "ustar" {
		what = "a tar archive"
	}
	switch zero := bytes.IndexByte(b, 0); {
	case what != "" && !text:
		return refused("is "+what+", which is not read", SeeFormats)
	case bytes.IndexByte(b, '\n') < 0 && bytes.IndexByte(bytes.TrimRight(b, "\r"), '\r') >= 0:
		return refused("has carriage returns and no line feeds, so that all of it is one line", "")
	case !named && !text: // names may have any bytes
		return refused("looks binary, but would be read as "+string(f), "name its format with --format")
	case zero >= 0:
		return refused(fmt.Sprintf("byte %d is zero, which text in the format %s never has", zero, f), "")
	}
	return nil
}
