package text

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/garaph/garaph/ingest/header"
	"github.com/garaph/garaph/ingest/read"
)

// pickColumns finds the columns that the options name, and sets their places
// in the layout.
func pickColumns(h *read.Head, l *Layout, o *read.TableOptions) error {
	if len(o.Columns) == 0 {
		return nil
	}
	var names []string
	var line []byte
	var at int64
	if o.Named() {
		if line, at = headerOf(h, l); line != nil {
			names = l.columnNames(line)
		}
		if names == nil {
			return &read.InputError{
				File: h.Input.Name, Problem: "has no header line", Advice: "give the columns by their numbers",
			}
		}
	}
	l.pick = make([]int, len(o.Columns))
	for i, c := range o.Columns {
		if n, err := strconv.Atoi(c); err == nil {
			l.pick[i] = n - 1
			continue
		}
		if l.pick[i] = header.FindColumn(names, c); l.pick[i] < 0 {
			return &read.SyntaxError{
				File: h.Input.Name, Line: at,
				Text: read.Shown([]byte(strings.Join(names, ", "))), Expected: fmt.Sprintf("one column %q in the header", c),
				Advice: "give the column's number",
			}
		}
	}
	if problem := sameColumn(l.pick, o.Columns); problem != "" {
		return &read.InputError{File: h.Input.Name, Problem: problem, Advice: read.AdviceOther}
	}
	l.depth = slices.Max(l.pick) + 1
	if names == nil {
		return nil
	}
	if !l.runs() {
		l.width = len(names)
	}
	var f lineFields
	if l.picked(line, &f); f.mixed { // its blanks would shift the columns
		return &read.SyntaxError{
			File: h.Input.Name, Line: at, Text: read.Shown(line), Expected: mixedSeparators, Advice: read.AdviceDelimiter,
		}
	}
	return nil
}

// sameColumn returns the problem of a column that was chosen twice, by its name and its number
// perhaps; "" if there is none.
func sameColumn(at []int, chosen []string) string {
	for i, c := range at {
		if k := slices.Index(at, c); k < i {
			return fmt.Sprintf("has one column that is both %q and %q", chosen[k], chosen[i])
		}
	}
	return ""
}

// picked takes the columns that were chosen out of a line.
func (l *Layout) picked(line []byte, f *lineFields) {
	f.reset(len(l.pick))
	for k, p := 0, 0; k < l.depth; k++ {
		if p < 0 {
			f.n, f.problem = 0, fmt.Sprintf("at least %d columns", l.depth)
			return
		}
		field, end, next, problem := l.next(line, p)
		if problem != "" {
			f.n, f.problem = 0, problem
			return
		}
		for i, column := range l.pick {
			if column == k {
				f.field[i] = field
			}
		}
		if p = next; p >= 0 && l.delimiter == 0 {
			f.separated(line[end:p])
		}
		f.rest = p
		// some may be in quotes
		if k+1 == l.depth && l.width > 0 && p >= 0 && l.depth+1+bytes.Count(line[p:], []byte{l.delimiter}) > l.width {
			if n := l.countNames(line); n > l.width {
				f.n, f.problem = 0, fmt.Sprintf("%d fields, as in the header, and not %d", l.width, n)
				return
			}
		}
	}
	f.mixed = f.mixed && !l.numbers(line)
}

// numbers reports whether the columns of a line are numbers, as far as any is read: no
// blank is of a name.
func (l *Layout) numbers(line []byte) bool {
	for k, p := 0, 0; k < l.depth && p >= 0; k++ {
		var field []byte
		if field, _, p, _ = l.next(line, p); !read.IsNumber(field) {
			return false
		}
	}
	return true
}

// fields takes a line of data apart into f, up to want fields, or into the
// columns that were chosen.
func (l *Layout) fields(line []byte, want int, f *lineFields) {
	if l.pick != nil {
		l.picked(line, f)
	} else {
		l.split(line, want, f)
	}
	if f.problem != "" || f.rest < 0 {
		return
	}
	if c := l.quotesBehind(f.by); c != 0 && opensQuote(line[f.rest:], c) { // its next line is no edge
		f.n, f.problem = 0, openQuote
	}
}

// plainSeps returns the separators of the fast path: none when lines need more care.
func (l *Layout) plainSeps() uint64 {
	if l.pick != nil && !slices.Equal(l.pick, []int{0, 1, 2}[:len(l.pick)]) {
		return 0
	}
	switch l.delimiter {
	case 0:
		return textSeps
	case ' ', '\t', ',':
		return 1 << l.delimiter
	}
	return 0
}

// trimEnd cuts the line end and the blanks before it.
func trimEnd(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	for len(line) > 0 && isBlank(line[len(line)-1]) {
		line = line[:len(line)-1]
	}
	return line
}
