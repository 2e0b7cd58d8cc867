package text

import (
	"bytes"

	"github.com/garaph/garaph/ingest/read"
)

// lineFields are the first fields of a line, or the columns that were chosen;
// they alias it. Fields are separated by blanks (spaces and tabs), or by a comma with or
// without blanks, or by a delimiter. They are reused from line to line.
type lineFields struct {
	field   [3][]byte
	n       int    // number of fields found, at most 3
	more    bool   // further fields follow
	mixed   bool   // spaces separate some fields, and tabs or commas others: they may be of a name
	rest    int    // where the fields behind those that are read begin; -1 if there is none
	by      byte   // the separator of the last ones, see separator; 0 with a delimiter
	problem string // not empty: the line cannot be split, and why not
}

const (
	lastComma = "something behind the last comma"
	openQuote = "a closing quote, followed by a separator or the end of the line"
)

// splitter says how the lines of a format are split.
type splitter struct {
	Comments  string // a line whose first byte is one of these is no data
	Commas    bool   // commas separate, and fields may be quoted
	delimiter byte   // the separator; if 0, blanks and commas separate
}

// data returns the line without blanks around it and without its line end, and
// whether it is a line of data at all, neither empty nor a comment.
func (s *splitter) data(line []byte) ([]byte, bool) {
	line = trimEnd(line)
	start := 0
	for start < len(line) && isBlank(line[start]) && line[start] != s.delimiter {
		start++
	}
	if s.delimiter == ' ' { // several are one, and none in front counts
		start = len(line) - len(bytes.TrimLeft(line, " \t"))
	}
	line = line[start:]
	if len(line) == 0 {
		return nil, false
	}
	for i := 0; i < len(s.Comments); i++ {
		if line[0] == s.Comments[i] {
			return nil, false
		}
	}
	return line, true
}

// split takes a line as data gives it apart into f, up to want fields.
func (s *splitter) split(line []byte, want int, f *lineFields) {
	f.reset(0)
	for p := 0; ; {
		field, end, next, problem := s.next(line, p)
		if problem == "" && end == p && s.delimiter == 0 {
			problem = "something before the comma"
		}
		if problem != "" {
			f.problem = problem
			return
		}
		f.field[f.n] = field
		f.n++
		if end == len(line) {
			return
		}
		by := line[end:]
		if next > 0 {
			by = line[end:next]
		}
		if s.delimiter == 0 {
			f.separated(by)
		}
		switch p = next; {
		case f.n == want:
			f.more, f.rest = true, p
			return
		case p < 0:
			f.problem = lastComma
			return
		}
	}
}

// reset forgets a line.
func (f *lineFields) reset(n int) {
	f.n, f.more, f.mixed, f.rest, f.by, f.problem = n, false, false, -1, 0, ""
}

// numbers reports whether all fields are numbers.
func (f *lineFields) numbers() bool {
	for _, tok := range f.field[:f.n] {
		if !read.IsNumber(tok) {
			return false
		}
	}
	return true
}

// separated records the separator of two fields.
func (f *lineFields) separated(by []byte) {
	c := separator(by)
	f.mixed = f.mixed || f.by != 0 && f.by != c
	f.by = c
}

// separator returns the kind of the blanks, and perhaps a comma, at the beginning of a text: a
// comma, a tab or a space.
func separator(b []byte) byte {
	kind := byte(' ')
	for _, c := range b {
		switch c {
		case ',':
			return c
		case '\t':
			kind = c
		case ' ':
		default:
			return kind
		}
	}
	return kind
}

// isBlankHere reports whether a byte is a blank that does not separate.
func (s *splitter) isBlankHere(c byte) bool { return isBlank(c) && c != s.delimiter }

// next takes the field at line[p:], without blanks around it or its quotes. It
// returns its end, and the start of the field behind it, -1 when that was the last; or
// the error of the line.
func (s *splitter) next(line []byte, p int) (field []byte, end, next int, problem string) {
	if s.delimiter != 0 {
		for p < len(line) && s.isBlankHere(line[p]) {
			p++
		}
	}
	if end = p; s.Commas && p < len(line) && line[p] == '"' {
		if field, end = quotedField(line, p); end < 0 {
			return nil, 0, 0, openQuote
		}
	} else {
		for end < len(line) && !s.separates(line[end]) {
			end++
		}
		field = line[p:end]
		for s.delimiter != 0 && len(field) > 0 && isBlank(field[len(field)-1]) {
			field = field[:len(field)-1]
		}
	}
	switch next = s.behind(line, end); {
	case end == len(line) || next == len(line) && s.runs():
		return field, end, -1, ""
	case next == end:
		return nil, 0, 0, "a separator behind the closing quote"
	}
	return field, end, next, ""
}

// runs reports whether several separators in a row count as one.
func (s *splitter) runs() bool { return s.delimiter == 0 || s.delimiter == ' ' }

func (s *splitter) separates(c byte) bool {
	if s.delimiter != 0 {
		return c == s.delimiter
	}
	return isBlank(c) || s.Commas && c == ','
}

// behind returns the end of the separator at line[p], with blanks around it; p when
// there is none.
func (s *splitter) behind(line []byte, p int) int {
	if s.delimiter == 0 {
		return s.passSeparator(line, p)
	}
	q := p
	for q < len(line) && s.isBlankHere(line[q]) {
		q++
	}
	switch {
	case q == len(line):
		return q
	case line[q] != s.delimiter:
		return p
	case s.delimiter != ' ':
		return q + 1
	}
	for q < len(line) && line[q] == ' ' {
		q++
	}
	return q
}

// quotedField returns the text in quotes at line[p], and its end behind them, or
// -1 when they are not closed. Two quotes inside stand for one.
func quotedField(line []byte, p int) ([]byte, int) {
	start, escaped := p+1, false
	for p++; ; p++ {
		i := bytes.IndexByte(line[p:], '"')
		if i < 0 {
			return nil, -1
		}
		p += i
		if p+1 == len(line) || line[p+1] != '"' {
			break
		}
		escaped, p = true, p+1
	}
	if escaped {
		return bytes.ReplaceAll(line[start:p], []byte(`""`), []byte(`"`)), p + 1
	}
	return line[start:p], p + 1
}

// opensQuote reports whether a field in b begins with a quote that is not closed.
func opensQuote(b []byte, delimiter byte) bool {
	for {
		for len(b) > 0 && isBlank(b[0]) && b[0] != delimiter {
			b = b[1:]
		}
		if len(b) > 0 && b[0] == '"' {
			_, end := quotedField(b, 0)
			if end < 0 {
				return true
			}
			b = b[end:]
		}
		i := bytes.IndexByte(b, delimiter)
		if i < 0 {
			return false
		}
		b = b[i+1:]
	}
}

// quotesBehind returns the delimiter of the fields behind those that are read, where these may be
// quoted: a comma without a delimiter, if one stands before them; 0 where quotes are part of them.
func (s *splitter) quotesBehind(by byte) byte {
	switch {
	case !s.Commas:
		return 0
	case s.delimiter == 0 && by == ',':
		return ','
	}
	return s.delimiter
}

// passSeparator returns the end of the blanks and the comma that may stand at line[p].
func (s *splitter) passSeparator(line []byte, p int) int {
	for p < len(line) && isBlank(line[p]) {
		p++
	}
	if s.Commas && p < len(line) && line[p] == ',' {
		for p++; p < len(line) && isBlank(line[p]); p++ {
		}
	}
	return p
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }
