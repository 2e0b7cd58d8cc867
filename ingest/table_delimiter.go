package ingest

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

func delimiterHint(header []string, delimiter byte) string {
	if len(header) != 1 || delimiter != 0 {
		return ""
	}
	if i := strings.IndexAny(header[0], ";|"); i >= 0 {
		return "; use --delimiter '" + header[0][i:i+1] + "' if that separates the columns"
	}
	return "; --delimiter names the separator if it is no blank and no comma"
}

// delimiterByName is the delimiter that the name of a file says, where its first line has one; 0 for others. Commas may be of
// names where there are semicolons or tabs, and where numbers have others between them, both separate.
func delimiterByName(h *inputHead, l *lineLayout) byte {
	c := map[string]byte{".csv": ',', ".tsv": '\t'}[extension(h.in.name)]
	if c == 0 {
		return 0
	}
	if line, _ := headerOf(h, l); bytes.IndexByte(line, c) < 0 || c == ',' && bytes.ContainsAny(line, ";\t") || separatedNumbers(h, l, c) {
		return 0
	}
	return c
}

// delimiterLine is a first line by which spreadsheets know the delimiter of the others.
var delimiterLine = regexp.MustCompile(`^(?i:"?sep=([[:punct:]\t])"?)\r?\n`)

// passDelimiter passes over such a line; 0 without one.
func passDelimiter(h *inputHead) byte {
	found := delimiterLine.FindSubmatch(bytes.TrimPrefix(h.bytes, utf8BOM))
	if found == nil || found[1][0] == '"' {
		return 0
	}
	h.passed = len(found[0])
	return found[1][0]
}

// separatedNumbers reports whether a line among the first ones has numbers with blanks or commas between them in a cell, if this is the delimiter.
func separatedNumbers(h *inputHead, l *lineLayout, delimiter byte) bool {
	const some = 100
	lines := linesOf(h)
	for range some {
		raw, ok := lines.next(true)
		if !ok {
			return false
		}
		line, _ := l.data(raw)
		for cell := range bytes.SplitSeq(line, []byte{delimiter}) {
			words := bytes.FieldsFunc(cell, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' })
			if len(words) > 1 && !slices.ContainsFunc(words, func(w []byte) bool { return !isNumber(w) }) {
				return true
			}
		}
	}
	return false
}

// checkDelimiter refuses a table whose separator is a semicolon or a bar, of which commas and blanks in names, and decimal commas, make edges
// that nobody meant. It warns where these may be of names.
func checkDelimiter(h *inputHead, l *lineLayout, warn func(string)) error {
	for _, c := range []byte(";|") {
		d := delimitedBy(h, l, c)
		if d == nil {
			continue
		}
		use := "use --delimiter '" + string(c) + "'"
		switch wrong, doubtful := d.verdict(); {
		case wrong:
			if d.commas && !d.decimals {
				use += ", or --delimiter , where commas alone separate the fields"
			}
			return &SyntaxError{File: h.in.name, Line: d.line, Text: shown(d.first), Expected: "fields separated by spaces, tabs or commas", Advice: use}
		case doubtful:
			other := "space"
			if d.comma {
				other = ","
			}
			warn(fmt.Sprintf("%s:%d: %q: %q was taken for a part of names; %s if it separates the fields, or --delimiter %s to say that it does not",
				h.in.name, d.line, shown(d.first), c, use, other))
		}
	}
	return nil
}

// delimited is what the first lines show about a character that stands in each of them as often, and that does not separate so far.
type delimited struct {
	char  byte
	first []byte
	line  int64 // the number of the first line
	table bool  // the file is called .csv, or its header names source and destination

	short, uneven, early, both bool // a line has no two ids; one id has more of it than the other; the first one has; both have it
	comma, commas              bool // a line has a comma; all lines have
	apart                      bool // a comma has a blank behind it, as in names
	tab                        bool
	decimals                   bool // all commas are of numbers
}

// verdict says whether it separates fields, or whether it may. Names of a real table may have it in both ids, or in the second one.
func (d *delimited) verdict() (wrong, doubtful bool) {
	semicolon := d.char == ';'
	switch {
	case d.short:
		return true, false
	case d.comma:
		return d.uneven && (semicolon || d.early || d.apart) || d.both && semicolon && d.apart, d.uneven || d.both
	case d.tab:
		return false, false
	}
	return d.table && semicolon, d.uneven
}

// delimitedBy looks at the first lines.
func delimitedBy(h *inputHead, l *lineLayout, c byte) *delimited {
	const looks = 16
	d := &delimited{char: c, commas: true, decimals: true}
	s := splitter{commas: true, delimiter: c}
	lines := linesOf(h)
	var f lineFields
	columns, filled := 0, false
	for n := 0; n < looks; {
		line, _, ok := lines.data(l, n == 0)
		if !ok {
			break
		}
		cells := s.columnNames(line)
		if n++; n == 1 {
			d.first, d.line, columns = bytes.Clone(line), lines.lines, len(cells)
			d.table = extension(h.in.name) == ".csv" || columns > 1 && isUsual(cells[0], 0) && isUsual(cells[1], 1)
		}
		if len(cells) != columns || columns < 2 {
			return nil
		}
		filled = filled || cells[0] != "" && cells[1] != ""
		l.fields(line, 2, &f)
		d.note(line, cells, &f)
	}
	if !filled {
		return nil
	}
	return d
}

// note takes a line into account; f is how it is split so far.
func (d *delimited) note(line []byte, cells []string, f *lineFields) {
	comma := bytes.IndexByte(line, ',') >= 0
	d.comma, d.commas = d.comma || comma, d.commas && comma
	d.apart = d.apart || bytes.Contains(line, []byte(", "))
	d.tab = d.tab || bytes.IndexByte(line, '\t') >= 0
	d.decimals = d.decimals && !slices.ContainsFunc(cells, func(s string) bool { return strings.Contains(s, ",") && !hasDecimalComma([]byte(s)) })
	if f.problem != "" || f.n < 2 {
		d.short = true
		return
	}
	one, other := bytes.Count(f.field[0], []byte{d.char}), bytes.Count(f.field[1], []byte{d.char})
	d.uneven, d.early, d.both = d.uneven || one != other, d.early || one > other, d.both || one > 0 && other > 0
}
