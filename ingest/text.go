package ingest

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDense is the largest dense id; 4294967295 is no vertex, so that a vertex
// count fits in 32 bits.
const maxDense = math.MaxUint32 - 1

// Separators as bits, for plainLines: blanks, and blanks and commas.
const (
	blankSeps = 1<<' ' | 1<<'\t'
	textSeps  = blankSeps | 1<<','
)

// planText plans what is an edge per line with nothing before it: SNAP text,
// TSV and CSV, GAP .el and .wel, LDBC .e, and LDBC .v with a vertex per line.
func planText(p *inputPlan, h *inputHead, o ReadOptions) (*inputPlan, error) {
	format := p.schema.Format
	if err := checkText(h, format, o.Format == format); err != nil {
		return nil, err
	}
	if format == Text {
		o.Table.Delimiter = cmp.Or(o.Table.Delimiter, passDelimiter(h))
	}
	t, err := textBody(p, h, o)
	if err != nil {
		return nil, err
	}
	header := o.Table.Header
	switch {
	case format != Text:
		header = HeaderNo
	case o.Table.named():
		header = HeaderYes
	}
	s := sniffText(h, &t.layout, header)
	p.skipBytes, p.skipLines = s.skipBytes, s.skipLines
	t.first = t.layout.firstOf(h, s.skipBytes)
	if s.header != "" {
		t.header = &headerLine{line: s.header, ids: s.headerIDs, names: s.columnNames}
		if err := t.checkRowNames(p.name(), &s, &o.Table); err != nil {
			return nil, err
		}
	}
	if format == Text && o.Table.Delimiter == 0 {
		if err := checkDelimiter(h, &t.layout, o.Warn); err != nil {
			return nil, err
		}
	}
	if t.layout.pick == nil {
		if err := s.checkColumns(p.name(), o.Weights); err != nil {
			return nil, err
		}
	}
	if s.numbers && o.IDs == IDsAuto {
		return nil, &SyntaxError{
			File: p.name(), Line: s.firstLine, Text: s.first, Expected: "integers as ids, as those behind it are",
			Advice: "write it so, or use --header if it names the columns, or --ids string to take all ids as text",
		}
	}
	if s.header != "" && header == HeaderAuto {
		o.Warn(fmt.Sprintf("%s:%d: %q was taken for a header line and passed over", p.name(), s.skipLines, s.header))
	}
	if t.layout.pick == nil && format == Text {
		t.layout.pickable = true
		switch {
		case s.mixedNames:
			t.layout.pickAdvice = adviceMixed([]byte(s.header))
		case s.doubtful != nil && header == HeaderAuto:
			t.layout.pickAdvice = adviceDoubtful(s.doubtful)
		default:
			t.layout.pickAdvice = adviceColumns(s.columnNames)
		}
	}
	if hasBanner(h.bytes) {
		o.Warn(p.name() + ": begins like a Matrix Market file, but is read as " + string(format))
	}
	if err := chooseIDs(p, h, s, &t.layout, o); err != nil {
		return nil, err
	}
	if p.schema.IDs == IDString {
		warnEncoding(h, &t.layout, o.Warn)
	}
	chooseColumns(p, s, &t.layout, o)
	doubtful := s.doubtful != nil && header == HeaderAuto && p.schema.IDs == IDString
	p.adapt = func(final Schema) {
		t.layout.adapt(p, final)
		if line, good := t.firstGood(); doubtful && (good || line == nil) { // an error names it else
			o.Warn(fmt.Sprintf("%s:%d: %q was taken for an edge, though it may be a header line; use --header to pass over it, or --no-header to say that it is an edge",
				p.name(), s.firstLine, s.first))
		}
	}
	p.body = t
	return p, nil
}

// warnEncoding warns of lines in the beginning that are not of UTF-8.
func warnEncoding(h *inputHead, l *lineLayout, warn func(string)) {
	if utf8.Valid(h.bytes) {
		return
	}
	lines := linesOf(h)
	for {
		raw, ok := lines.next(false)
		if !ok {
			return
		}
		if line, ok := l.data(raw); ok && !utf8.Valid(line) {
			warn(fmt.Sprintf("%s:%d: %q is not UTF-8; if it is Latin-1, `iconv -f latin1 -t utf-8` converts it", h.in.name, lines.lines, shown(line)))
			return
		}
	}
}

