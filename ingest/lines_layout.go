package ingest

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
)

// maxName is the length of the longest string id.
const maxName = 65535

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
	advice  string    // what a user whose ids are out of range can do; empty if nothing

	moreAdvice string // what a user with a third column can do, if not the usual
	pickable   bool   // a user may choose columns, and has not
	pickAdvice string // what a user whose table has a header can do about more columns
}

const (
	adviceNoWeights     = "use --weights no to pass over what follows the ids"
	adviceTab           = "use --delimiter tab where tabs alone separate the fields"
	adviceComma         = "use --delimiter , where commas alone separate the fields"
	adviceEmpty         = "where cells may be empty, use --delimiter , and take columns without such cells, as --columns 1,2 does"
	adviceTwoColumns    = "name two columns to leave out the weights"
	mixedColumns        = "columns with spaces, tabs or commas between them, not several of these"
	mixedNames          = "names with spaces, tabs or commas between them, not several of these"
	adviceAttributes    = "attributes in braces are what networkx.write_edgelist writes: write weights by networkx.write_weighted_edgelist, or use --weights no to leave the attributes out"
	adviceReturns       = "where they end lines, write line feeds in their places: tr '\\r' '\\n'"
	adviceDecimal       = "write weights with points in the places of commas, or "
	adviceThousands     = "write weights without the commas where these separate thousands, or "
	adviceEither        = "write weights with points in the places of commas where these begin decimals, and without the commas where these separate thousands, or "
	advicePlain         = "write weights as plain numbers, such as 1234.5, or "
	adviceStrings       = "use --ids string to take ids as text"
	adviceIntegers      = "write integers without a point and an exponent, as numpy.savetxt does with fmt='%d', or "
	adviceColumnNumbers = "use --columns SRC,DST[,WEIGHT], by their numbers from 1, or --weights no where the first two are the ids, to pass over what follows them"
	adviceMatrix        = "; rows of a matrix are no edges: scipy.io.mmwrite writes one as a file .mtx, which is read"
	adviceBetween       = "use --columns 1,3 where the ids are the first and the third, or --weights no where they are the first two, to pass over what follows them"
)

// badLine says what is wrong with a line.
type badLine struct {
	text     []byte
	expected string
	advice   string
	fields   int // how many there are, where that is more than are read and nothing tells why
}

// lineEdge is one line taken apart.
type lineEdge struct {
	fields lineFields
	ids    [2]uint64
	kinds  [2]integerKind
	names  [2][]byte
	weight float32
	count  int // number of ids: 2, or 1 in a .v file
}

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
	f := &e.fields
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
	switch {
	case f.problem != "":
		b := &badLine{text: line, expected: f.problem}
		if f.problem == lastComma {
			b.advice = adviceEmpty
		}
		return b
	case f.mixed && l.pick != nil && l.plain.seps == 0: // what is between the columns may have blanks
		return &badLine{text: line, expected: mixedColumns, advice: adviceMixed(line)}
	case l.ids == IDString && f.mixed && (bytes.IndexByte(line, ',') >= 0 || !f.numbers()):
		return &badLine{text: line, expected: mixedNames, advice: adviceMixed(line)}
	case l.names:
		if f.more {
			return &badLine{text: line, expected: "one vertex id and nothing behind it"}
		}
	case f.n < ids && l.delimiter == 0 && bytes.ContainsAny(line, ";|:"):
		return &badLine{text: line, expected: "fields separated by spaces, tabs or commas", advice: "use --delimiter to name another separator"}
	case f.n < ids && l.columns == withWeight:
		return &badLine{text: line, expected: "two ids and a weight"}
	case f.n < ids:
		return &badLine{text: line, expected: "two ids"}
	case l.columns == withWeight && f.n == 2:
		if l.guessed {
			return &badLine{text: line, expected: "a weight behind the two ids, as in the lines before", advice: adviceNoWeights}
		}
		return &badLine{text: line, expected: "a weight behind the two ids"}
	case l.columns == withWeight && f.more:
		b := &badLine{text: line, expected: "two ids and a weight, and nothing behind them", advice: l.adviceMore(line, f)}
		l.countFields(b, line)
		return b
	case l.columns == twoColumns && f.n > 2:
		return l.thirdColumn(line, f)
	}
	return nil
}

// adviceMixed is what can be done about a line with several separators between its fields. Commas of numbers separate none.
func adviceMixed(line []byte) string {
	commas := false
	for cell := range bytes.SplitSeq(line, []byte{'\t'}) {
		commas = commas || bytes.IndexByte(cell, ',') >= 0 && !hasDecimalComma(cell)
	}
	switch {
	case !commas:
		return adviceTab
	case bytes.IndexByte(line, '\t') >= 0:
		return adviceTab + ", or --delimiter , where commas alone do"
	}
	return adviceComma
}

// adviceMore is what can be done about a line with too many fields.
func (l *lineLayout) adviceMore(line []byte, f *lineFields) string {
	if l.delimiter == 0 && bytes.IndexByte(line, '\t') >= 0 && bytes.IndexByte(line, ' ') >= 0 {
		return adviceTab
	}
	if l.pickable && f.more && l.pickAdvice == "" {
		return adviceColumnNumbers
	}
	return cmp.Or(l.pickAdvice, adviceNoWeights)
}

// thirdColumn is what is wrong with a line that has one where none is expected.
func (l *lineLayout) thirdColumn(line []byte, f *lineFields) *badLine {
	b := &badLine{text: line, expected: "two ids and nothing behind them", advice: l.adviceMore(line, f)}
	switch {
	case f.more && isNumber(f.field[2]) && l.moreAdvice == "":
		b.expected = "two ids, or two ids and a weight, and nothing behind them"
		if words := bytes.Fields(line); l.delimiter == 0 && len(words) == 3 && adviceWeights(words[2]) != "" {
			b.advice = adviceWeights(words[2]) + b.advice
			return b
		}
		if b.advice == adviceColumnNumbers && !slices.ContainsFunc(l.columnNames(line), func(s string) bool { return !isNumber([]byte(s)) }) {
			b.advice += adviceMatrix
		}
		l.countFields(b, line)
	case bytes.HasPrefix(f.field[2], []byte("{")):
		b.expected, b.advice = "a weight, or nothing, behind the two ids", adviceAttributes
	case l.moreAdvice != "":
		b.advice = l.moreAdvice
	case len(f.field[2]) == 0:
		b.expected = "a weight, or nothing, behind the two ids, no empty cell"
	case !isNumber(f.field[2]):
		b.text, b.expected = f.field[2], "a weight, or nothing, behind the two ids"
		if weights := adviceWeights(f.field[2]); weights != "" {
			b.advice = weights + adviceNoWeights
			return b
		}
		if l.pickable && b.advice == adviceNoWeights && isText(f.field[1]) && !isNull(f.field[2]) {
			b.advice = adviceBetween
		}
		l.countFields(b, line)
	default:
		l.countFields(b, line)
	}
	return b
}

// countFields counts the fields of a line that has too many, if these do not come from blanks in names.
func (l *lineLayout) countFields(b *badLine, line []byte) {
	if l.guessed && b.advice != adviceTab {
		b.fields = len(l.columnNames(line))
	}
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
		return &badLine{
			text:     tok,
			expected: fmt.Sprintf("an integer without plus sign and leading zeros as %s, for the ids so far were such, and this one would be the same vertex as %s", l.what[i], canonical(tok)),
			advice:   "use --ids string to keep them apart, --ids int to take both as one",
		}
	}
	e.ids[i], e.kinds[i] = id-l.plain.ids.sub, kind
	return nil
}

// badID says what is wrong with an id that parseID refuses; count ids are
// admitted.
func (l *lineLayout) badID(tok []byte, kind integerKind, i int, count uint64) *badLine {
	b := &badLine{text: tok, advice: adviceStrings}
	switch {
	case len(tok) == 0:
		b.text, b.advice = []byte(`""`), ""
	case kind == notInteger && (isPointed(tok) || isScientific(tok)):
		b.advice = adviceIntegers + b.advice
	}
	switch {
	case kind == notInteger && l.found:
		b.expected = "an integer as " + l.what[i] + ", for the ids so far were integers"
	case kind == notInteger:
		b.expected = "an integer as " + l.what[i]
		if l.bounded && l.advice == "" {
			b.advice = "" // a format of numbers
		}
	case !l.bounded:
		b.expected = "an integer of at most 64 bits as " + l.what[i]
	case count == 0:
		b.expected, b.advice = "no "+l.what[i]+", for the header promises none", ""
	default:
		lo := l.plain.ids.lo
		b.expected, b.advice = fmt.Sprintf("a %s from %d to %d", l.what[i], lo, lo+count-1), l.advice
	}
	return b
}

// checkName refuses what cannot be a string id.
func checkName(tok []byte) *badLine {
	switch {
	case len(tok) == 0:
		return &badLine{text: []byte(`""`), expected: "an id that is not empty"}
	case len(tok) > maxName:
		return &badLine{text: tok, expected: fmt.Sprintf("an id of at most %d bytes, not of %d", maxName, len(tok))}
	case bytes.IndexByte(tok, 0) >= 0:
		return &badLine{text: tok, expected: "an id without zero bytes"}
	}
	return nil
}

// parseWeight reads the weight of a line.
func (l *lineLayout) parseWeight(tok []byte, e *lineEdge) *badLine {
	var kind weightKind
	e.weight, kind = parseWeight(tok)
	if kind == goodWeight {
		return nil
	}
	if len(tok) == 0 {
		tok = []byte(`""`)
	}
	b := &badLine{text: tok, expected: kind.expected(), advice: adviceNoWeights}
	if l.pick != nil {
		b.advice = adviceTwoColumns
	}
	b.advice = adviceWeights(tok) + b.advice
	return b
}

// thousands is a number with commas between thousands.
var thousands = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$`)

// amount is a number with points or apostrophes between thousands, or with a sign of a currency.
var amount = regexp.MustCompile(`^[+-]?(\d{1,3}([.'’]\d{3})+(,\d+)?|\p{Sc}[ \x{a0}]?[+-]?\d[\d.,'’]*|\d[\d.,'’]*[ \x{a0}]?\p{Sc})$`)

// adviceWeights is what can be done about a weight that is a number for people, "" where it is none.
func adviceWeights(tok []byte) string {
	switch decimal := hasDecimalComma(tok); {
	case decimal && thousands.Match(tok):
		return adviceEither
	case decimal:
		return adviceDecimal
	case thousands.Match(tok):
		return adviceThousands
	case amount.Match(tok):
		return advicePlain
	}
	return ""
}

// hasDecimalComma reports whether a token is a number but for a comma in the place of its point.
func hasDecimalComma(tok []byte) bool {
	return bytes.Count(tok, []byte(",")) == 1 && isNumber(bytes.Replace(tok, []byte(","), []byte("."), 1))
}
