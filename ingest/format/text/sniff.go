package text

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/garaph/garaph/ingest/header"
	"github.com/garaph/garaph/ingest/read"
)

// Sniff describes the beginning of a text.
type Sniff struct {
	skipBytes, skipLines int64
	idSniff
	headerSniff
	columnsKnown bool // there was a line that shows the columns
	weighted     bool
	thirdKnown   bool // there was a line that shows the third column, with or without more behind it
	thirdNumber  bool
}

// idSniff counts ids by their form.
type idSniff struct {
	ints    int64  // integers of 64 bits, as they are usually written
	padded  int64  // other ways of writing such integers: 007, +7, -0
	texts   int64  // the others
	huge    int64  // of these, integers of more bits
	Whole   int64  // of these, integers with a point: 1.0, 1e+00
	odd     string // the first of texts or, if there are none, of padded
	oddLine int64
}

// headerSniff is the first line, which may be a header.
type headerSniff struct {
	header    string   // the header line; empty if there is none
	names     []string // of its columns; nil if it cannot be split
	mixed     bool     // it has spaces between some, and tabs or commas between others
	first     string   // the first line
	firstLine int64
	doubtful  bool // it is no header, but may be meant as one
}

// sniffText looks at the first mebibyte, or at more if that is all comments.
func sniffText(h *read.Head, l *Layout, mode read.HeaderMode) Sniff {
	var s, rest Sniff // of all lines, and of those behind the first
	var first, f lineFields
	var firstLine []byte
	lines := read.LinesOf(h)
	s.skipBytes, s.skipLines = int64(lines.At), lines.Lines
	again := false // an id of the first line comes again
	for n := 0; ; {
		line, length, ok := l.nextData(lines, n == 0)
		if !ok {
			break
		}
		l.fields(line, 3, &f)
		if n++; n == 1 { // comments before it may be of any form
			s.skipBytes, s.skipLines = int64(lines.At-length), lines.Lines-1
			rest.skipBytes, rest.skipLines = int64(lines.At), lines.Lines
			first, firstLine = f, line
			s.first, s.firstLine = read.Shown(line), lines.Lines
		} else {
			if !bytes.Equal(line, firstLine) { // the header comes again where files were joined
				rest.note(&f, lines.Lines, l.names)
			}
			again = again || first.sharesID(&f)
		}
		s.note(&f, lines.Lines, l.names)
	}
	if s.first == "" || mode == read.HeaderNo || first.problem != "" {
		return s
	}
	names := l.columnNames(firstLine)
	// Tables have headers; other edge lists of names seldom do.
	ext := read.Extension(h.Input.Name)
	table := l.delimiter != 0 || l.pick != nil || ext == ".csv" || ext == ".tsv" || strings.Contains(s.first, ",")
	if mode == read.HeaderYes || isHeader(&first, names, &rest) || table && header.Misplaced(names) {
		rest.header, rest.names, rest.mixed = s.first, names, first.mixed
		return rest
	}
	s.doubtful = table && rest.ints+rest.texts+rest.padded > 0 && !again && mayBeHeader(&first)
	return s
}

// sharesID reports whether two lines have an id in common, at any ends.
func (f *lineFields) sharesID(o *lineFields) bool {
	for _, a := range f.field[:min(f.n, 2)] {
		for _, b := range o.field[:min(o.n, 2)] {
			if bytes.Equal(a, b) {
				return true
			}
		}
	}
	return false
}

// mayBeHeader reports whether no id and no weight of a line is a number.
func mayBeHeader(f *lineFields) bool {
	return f.n >= 2 && !slices.ContainsFunc(f.field[:f.n], read.IsNumber)
}

// isHeader distinguishes a header line from an edge: its fields have the usual names,
// or they are no integers while all ids behind it are, or its third is no number
// while that behind it is one. Where it mixes separators, names with
// blanks may have moved a weight behind the third: no field is a number then.
func isHeader(f *lineFields, names []string, rest *Sniff) bool {
	switch {
	case !mayBeHeader(f):
		return false
	case header.IsUsual(string(f.field[0]), 0) && header.IsUsual(string(f.field[1]), 1):
		return true
	case slices.ContainsFunc(f.field[:f.n], func(tok []byte) bool { return len(tok) == 0 }):
		return false
	}
	moved := f.mixed && slices.ContainsFunc(names, func(s string) bool { return read.IsNumber([]byte(s)) })
	return rest.ints+rest.padded > 0 && rest.texts == 0 || f.n == 3 && rest.thirdNumber && !moved
}

// note takes one line into account. It ignores lines that do not parse.
func (s *Sniff) note(f *lineFields, line int64, names bool) {
	ids := 2
	if names {
		ids = 1
	}
	if f.problem != "" || f.n < ids {
		return
	}
	for _, tok := range f.field[:ids] {
		if len(tok) > 0 { // else it is an empty cell
			s.NoteID(tok, line)
		}
	}
	number := f.n == 3 && read.IsNumber(f.field[2])
	if !s.thirdKnown && (f.n == 2 || number) {
		s.thirdKnown, s.thirdNumber = true, number
	}
	if !s.columnsKnown && !f.more && (f.n == 2 || number) {
		s.columnsKnown, s.weighted = true, number
	}
}

func (s *idSniff) NoteID(tok []byte, line int64) {
	_, kind := read.ParseInteger(tok)
	integer := kind != read.NotInteger && kind != read.HugeInteger
	if integer && read.IsCanonical(tok) {
		s.ints++
		return
	}
	if s.texts == 0 && (!integer || s.padded == 0) {
		s.odd, s.oddLine = read.Shown(tok), line
	}
	switch {
	case integer:
		s.padded++
		return
	case kind == read.HugeInteger:
		s.huge++
	case isWhole(tok):
		s.Whole++
	}
	s.texts++
}

// isWhole reports whether a token is an integer of 64 bits with a point, as 1.0 is and 1.000e+03.
func isWhole(tok []byte) bool {
	if bytes.IndexByte(tok, '.') < 0 || !read.IsNumber(tok) {
		return false
	}
	x, err := strconv.ParseFloat(string(tok), 64)
	return err == nil && x == math.Trunc(x) && math.Abs(x) <= 1<<63
}