// textBody has the layout of the lines, as far as it is known before they are looked at.
func textBody(p *inputPlan, h *inputHead, o ReadOptions) (*lineBody, error) {
	format := p.schema.Format
	t := &lineBody{skipBad: o.SkipBadLines, layout: lineLayout{
		splitter: splitter{comments: "#%", commas: true},
		plain:    plainLines{seps: textSeps},
		what:     [2]string{"source id", "target id"},
		names:    format == LDBC && extension(h.in.name) == ".v",
	}}
	if format == Text {
		t.layout.delimiter = cmp.Or(o.Table.Delimiter, delimiterByName(h, &t.layout))
	}
	t.quotes = adviceQuotes(h, t.layout.delimiter)
	if format == Text {
		if err := t.checkFirst(h); err != nil {
			return nil, err
		}
		if err := pickColumns(h, &t.layout, &o.Table); err != nil {
			return nil, err
		}
		t.layout.plain.seps, t.layout.plain.delimiter = t.layout.plainSeps(), t.layout.delimiter
	}
	if t.layout.names {
		t.layout.what[0] = "vertex id"
		p.schema.Edges = 0
	}
	return t, nil
}

// checkFirst refuses a first line, a header perhaps, with a quote that is not closed.
func (t *lineBody) checkFirst(h *inputHead) error {
	var f lineFields
	line, at := headerOf(h, &t.layout)
	if t.layout.fields(line, 2, &f); f.problem != openQuote {
		return nil
	}
	return &SyntaxError{File: h.in.name, Line: at, Text: shown(line), Expected: openQuote, Advice: t.quotes}
}

// checkColumns refuses a header with the usual names of the id columns at other places than
// the first ones.
func (s *textSniff) checkColumns(file string, weights WeightMode) error {
	usual := misplaced(s.columnNames)
	if usual == nil {
		return nil
	}
	if weights != WeightsNo {
		usual = withWeightOf(s.columnNames, usual)
	}
	bad := &SyntaxError{
		File: file, Line: s.skipLines, Text: s.header, Expected: "source and destination as the first columns",
		Advice: "use " + columnFlags(s.columnNames, usual...),
	}
	if s.mixedNames {
		bad.Expected, bad.Advice = mixedColumns, adviceMixed([]byte(s.header))
	}
	return bad
}

// checkRowNames refuses a header without a name for the first column, which is how R and pandas write the names of rows: columns would be taken
// from the places before theirs. So it refuses one without a name for the last.
func (t *lineBody) checkRowNames(file string, s *textSniff, o *TableOptions) error {
	if len(o.Columns) > 0 && !o.named() || s.mixedNames || s.columnNames == nil {
		return nil
	}
	header, lines := s.columnNames, 0
	var f lineFields
	for raw := range bytes.Lines(t.first) {
		line, ok := t.layout.data(raw)
		if !ok {
			continue
		}
		t.layout.split(line, 3, &f)
		if lines++; f.mixed || t.layout.countNames(line) != len(header)+1 {
			return nil
		}
	}
	if lines == 0 {
		return nil
	}
	at := []int{0, 1}
	if ends := columnsOfEnds(header); ends != nil {
		at = ends
	}
	if i := slices.IndexFunc(header, mayBeWeight); i >= 0 {
		at = append(at, i)
	}
	var here, behind []string // numbers from 1 on
	for _, i := range at {
		here, behind = append(here, strconv.Itoa(i+1)), append(behind, strconv.Itoa(i+2))
	}
	if len(header) == 2 {
		here = append(here, "3")
	}
	return &SyntaxError{
		File: file, Line: s.skipLines, Text: s.header, Expected: fmt.Sprintf("%d names, as the lines behind it have fields, and not %d", len(header)+1, len(header)),
		Advice: fmt.Sprintf("R and pandas leave out the name of the first column, of the names of rows: use --header --columns %s then, or --header --columns %s where the last column has no name", strings.Join(behind, ","), strings.Join(here, ",")),
	}
}

// chooseIDs decides the kind of ids.
func chooseIDs(p *inputPlan, h *inputHead, s textSniff, l *lineLayout, o ReadOptions) error {
	p.schema.IDs = defaultIDs(p.schema.Format, o.IDs)
	if o.IDs != IDsAuto || p.schema.IDs == IDDense {
		return nil
	}
	l.found = true
	p.openIDs = s.ints+s.texts+s.padded == 0
	if s.texts+s.padded == 0 {
		return nil
	}
	p.schema.IDs = IDString
	switch {
	case s.texts > 0 && s.points == s.texts:
		writer, command := "pandas writes integers so, of a column with empty cells", `sed -E 's/\.0*([^0-9.]|$)/\1/g'`
		if s.exponents > 0 {
			writer, command = "numpy.savetxt writes integers so, unless it is called with fmt='%d'", withoutExponents
		}
		return &SyntaxError{
			File: p.name(), Line: s.textLine, Text: s.text, Expected: "an integer without a point, or a name",
			Advice: writer + "; " + h.pasted("write them without: "+command+" "+shellWord(p.name())+" > edges"+extension(p.name())) + "; or use --ids string to take all ids as text",
		}
	case s.texts == 0:
		o.Warn(fmt.Sprintf("%s:%d: %q is not written as integers are, without plus sign and leading zeros, so all ids are taken as text; use --ids int to take them as integers, and this one as %s",
			p.name(), s.paddedLine, s.paddedText, s.paddedNumber))
	case s.ints > 8*s.texts:
		o.Warn(fmt.Sprintf("%s:%d: %q is no integer of 64 bits, so all ids are taken as text, though most are integers; use --ids int to take them as such",
			p.name(), s.textLine, s.text))
	case s.huge == s.texts:
		o.Warn(fmt.Sprintf("%s:%d: %s is an integer of more than 64 bits, so all ids are taken as text, in the order of letters: 10 comes before 9",
			p.name(), s.textLine, s.text))
	}
	return nil
}

// chooseColumns decides what stands behind the ids.
func chooseColumns(p *inputPlan, s textSniff, l *lineLayout, o ReadOptions) {
	l.guessed = false
	switch len(l.pick) {
	case 2:
		return
	case 3:
		l.columns, p.schema.Weighted = withWeight, true
		return
	}
	switch format := p.schema.Format; {
	case l.names:
		p.openWeights = true
	case o.Weights == WeightsNo:
		l.columns = restIgnored
	case o.Weights == WeightsYes || format == WEL:
		l.columns = withWeight
	case format == EL:
		l.moreAdvice = "use --format wel to take weights, or --weights no to pass over what follows the ids"
	default:
		l.guessed = true
		p.openWeights = !s.columnsKnown
		if s.weighted {
			l.columns = withWeight
			if names := s.columnNames; len(names) == 3 && !s.mixedNames && !mayBeWeight(names[2]) {
				o.Warn(takenAsWeight(p.name(), names[2]))
			}
		}
	}
	p.schema.Weighted = l.columns == withWeight
}

// adapt decides what the beginning left open, and how ids are checked.
func (l *lineLayout) adapt(p *inputPlan, s Schema) {
	l.ids = s.IDs
	if p.openWeights && s.Weighted {
		l.columns = withWeight
	}
	l.plain.rest = l.columns == restIgnored || l.pick != nil && l.depth != l.width
	l.plain.most = max(0, l.width-l.depth)
	l.plain.ids = idRange{rows: 1 << 63, cols: 1 << 63}
	l.plain.canonical = l.found && s.IDs == IDInt
	if l.ids == IDDense {
		l.bounded = true
		l.advice = "use --ids int for ids that are not dense"
		l.plain.ids = idRange{rows: maxDense + 1, cols: maxDense + 1}
	}
}

// textSniff is what the beginning of a text shows.
type textSniff struct {
	skipBytes, skipLines int64
	idSniff
	headerSniff
	columnsKnown bool // there was a line that shows the columns
	weighted     bool
	thirdKnown   bool // there was a line that shows the third column, with or without more behind it
	thirdNumber  bool
}

// idSniff counts ids by what they look like.
type idSniff struct {
	ints, texts  int64  // ids that are integers of 64 bits, and others
	huge         int64  // of the others, those that are integers of more bits
	points       int64  // of the others, those that are integers with a point and zeros behind it, or with an exponent too
	exponents    int64  // of these, those with an exponent
	text         string // the first of the others
	textLine     int64
	padded       int64  // ids that are integers in another way of writing: 007, +7, -0
	paddedText   string // the first of them
	paddedNumber string // as integers are written
	paddedLine   int64
}

// headerSniff is the first line, which may be a header.
type headerSniff struct {
	header      string    // the header line; empty if there is none
	headerIDs   [2]string // what it has in the place of ids
	first       string    // the first line
	firstLine   int64
	doubtful    []string // the columns of the first line, where it may be a header, or not
	numbers     bool     // it would be a header, but has numbers in the place of ids
	columnNames []string // of the header
	mixedNames  bool     // which has spaces between some, and tabs or commas between others
}

// sniffText looks at the first mebibyte, or at more if that is all comments.
func sniffText(h *inputHead, l *lineLayout, header HeaderMode) textSniff {
	var s, rest textSniff // of all lines, and of those behind the first
	var first, f lineFields
	var names []string
	lines := linesOf(h)
	s.skipBytes, s.skipLines = int64(lines.at), lines.lines
	again := false  // an id of the first line comes again
	surely := false // the first line is a header
	for n := 0; ; {
		raw, ok := lines.next(n == 0)
		if !ok {
			break
		}
		line, ok := l.data(raw)
		if !ok {
			continue
		}
		l.fields(line, 3, &f)
		if n++; n == 1 { // comments before it may be of any form
			s.skipBytes, s.skipLines = int64(lines.at-len(raw)), lines.lines-1
		}
		if n == 1 && header != HeaderNo {
			first, names = f, l.columnNames(line)
			rest.skipBytes, rest.skipLines = int64(lines.at), lines.lines
			rest.header = shown(line)
			s.first, s.firstLine = rest.header, lines.lines
			surely = f.n >= 2 && (header == HeaderYes || isUsual(string(f.field[0]), 0) && isUsual(string(f.field[1]), 1))
		} else {
			if !surely || !first.sameIDs(&f) { // it comes again where files were joined
				rest.note(&f, lines.lines, l.names)
			}
			again = again || first.sharesID(&f)
		}
		s.note(&f, lines.lines, l.names)
	}
	// Tables have headers; other edge lists of names seldom do.
	ext := extension(h.in.name)
	table := l.delimiter != 0 || l.pick != nil || ext == ".csv" || ext == ".tsv" || strings.Contains(s.first, ",")
	switch {
	case rest.header == "":
	case header == HeaderAuto && isHeader(&first, names, &rest) && beginsNumber(first.field[0]) && beginsNumber(first.field[1]):
		s.numbers = true
		return s
	case header == HeaderYes, isHeader(&first, names, &rest), table && misplaced(names) != nil:
		rest.columnNames, rest.mixedNames = names, first.mixed
		rest.headerIDs = [2]string{string(first.field[0]), string(first.field[1])}
		return rest
	}
	if table && rest.ints+rest.texts+rest.padded > 0 && !again && mayBeHeader(&first) {
		s.doubtful = names
	}
	return s
}

// sameIDs reports whether two lines have the same ids.
func (f *lineFields) sameIDs(o *lineFields) bool {
	return f.n >= 2 && o.n >= 2 && bytes.Equal(f.field[0], o.field[0]) && bytes.Equal(f.field[1], o.field[1])
}

// sharesID reports whether two lines have an id in common, at any ends.
func (f *lineFields) sharesID(o *lineFields) bool {
	for _, a := range f.field[:min(f.n, 2)] {
		for _, b := range o.field[:min(o.n, 2)] {
			if bytes.Equal(a, b) {
				return true
			}
		}
	}
	return false
}

// note takes one line into account. Lines that will not parse have no say.
func (s *textSniff) note(f *lineFields, line int64, names bool) {
	ids := 2
	if names {
		ids = 1
	}
	if f.problem != "" || f.n < ids {
		return
	}
	for _, tok := range f.field[:ids] {
		_, kind := parseInteger(tok)
		if kind != notInteger && kind != hugeInteger {
			s.noteInteger(tok, line)
			continue
		}
		if len(tok) == 0 { // a cell that is empty, in some line
			continue
		}
		if s.texts++; s.texts == 1 {
			s.text, s.textLine = shown(tok), line
		}
		if kind == hugeInteger {
			s.huge++
		}
		switch {
		case isPointed(tok):
			s.points++
		case isScientific(tok):
			s.points++
			s.exponents++
		}
	}
	number := f.n == 3 && isNumber(f.field[2])
	if decimal := f.n == 3 && hasDecimalComma(f.field[2]); !s.thirdKnown && (f.n == 2 || number || decimal) {
		s.thirdKnown, s.thirdNumber = true, number || decimal
	}
	if !s.columnsKnown && !f.more && (f.n == 2 || number) {
		s.columnsKnown, s.weighted = true, number
	}
}

