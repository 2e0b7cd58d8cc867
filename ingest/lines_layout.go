package ingest

import (
	"bytes"
	"fmt"
)

// columns says what stands behind the two ids of a line.
type columns uint8

const (
	twoColumns  columns = iota // nothing
	withWeight                 // a weight
	restIgnored                // anything, passed over
)

// picking is which columns are taken.
type picking struct {
	pick  []int // those of ids and weight, from 0 on; nil: the first ones
	depth int   // how many columns a line must have for pick
	width int   // how many it may have, where pick is by the names of a header; 0: any number
}

// lineLayout is what a line of a text format looks like, and what becomes of
// its ids: the general form of what plainLines does fast.
type lineLayout struct {
	splitter
	plain   plainLines
	columns columns
	ids     IDKind
	bounded bool // ids are checked against plain.ids even when delivered as they stand
	names   bool // lines hold one id and no edge (LDBC .v)

	picking

	found   bool      // the ids were found to be integers, not asked to be
	guessed bool      // the number of columns was found, not asked for
	what    [2]string // what the ids are called in errors
}

// mixedSeparators is what is expected in place of spaces between some fields, and tabs or commas between others.
const mixedSeparators = "spaces, tabs or commas between the fields, not several of these"

// parseLine takes one line of data apart, as splitter.data gives it. It returns
// nil when the line is good.
func (l *lineLayout) parseLine(line []byte, e *lineEdge) *badLine {
	whole := line
	if l.plain.arc {
		if len(line) < 2 || line[0] != 'a' || !isBlank(line[1]) {
			return &badLine{text: whole, expected: `an arc "a u v weight", or a comment "c …"`}
		}
		line = bytes.TrimLeft(line[1:], " \t")
	}
	e.count = 2
	want := 3
	if l.columns == restIgnored {
		want = 2
	}
	if l.names {
		e.count, want = 1, 1
	}
	f := new(lineFields)
	l.fields(line, want, f)
	if bad := l.checkColumns(whole, f, e.count); bad != nil {
		return bad
	}
	for i := range e.count {
		if bad := l.parseID(f.field[i], i, e); bad != nil {
			return bad
		}
	}
	if l.columns == withWeight && !l.names {
		return l.parseWeight(f.field[2], e)
	}
	return nil
}

// checkColumns refuses lines that cannot be split or have too few or too many
// fields.
func (l *lineLayout) checkColumns(line []byte, f *lineFields, ids int) *badLine {
	expected, advice := "", ""
	switch {
	case f.problem != "":
		expected = f.problem
	case f.mixed && l.pick != nil && l.plain.seps == 0, // what is between the columns may have blanks
		l.ids == IDString && f.mixed && (bytes.IndexByte(line, ',') >= 0 || !f.numbers()):
		expected, advice = mixedSeparators, adviceDelimiter
	case l.names && f.more:
		expected = "one vertex id and nothing behind it"
	case l.names:
	case f.n < ids:
		expected = "two ids"
		if l.delimiter == 0 && bytes.ContainsAny(line, ";|:") {
			advice = adviceDelimiter
		}
	case l.columns == withWeight && f.n == 2:
		expected, advice = "a weight behind the two ids", l.adviceMore()
	case l.columns == withWeight && f.more:
		expected, advice = "two ids and a weight, and nothing behind them", l.adviceMore()
	case l.columns == twoColumns && f.n > 2 && l.guessed:
		expected, advice = "two ids, or two ids and a weight, and nothing behind them", l.adviceMore()
	case l.columns == twoColumns && f.n > 2:
		expected, advice = "two ids and nothing behind them", l.adviceMore()
	}
	if expected == "" {
		return nil
	}
	return &badLine{text: line, expected: expected, advice: advice}
}

// adviceMore is what can be done about a line with other columns than are read.
func (l *lineLayout) adviceMore() string {
	if l.guessed {
		return adviceColumns
	}
	return adviceNoWeights
}

// parseID reads the source (i = 0) or the destination (i = 1).
func (l *lineLayout) parseID(tok []byte, i int, e *lineEdge) *badLine {
	if l.ids == IDString {
		if bad := checkName(tok); bad != nil {
			return bad
		}
		e.names[i] = tok
		if !l.bounded {
			return nil
		}
	}
	id, kind := parseInteger(tok)
	count := l.plain.ids.rows
	if i == 1 {
		count = l.plain.ids.cols
	}
	if kind == notInteger || kind == hugeInteger || l.bounded && (kind != plainInteger || id-l.plain.ids.lo >= count) {
		return l.badID(tok, kind, i, count)
	}
	if l.plain.canonical && !isCanonical(tok) {
		return &badLine{text: tok, expected: fmt.Sprintf("an integer as %s without plus sign and leading zeros, as the ids so far", l.what[i]), advice: adviceStrings}
	}
	e.ids[i], e.kinds[i] = id-l.plain.ids.sub, kind
	return nil
}

// badID says what is wrong with an id that parseID refuses; count ids are
// admitted.
func (l *lineLayout) badID(tok []byte, kind integerKind, i int, count uint64) *badLine {
	b := &badLine{text: quotedEmpty(tok)}
	text := l.commas && len(tok) > 0 // ids of such formats may be names
	switch lo := l.plain.ids.lo; {
	case kind == notInteger && l.found:
		b.expected = "an integer as " + l.what[i] + ", for the ids so far were integers"
	case kind == notInteger:
		b.expected = "an integer as " + l.what[i]
	case !l.bounded:
		b.expected = "an integer of at most 64 bits as " + l.what[i]
	case count == 0:
		b.expected, text = "no "+l.what[i]+", for the header promises none", false
	default:
		b.expected, text = fmt.Sprintf("a %s from %d to %d", l.what[i], lo, lo+count-1), false
		if l.commas {
			b.advice = adviceGaps
		}
	}
	if text {
		b.advice = adviceStrings
	}
	return b
}

// parseWeight reads the weight of a line.
func (l *lineLayout) parseWeight(tok []byte, e *lineEdge) *badLine {
	var kind weightKind
	e.weight, kind = l.plain.weights.parse(tok)
	if e.rounded = kind == roundedWeight; e.rounded || kind == goodWeight {
		return nil
	}
	return &badLine{text: quotedEmpty(tok), expected: kind.expected(), advice: adviceNoWeights}
}

// nextData returns the next whole line with data, and how long it is with its end and what surrounds the data.
func (l *lineLayout) nextData(lines *headLines, grow bool) (line []byte, length int, ok bool) {
	for {
		raw, ok := lines.next(grow)
		if !ok {
			return nil, 0, false
		}
		if line, ok := l.data(raw); ok {
			return line, len(raw), true
		}
	}
}

// takeHeader sets up the ids of a format that counts its vertices, from 1, in a
// header.
func (l *lineLayout) takeHeader(p *inputPlan, lines *headLines, o ReadOptions, rows, cols int64) error {
	s := &p.schema
	p.takeIDs(o.IDs)
	s.Weighted = l.columns == withWeight
	l.ids, l.bounded = s.IDs, true
	l.plain.rest = l.columns == restIgnored
	l.plain.ids = idRange{lo: 1, rows: uint64(rows), cols: uint64(cols)}
	if s.IDs == IDDense {
		l.plain.ids.sub = 1
		s.Vertices = max(rows, cols)
		if s.Vertices > maxDense+1 {
			return lines.refused(fmt.Appendf(nil, "%d", s.Vertices), fmt.Sprintf("at most %d vertices", int64(maxDense+1)), "")
		}
	}
	return nil
}
