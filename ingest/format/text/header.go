package text

import (
	"bytes"
	"regexp"

	"github.com/garaph/garaph/ingest/read"
)

// headerOf returns the first line of data, and its number; nil when there is none.
func headerOf(h *read.Head, l *Layout) ([]byte, int64) {
	lines := read.LinesOf(h)
	line, _, ok := l.nextData(lines, true)
	if !ok {
		return nil, 0
	}
	return line, lines.Lines
}

// columnNames returns all fields of a line; nil when it cannot be split.
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

// countNames returns the number of fields of a line, not counting an empty last one, or 0 if it
// cannot be split.
func (s *splitter) countNames(line []byte) int {
	names := s.columnNames(line)
	if n := len(names); n > 0 && names[n-1] == "" {
		return n - 1
	}
	return len(names)
}

// delimiterByName returns the delimiter that the name of a file says, where its first line has one;
// 0 for others. Commas may be of names where there are semicolons or tabs.
func delimiterByName(h *read.Head, l *Layout) byte {
	c := map[string]byte{".csv": ',', ".tsv": '\t'}[read.Extension(h.Input.Name)]
	if line, _ := headerOf(h, l); c == 0 || bytes.IndexByte(line, c) < 0 ||
		c == ',' && (bytes.ContainsAny(line, ";\t") || numbersApart.Match(line)) {
		return 0
	}
	return c
}

// numbersApart is a line of numbers with blanks between some.
var numbersApart = regexp.MustCompile(`^[-+.,\d \t]*\d[ \t]+[-+.\d][-+.,\d \t]*$`)

// checkDelimiter refuses a table whose separator seems to be a semicolon or a bar: its first lines
// have as many of these each, but the two ids, as blanks and commas cut them, do not.
func checkDelimiter(h *read.Head, l *Layout) error {
	const looks = 16
	for _, c := range []byte(";|") {
		var f lineFields
		var first []byte
		lines, separates := read.LinesOf(h), splitter{Commas: true, delimiter: c}
		fields, at, wrong := 0, int64(0), false
		for n := range looks {
			line, _, ok := l.nextData(lines, n == 0)
			if !ok {
				break
			}
			cells := len(separates.columnNames(line))
			if n == 0 {
				first, fields, at = line, cells, lines.Lines
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
			return &read.SyntaxError{
				File: h.Input.Name, Line: at, Text: read.Shown(first), Expected: "fields separated by spaces, tabs or commas",
				Advice: read.AdviceDelimiter,
			}
		}
	}
	return nil
}
