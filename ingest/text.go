package ingest

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
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
	header := o.Table.headerIn(format)
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
	if err := s.check(p.name(), &t.layout, o); err != nil {
		return nil, err
	}
	if t.saysUndirected() {
		o.Warn(p.name() + ": says that its edges are undirected: use --undirected, unless you did")
	}
	if s.header != "" && header == HeaderAuto {
		o.Warn(fmt.Sprintf("%s:%d: %q was taken for a header line and passed over", p.name(), s.skipLines, s.header))
	}
	if t.layout.pick == nil && format == Text {
		t.layout.pickable, t.layout.pickAdvice = true, s.adviceColumns(header)
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

// check refuses columns at other places than the first ones, and numbers that are no ids in the first line.
func (s *textSniff) check(file string, l *lineLayout, o ReadOptions) error {
	if l.pick == nil {
		if err := s.checkColumns(file, o.Weights); err != nil {
			return err
		}
	}
	if !s.numbers || o.IDs != IDsAuto {
		return nil
	}
	return &SyntaxError{
		File: file, Line: s.firstLine, Text: s.first, Expected: "integers as ids, as those behind it are",
		Advice: "write it so, or use --header if it names the columns, or --ids string to take all ids as text",
	}
}

// adviceColumns is what can be done about lines of more columns than are read.
func (s *textSniff) adviceColumns(header HeaderMode) string {
	switch {
	case s.mixedNames:
		return adviceMixed([]byte(s.header))
	case s.doubtful != nil && header == HeaderAuto:
		return adviceDoubtful(s.doubtful)
	}
	return adviceColumns(s.columnNames)
}

// warnEncoding warns of lines in the beginning that are not of UTF-8.
func warnEncoding(h *inputHead, l *lineLayout, warn func(string)) {
	if utf8.Valid(h.bytes) {
		return
	}
	lines := linesOf(h)
	for {
		line, _, ok := lines.data(l, false)
		if !ok {
			return
		}
		if !utf8.Valid(line) {
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
	for line := range t.firstData() {
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
	at = withWeightOf(header, at)
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

// saysUndirected reports whether the first lines do, as Gephi writes them: in a column called Type.
func (t *lineBody) saysUndirected() bool {
	if t.header == nil {
		return false
	}
	at := findColumn(t.header.names, "type")
	if at < 0 {
		return false
	}
	said := false
	for line := range t.firstData() {
		cells := t.layout.columnNames(line)
		if said = at < len(cells) && strings.EqualFold(strings.TrimSpace(cells[at]), "undirected"); !said {
			return false
		}
	}
	return said
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

// scientific are numbers with a point and an exponent, as numpy.savetxt writes all unless it is asked for others.
var scientific = regexp.MustCompile(`^[+-]?\d\.\d*[eE][+-]\d+$`)

// withoutExponents is a command that writes such integers as integers are written, where a float is one integer alone, and leaves all else.
const withoutExponents = `python3 -c 'import sys, re; n = lambda m: b"%d" % float(m[0]) if float(m[0]).is_integer() and abs(float(m[0])) < 2**53 else m[0]; ` +
	`sys.stdout.buffer.writelines(l if l[:1] == b"#" else re.sub(rb"(?<![^\s,;|])[+-]?\d+\.\d*(?:[eE][+-]\d+)?(?![^\s,;|])", n, l) for l in open(sys.argv[1], "rb"))'`
