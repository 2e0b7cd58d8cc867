package ingest

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
)

// textSniff is what the beginning of a text shows.
type textSniff struct {
	skipBytes, skipLines int64
	idSniff
	headerSniff
	columnsKnown bool // there was a line that shows the columns
	weighted     bool
	thirdKnown   bool // there was a line that shows the third column, with or without more behind it
	thirdNumber  bool
}

// idSniff counts ids by what they look like.
type idSniff struct {
	ints, texts  int64  // ids that are integers of 64 bits, and others
	huge         int64  // of the others, those that are integers of more bits
	points       int64  // of the others, those that are integers with a point and zeros behind it, or with an exponent too
	exponents    int64  // of these, those with an exponent
	text         string // the first of the others
	textLine     int64
	padded       int64  // ids that are integers in another way of writing: 007, +7, -0
	paddedText   string // the first of them
	paddedNumber string // as integers are written
	paddedLine   int64
}

// headerSniff is the first line, which may be a header.
type headerSniff struct {
	header      string    // the header line; empty if there is none
	headerIDs   [2]string // what it has in the place of ids
	first       string    // the first line
	firstLine   int64
	doubtful    []string // the columns of the first line, where it may be a header, or not
	numbers     bool     // it would be a header, but has numbers in the place of ids
	columnNames []string // of the header
	mixedNames  bool     // which has spaces between some, and tabs or commas between others
}

// sniffText looks at the first mebibyte, or at more if that is all comments.
func sniffText(h *inputHead, l *lineLayout, header HeaderMode) textSniff {
	var s, rest textSniff // of all lines, and of those behind the first
	var first, f lineFields
	var names []string
	lines := linesOf(h)
	s.skipBytes, s.skipLines = int64(lines.at), lines.lines
	again := false  // an id of the first line comes again
	surely := false // the first line is a header
	for n := 0; ; {
		line, length, ok := lines.data(l, n == 0)
		if !ok {
			break
		}
		l.fields(line, 3, &f)
		if n++; n == 1 { // comments before it may be of any form
			s.skipBytes, s.skipLines = int64(lines.at-length), lines.lines-1
		}
		if n == 1 && header != HeaderNo {
			first, names = f, l.columnNames(line)
			rest.skipBytes, rest.skipLines = int64(lines.at), lines.lines
			rest.header = shown(line)
			s.first, s.firstLine = rest.header, lines.lines
			surely = f.n >= 2 && (header == HeaderYes || isUsual(string(f.field[0]), 0) && isUsual(string(f.field[1]), 1))
		} else {
			if !surely || !first.sameIDs(&f) { // it comes again where files were joined
				rest.note(&f, lines.lines, l.names)
			}
			again = again || first.sharesID(&f)
		}
		s.note(&f, lines.lines, l.names)
	}
	// Tables have headers; other edge lists of names seldom do.
	ext := extension(h.in.name)
	table := l.delimiter != 0 || l.pick != nil || ext == ".csv" || ext == ".tsv" || strings.Contains(s.first, ",")
	switch {
	case rest.header == "":
	case header == HeaderAuto && isHeader(&first, names, &rest) && beginsNumber(first.field[0]) && beginsNumber(first.field[1]):
		s.numbers = true
		return s
	case header == HeaderYes, isHeader(&first, names, &rest), table && misplaced(names) != nil:
		rest.columnNames, rest.mixedNames = names, first.mixed
		rest.headerIDs = [2]string{string(first.field[0]), string(first.field[1])}
		return rest
	}
	if table && rest.ints+rest.texts+rest.padded > 0 && !again && mayBeHeader(&first) {
		s.doubtful = names
	}
	return s
}