// isPointed reports whether a token is an integer with a point, and perhaps zeros, behind it.
func isPointed(tok []byte) bool {
	at := bytes.IndexByte(tok, '.')
	return at >= 0 && len(bytes.Trim(tok[at+1:], "0")) == 0 && !isText(tok[:at])
}

// scientific are numbers with a point and an exponent, as numpy.savetxt writes all unless it is asked for others.
var scientific = regexp.MustCompile(`^[+-]?\d\.\d*[eE][+-]\d+$`)

// isScientific reports whether a token is an integer of 64 bits in that form.
func isScientific(tok []byte) bool {
	if !beginsNumber(tok) || !scientific.Match(tok) {
		return false
	}
	x, err := strconv.ParseFloat(string(tok), 64)
	return err == nil && x == math.Trunc(x) && math.Abs(x) <= 1<<63
}

// withoutExponents is a command that writes such integers as integers are written, where a float is one integer alone, and leaves all else.
const withoutExponents = `python3 -c 'import sys, re; n = lambda m: b"%d" % float(m[0]) if float(m[0]).is_integer() and abs(float(m[0])) < 2**53 else m[0]; ` +
	`sys.stdout.buffer.writelines(l if l[:1] == b"#" else re.sub(rb"(?<![^\s,;|])[+-]?\d+\.\d*(?:[eE][+-]\d+)?(?![^\s,;|])", n, l) for l in open(sys.argv[1], "rb"))'`

// noteInteger takes an id into account that is an integer of 64 bits.
func (s *textSniff) noteInteger(tok []byte, line int64) {
	if isCanonical(tok) {
		s.ints++
		return
	}
	if s.padded++; s.padded == 1 {
		s.paddedText, s.paddedNumber, s.paddedLine = shown(tok), canonical(tok), line
	}
}

// headerNames are the usual names of the id columns, less case, blanks and
// punctuation.
var headerNames = [2][]string{
	{"source", "src", "from", "u", "sourceid", "srcid", "fromid", "fromnodeid", "fromnode", "sourcenode", "node1", "id1", "start", "startid"},
	{"target", "dst", "to", "v", "targetid", "dstid", "toid", "tonodeid", "tonode", "targetnode", "node2", "id2", "end", "endid", "destination", "dest"},
}

// mayBeHeader reports whether no id and no weight of a line is a number.
func mayBeHeader(f *lineFields) bool {
	if f.problem != "" || f.n < 2 || f.n == 3 && (isNumber(f.field[2]) || hasDecimalComma(f.field[2])) {
		return false
	}
	return isText(f.field[0]) && isText(f.field[1])
}

// nulls are what stands in cells that have nothing, in lower case.
var nulls = []string{"", "n/a", "na", "nan", "null", "none", "nil", `\n`, "<na>", "#n/a", "#na", "-", "--", "?", "."}

func isNull(tok []byte) bool { return slices.Contains(nulls, string(bytes.ToLower(tok))) }

// beginsNumber reports whether a field begins like a number, which it may not be: 0x10, 1_000, 5km.
func beginsNumber(tok []byte) bool {
	tok = bytes.TrimLeft(tok, "+-")
	tok = bytes.TrimPrefix(tok, []byte("."))
	return len(tok) > 0 && tok[0] >= '0' && tok[0] <= '9'
}

func isText(tok []byte) bool {
	_, kind := parseInteger(tok)
	return kind == notInteger
}

// isHeader distinguishes a header line from an edge: its fields have the usual names,
// or they are no integers while all ids behind it are, or its third is no number
// while that behind it is one. Where it mixes separators, names with
// blanks may have moved a weight behind the third: no field is a number then.
// A field that is empty or null, and a third that begins like a number, name no column.
func isHeader(f *lineFields, names []string, rest *textSniff) bool {
	if !mayBeHeader(f) {
		return false
	}
	if isUsual(string(f.field[0]), 0) && isUsual(string(f.field[1]), 1) {
		return true
	}
	if slices.ContainsFunc(f.field[:f.n], isNull) || f.n == 3 && beginsNumber(f.field[2]) {
		return false
	}
	number := f.mixed && slices.ContainsFunc(names, func(s string) bool { return isNumber([]byte(s)) })
	return rest.ints+rest.padded > 0 && rest.texts == 0 ||
		f.n == 3 && rest.thirdNumber && !number
}
