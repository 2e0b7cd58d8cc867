package ingest

import (
	"bytes"
	"regexp"
)

// headerOf is the first line of data, and its number; nil when there is none.
func headerOf(h *inputHead, l *lineLayout) ([]byte, int64) {
	lines := linesOf(h)
	line, _, ok := l.nextData(lines, true)
	if !ok {
		return nil, 0
	}
	return line, lines.lines
}

// columnNames are all fields of a line; nil when it cannot be split.
func (s *splitter) columnNames(line []byte) []string {
	var names []string
	for p := 0; p >= 0; {
		field, _, next, problem := s.next(line, p)
		if problem != "" {
			return nil
		}
		names = append(names, string(field))
		p = next
	}
	return names
}

// countNames counts the fields of a line, but for a last one that is empty; 0 when it cannot be split.
func (s *splitter) countNames(line []byte) int {
	names := s.columnNames(line)
	if n := len(names); n > 0 && names[n-1] == "" {
		return n - 1
	}
	return len(names)
}

// delimiterByName is the delimiter that the name of a file says, where its first line has one; 0 for others. Commas may be of
// names where there are semicolons or tabs.
func delimiterByName(h *inputHead, l *lineLayout) byte {
	c := map[string]byte{".csv": ',', ".tsv": '\t'}[extension(h.in.name)]
	if line, _ := headerOf(h, l); c == 0 || bytes.IndexByte(line, c) < 0 || c == ',' && (bytes.ContainsAny(line, ";\t") || numbersApart.Match(line)) {
		return 0
	}
	return c
}

// numbersApart is a line of numbers with blanks between some.
var numbersApart = regexp.MustCompile(`^[-+.,\d \t]*\d[ \t]+[-+.\d][-+.,\d \t]*$`)

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

// checkDelimiter refuses a table whose separator seems to be a semicolon or a bar: its first lines have as many of these each, but the
// two ids, as blanks and commas cut them, do not.
func checkDelimiter(h *inputHead, l *lineLayout) error {
	const looks = 16
	for _, c := range []byte(";|") {
		var f lineFields
		var first []byte
		lines, separates := linesOf(h), splitter{commas: true, delimiter: c}
		fields, at, wrong := 0, int64(0), false
		for n := range looks {
			line, _, ok := l.nextData(lines, n == 0)
			if !ok {
				break
			}
			cells := len(separates.columnNames(line))
			if n == 0 {
				first, fields, at = line, cells, lines.lines
			}
			if cells != fields || cells < 2 || bytes.IndexByte(line, '\t') >= 0 {
				wrong = false
				break
			}
			l.fields(line, 2, &f)
			one, other := bytes.Count(f.field[0], []byte{c}), bytes.Count(f.field[1], []byte{c})
			apart := bytes.Contains(line, []byte(", ")) // a comma of a name
			wrong = wrong || f.n < 2 || one > other || one < other && (c == ';' || apart) || c == ';' && apart
		}
		if wrong {
			return &SyntaxError{File: h.in.name, Line: at, Text: shown(first), Expected: "fields separated by spaces, tabs or commas", Advice: adviceDelimiter}
		}
	}
	return nil
}
