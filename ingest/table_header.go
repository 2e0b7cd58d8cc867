package ingest

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// severalColumns have the same name, see findColumn.
const severalColumns = -2

// findColumn is the place of a name in a header, as it is written or else in another case: -1 without one, and
// severalColumns where it is not clear which one is meant.
func findColumn(header []string, name string) int {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		at := -1
		for i, h := range header {
			switch {
			case !same(h, name):
			case at >= 0:
				return severalColumns
			default:
				at = i
			}
		}
		if at >= 0 {
			return at
		}
	}
	return -1
}

// headerOf is the first line of data, and its number; nil when there is none.
func headerOf(h *inputHead, l *lineLayout) ([]byte, int64) {
	lines := linesOf(h)
	line, _, ok := lines.data(l, true)
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

// misplaced reports whether a header has the names of the id columns at other places
// than the first two: an edge of the first two would be wrong without a word.
func misplaced(header []string) bool {
	at := columnsOfEnds(header)
	return at != nil && (at[0] != 0 || at[1] != 1)
}

// endNames are names that are of source and destination beyond doubt where a header has both, with or without "id" behind them. Unlike
// headerNames, one of them alone says nothing.
var endNames = [][2]string{
	{"source", "target"}, {"src", "dst"}, {"payer", "payee"}, {"caller", "callee"}, {"sender", "receiver"}, {"sender", "recipient"}, {"follower", "followee"}, {"citing", "cited"}, {"origin", "destination"},
}

// columnsOfEnds are the places of source and destination in a header by their names; nil where these do not tell.
func columnsOfEnds(header []string) []int {
	find := func(is func(name string) bool) (at []int) {
		for i, name := range header {
			if is(name) {
				at = append(at, i)
			}
		}
		return at
	}
	src, dst := find(func(s string) bool { return isUsual(s, 0) }), find(func(s string) bool { return isUsual(s, 1) })
	if len(src) > 0 && src[0] == 0 && slices.Contains(dst, 1) {
		return []int{0, 1}
	}
	for _, pair := range endNames { // before start and end, which may be times
		named := func(name string) []int {
			return find(func(s string) bool { return strings.TrimSuffix(plainName(s), "id") == name })
		}
		if u, v := named(pair[0]), named(pair[1]); len(u) == 1 && len(v) == 1 {
			return []int{u[0], v[0]}
		}
	}
	if len(src) == 0 || len(dst) == 0 {
		return nil
	}
	return []int{src[0], dst[0]}
}

// isUsual reports whether a name is a usual one of the source's column (0) or of
// the destination's (1).
func isUsual(name string, kind int) bool {
	return slices.Contains(headerNames[kind], plainName(name))
}

// plainName is a name of a column less case, blanks and punctuation, and what stands behind it in parentheses, as units and id spaces do.
func plainName(name string) string {
	name, _, _ = strings.Cut(name, "(")
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" _-:~", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
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
			line, _, ok := lines.data(l, n == 0)
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
