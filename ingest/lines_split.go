package ingest

import "bytes"

// lineFields are the first fields of a line; they alias it. Fields are
// separated by blanks (spaces and tabs), or by a comma with or without blanks.
// They are reused from line to line.
type lineFields struct {
	field   [3][]byte
	quoted  [3]bool // the field stood in double quotes, which are removed
	n       int     // number of fields found, at most 3
	more    bool    // further fields follow
	mixed   bool    // spaces separate some fields, and tabs or commas others: they may be of a name
	problem string  // not empty: the line cannot be split, and why not
}

const lastComma = "something behind the last comma"

// splitter says how the lines of a format are split.
type splitter struct {
	comments  string // a line whose first byte is one of these is no data
	commas    bool   // commas separate, and fields may be quoted
	delimiter byte   // what separates instead of blanks and commas; 0: these
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
	for i := 0; i < len(s.comments); i++ {
		if line[0] == s.comments[i] {
			return nil, false
		}
	}
	return line, true
}

// split takes a line as data gives it apart into f, up to want fields.
func (s *splitter) split(line []byte, want int, f *lineFields) {
	f.n, f.more, f.mixed, f.problem = 0, false, false, ""
	p := 0
	for kind := byte(0); ; {
		start := p
		if s.commas && line[p] == '"' {
			p = f.takeQuoted(line, p)
			if p < 0 {
				f.problem = "a closing quote, followed by a separator or the end of the line"
				return
			}
		} else {
			for p < len(line) && !isBlank(line[p]) && !(s.commas && line[p] == ',') {
				p++
			}
			if p == start {
				f.problem = "something before the comma"
				return
			}
			f.field[f.n], f.quoted[f.n] = line[start:p], false
		}
		f.n++
		next := s.passSeparator(line, p)
		f.separated(line[p:next], &kind)
		switch {
		case f.n == want && next > p:
			f.more = true
			return
		case p == len(line):
			return
		case next == len(line): // blanks were trimmed
			f.problem = lastComma
			return
		case next == p:
			f.problem = "a separator behind the closing quote"
			return
		}
		p = next
	}
}

// numbers reports whether all fields are numbers.
func (f *lineFields) numbers() bool {
	for _, tok := range f.field[:f.n] {
		if !isNumber(tok) {
			return false
		}
	}
	return true
}

// separated notes what separates two fields; kind is what separated those before.
func (f *lineFields) separated(by []byte, kind *byte) {
	if len(by) == 0 {
		return
	}
	c := separator(by)
	f.mixed = f.mixed || *kind != 0 && *kind != c
	*kind = c
}

// separator is the kind of the blanks, and perhaps a comma, at the beginning of a text: a
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

// takeQuoted takes the quoted field at line[p] and returns its end, or -1 when
// it is not closed.
func (f *lineFields) takeQuoted(line []byte, p int) int {
	field, end := quotedField(line, p)
	if end >= 0 {
		f.field[f.n], f.quoted[f.n] = field, true
	}
	return end
}

// quotedField is what stands in quotes at line[p], and its end behind them, or
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

// passSeparator is the end of the blanks and the comma that may stand at line[p].
func (s *splitter) passSeparator(line []byte, p int) int {
	for p < len(line) && isBlank(line[p]) {
		p++
	}
	if s.commas && p < len(line) && line[p] == ',' {
		for p++; p < len(line) && isBlank(line[p]); p++ {
		}
	}
	return p
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }
