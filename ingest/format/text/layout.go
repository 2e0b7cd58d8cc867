package text

import (
	"bytes"
	"fmt"

	"github.com/garaph/garaph/ingest/read"
)

// columns describes the fields behind the two ids of a line.
type columns uint8

const (
	twoColumns  columns = iota // nothing
	withWeight                 // a weight
	restIgnored                // anything, passed over
)

// picking is which columns are taken.
type picking struct {
	pick  []int // columns of ids and weight, from 0; nil for the first ones
	depth int   // how many columns a line must have for pick
	width int   // how many it may have, where pick is by the names of a header; if 0, any number
}

// Layout describes the lines of a text format, and the reading of
// its ids: the general form of what Plain does fast.
type Layout struct {
	splitter
	plain   plainLines
	Columns columns
	IDs     read.IDKind
	bounded bool // ids are checked against plain.ids even when delivered as they stand
	names   bool // lines hold one id and no edge (LDBC .v)

	picking

	found   bool      // the ids were found to be integers, not asked to be
	guessed bool      // the number of columns was found, not asked for
	What    [2]string // the names of the ids in errors
}

// mixedSeparators is expected in place of spaces between some fields, and tabs or commas between others.
const mixedSeparators = "spaces, tabs or commas between the fields, not several of these"

// parseLine takes one line of data apart, as splitter.data gives it. It returns
// nil when the line is good.
func (l *Layout) parseLine(line []byte, e *read.Edge) *read.Bad {
	whole := line
	if l.plain.arc {
		if len(line) < 2 || line[0] != 'a' || !isBlank(line[1]) {
			return &read.Bad{Text: whole, Expected: `an arc "a u v weight", or a comment "c …"`}
		}
		line = bytes.TrimLeft(line[1:], " \t")
	}
	e.Count = 2
	want := 3
	if l.Columns == restIgnored {
		want = 2
	}
	if l.names {
		e.Count, want = 1, 1
	}
	f := new(lineFields)
	l.fields(line, want, f)
	if bad := l.checkColumns(whole, f, e.Count); bad != nil {
		return bad
	}
	for i := range e.Count {
		if bad := l.ParseID(f.field[i], i, e); bad != nil {
			return bad
		}
	}
	if l.Columns == withWeight && !l.names {
		return l.ParseWeight(f.field[2], e)
	}
	return nil
}

// checkColumns refuses lines that cannot be split or have too few or too many
// fields.
func (l *Layout) checkColumns(line []byte, f *lineFields, ids int) *read.Bad {
	expected, advice := "", ""
	switch {
	case f.problem != "":
		expected = f.problem
	case f.mixed && l.pick != nil && l.plain.Seps == 0, // fields between the columns may have blanks
		l.IDs == read.IDString && f.mixed && (bytes.IndexByte(line, ',') >= 0 || !f.numbers()):
		expected, advice = mixedSeparators, read.AdviceDelimiter
	case l.names && f.more:
		expected = "one vertex id and nothing behind it"
	case l.names:
	case f.n < ids:
		expected = "two ids"
		if l.delimiter == 0 && bytes.ContainsAny(line, ";|:") {
			advice = read.AdviceDelimiter
		}
	case l.Columns == withWeight && f.n == 2:
		expected, advice = "a weight behind the two ids", l.adviceMore()
	case l.Columns == withWeight && f.more:
		expected, advice = "two ids and a weight, and nothing behind them", l.adviceMore()
	case l.Columns == twoColumns && f.n > 2 && l.guessed:
		expected, advice = "two ids, or two ids and a weight, and nothing behind them", l.adviceMore()
	case l.Columns == twoColumns && f.n > 2:
		expected, advice = "two ids and nothing behind them", l.adviceMore()
	}
	if expected == "" {
		return nil
	}
	return &read.Bad{Text: line, Expected: expected, Advice: advice}
}

// adviceMore returns advice about a line with other columns than are read.
func (l *Layout) adviceMore() string {
	if l.guessed {
		return read.AdviceColumns
	}
	return read.AdviceNoWeights
}

// ParseID reads the source (i = 0) or the destination (i = 1).
func (l *Layout) ParseID(tok []byte, i int, e *read.Edge) *read.Bad {
	if l.IDs == read.IDString {
		if bad := read.CheckName(tok); bad != nil {
			return bad
		}
		e.Names[i] = tok
		if !l.bounded {
			return nil
		}
	}
	id, kind := read.ParseInteger(tok)
	count := l.plain.ids.rows
	if i == 1 {
		count = l.plain.ids.cols
	}
	if kind == read.NotInteger || kind == read.HugeInteger ||
		l.bounded && (kind != read.PlainInteger || id-l.plain.ids.lo >= count) {
		return l.badID(tok, kind, i, count)
	}
	if l.plain.canonical && !read.IsCanonical(tok) {
		expected := "an integer as " + l.What[i] + " without plus sign and leading zeros, as the ids so far"
		return &read.Bad{Text: tok, Expected: expected, Advice: read.AdviceStrings}
	}
	e.IDs[i], e.Kinds[i] = id-l.plain.ids.sub, kind
	return nil
}

// badID returns the error of an id that parseID refuses; count ids are
// admitted.
func (l *Layout) badID(tok []byte, kind read.IntegerKind, i int, count uint64) *read.Bad {
	b := &read.Bad{Text: read.QuotedEmpty(tok)}
	text := l.Commas && len(tok) > 0 // ids of such formats may be names
	switch lo := l.plain.ids.lo; {
	case kind == read.NotInteger && l.found:
		b.Expected = "an integer as " + l.What[i] + ", for the ids so far were integers"
	case kind == read.NotInteger:
		b.Expected = "an integer as " + l.What[i]
	case !l.bounded:
		b.Expected = "an integer of at most 64 bits as " + l.What[i]
	case count == 0:
		b.Expected, text = "no "+l.What[i]+", for the header promises none", false
	default:
		b.Expected, text = fmt.Sprintf("a %s from %d to %d", l.What[i], lo, lo+count-1), false
		if l.Commas {
			b.Advice = read.AdviceGaps
		}
	}
	if text {
		b.Advice = read.AdviceStrings
	}
	return b
}

// ParseWeight reads the weight of a line.
func (l *Layout) ParseWeight(tok []byte, e *read.Edge) *read.Bad {
	var kind read.WeightKind
	e.Weight, kind = l.plain.Weights.Parse(tok)
	if e.Rounded = kind == read.RoundedWeight; e.Rounded || kind == read.GoodWeight {
		return nil
	}
	return &read.Bad{Text: read.QuotedEmpty(tok), Expected: kind.Expected(), Advice: read.AdviceNoWeights}
}

// nextData returns the data of the next whole line that has any, and the length of the line with its end.
func (l *Layout) nextData(lines *read.Lines, grow bool) (line []byte, length int, ok bool) {
	for {
		raw, ok := lines.Next(grow)
		if !ok {
			return nil, 0, false
		}
		if line, ok := l.data(raw); ok {
			return line, len(raw), true
		}
	}
}

// NewLayout returns a layout for ids and weights of another format than text.
func NewLayout(o read.Options) Layout {
	return Layout{
		splitter: splitter{Commas: true}, plain: plainLines{Weights: o.Weights.Rule()}, What: [2]string{"source", "target"},
	}
}