// sameIDs reports whether two lines have the same ids.
func (f *lineFields) sameIDs(o *lineFields) bool {
	return f.n >= 2 && o.n >= 2 && bytes.Equal(f.field[0], o.field[0]) && bytes.Equal(f.field[1], o.field[1])
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

// isPointed reports whether a token is an integer with a point, and perhaps zeros, behind it.
func isPointed(tok []byte) bool {
	at := bytes.IndexByte(tok, '.')
	return at >= 0 && len(bytes.Trim(tok[at+1:], "0")) == 0 && !isText(tok[:at])
}

// isScientific reports whether a token is an integer of 64 bits in that form.
func isScientific(tok []byte) bool {
	if !beginsNumber(tok) || !scientific.Match(tok) {
		return false
	}
	x, err := strconv.ParseFloat(string(tok), 64)
	return err == nil && x == math.Trunc(x) && math.Abs(x) <= 1<<63
}

// noteInteger takes an id into account that is an integer of 64 bits.
func (s *textSniff) noteInteger(tok []byte, line int64) {
	if isCanonical(tok) {
		s.ints++
		return
	}
	if s.padded++; s.padded == 1 {
		s.paddedText, s.paddedNumber, s.paddedLine = shown(tok), canonical(tok), line
	}
}

// headerNames are the usual names of the id columns, less case, blanks and
// punctuation.
var headerNames = [2][]string{
	{"source", "src", "from", "u", "sourceid", "srcid", "fromid", "fromnodeid", "fromnode", "sourcenode", "node1", "id1", "start", "startid"},
	{"target", "dst", "to", "v", "targetid", "dstid", "toid", "tonodeid", "tonode", "targetnode", "node2", "id2", "end", "endid", "destination", "dest"},
}

// mayBeHeader reports whether no id and no weight of a line is a number.
func mayBeHeader(f *lineFields) bool {
	if f.problem != "" || f.n < 2 || f.n == 3 && (isNumber(f.field[2]) || hasDecimalComma(f.field[2])) {
		return false
	}
	return isText(f.field[0]) && isText(f.field[1])
}

// nulls are what stands in cells that have nothing, in lower case.
var nulls = []string{"", "n/a", "na", "nan", "null", "none", "nil", `\n`, "<na>", "#n/a", "#na", "-", "--", "?", "."}

func isNull(tok []byte) bool { return slices.Contains(nulls, string(bytes.ToLower(tok))) }

// beginsNumber reports whether a field begins like a number, which it may not be: 0x10, 1_000, 5km.
func beginsNumber(tok []byte) bool {
	tok = bytes.TrimLeft(tok, "+-")
	tok = bytes.TrimPrefix(tok, []byte("."))
	return len(tok) > 0 && tok[0] >= '0' && tok[0] <= '9'
}

func isText(tok []byte) bool {
	_, kind := parseInteger(tok)
	return kind == notInteger
}

// isHeader distinguishes a header line from an edge: its fields have the usual names,
// or they are no integers while all ids behind it are, or its third is no number
// while that behind it is one. Where it mixes separators, names with
// blanks may have moved a weight behind the third: no field is a number then.
// A field that is empty or null, and a third that begins like a number, name no column.
func isHeader(f *lineFields, names []string, rest *textSniff) bool {
	if !mayBeHeader(f) {
		return false
	}
	if isUsual(string(f.field[0]), 0) && isUsual(string(f.field[1]), 1) {
		return true
	}
	if slices.ContainsFunc(f.field[:f.n], isNull) || f.n == 3 && beginsNumber(f.field[2]) {
		return false
	}
	number := f.mixed && slices.ContainsFunc(names, func(s string) bool { return isNumber([]byte(s)) })
	return rest.ints+rest.padded > 0 && rest.texts == 0 ||
		f.n == 3 && rest.thirdNumber && !number
}

// note takes one line into account. Lines that will not parse have no say.
func (s *textSniff) note(f *lineFields, line int64, names bool) {
	ids := 2
	if names {
		ids = 1
	}
	if f.problem != "" || f.n < ids {
		return
	}
	for _, tok := range f.field[:ids] {
		_, kind := parseInteger(tok)
		if kind != notInteger && kind != hugeInteger {
			s.noteInteger(tok, line)
			continue
		}
		if len(tok) == 0 { // a cell that is empty, in some line
			continue
		}
		if s.texts++; s.texts == 1 {
			s.text, s.textLine = shown(tok), line
		}
		if kind == hugeInteger {
			s.huge++
		}
		switch {
		case isPointed(tok):
			s.points++
		case isScientific(tok):
			s.points++
			s.exponents++
		}
	}
	number := f.n == 3 && isNumber(f.field[2])
	if decimal := f.n == 3 && hasDecimalComma(f.field[2]); !s.thirdKnown && (f.n == 2 || number || decimal) {
		s.thirdKnown, s.thirdNumber = true, number || decimal
	}
	if !s.columnsKnown && !f.more && (f.n == 2 || number) {
		s.columnsKnown, s.weighted = true, number
	}
}
