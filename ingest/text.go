package ingest

import (
	"cmp"
	"fmt"
)

// textFormats are those of lines with an edge each.
var textFormats = []*EdgeFormat{
	{Name: Text, Plan: planText, Input: Input{Table: TableLines}},
	{Name: EL, Extensions: []string{".el"}, Plan: planText, Input: Input{Dense: true}},
	{Name: WEL, Extensions: []string{".wel"}, Plan: planText, Input: Input{Dense: true, Weighted: true}},
	{Name: LDBC, Extensions: []string{".e", ".v"}, Plan: planText},
	{
		Name: DIMACS, Extensions: []string{".gr"}, Detect: isDIMACS, Plan: planDIMACS,
		Input: Input{Dense: true, FirstID: 1, Weighted: true},
	},
}

// Names of formats.
const (
	Text Format = "text"
	EL   Format = "el"
	WEL  Format = "wel"
	LDBC Format = "ldbc"
)

// Separators as bits, for plainLines: blanks, and blanks and commas.
const (
	blankSeps = 1<<' ' | 1<<'\t'
	textSeps  = blankSeps | 1<<','
)

// planText plans what is an edge per line with nothing before it: SNAP text,
// TSV and CSV, GAP .el and .wel, LDBC .e, and LDBC .v with a vertex per line.
func planText(p *inputPlan, h *inputHead, o ReadOptions) error {
	format := p.schema.Format
	if o.Format == Auto && format == Text && !o.Table.isSet() {
		if err := checkForeign(h, o.Weights); err != nil {
			return err
		}
	}
	if err := checkText(h, format, o.Format == format); err != nil {
		return err
	}
	t, err := textBody(p, h, &o)
	if err != nil {
		return err
	}
	l, header := &t.layout, headerIn(&o.Table, format)
	s := sniffText(h, l, header)
	p.skipBytes, p.skipLines = s.skipBytes, s.skipLines
	if format == Text && o.Table.Delimiter == 0 {
		if err := checkDelimiter(h, l); err != nil {
			return err
		}
	}
	if s.header != "" {
		if err := s.checkHeader(h, l, &o.Table); err != nil {
			return err
		}
		if l.pick == nil {
			p.header = s.names
		}
		if header == HeaderAuto {
			o.Warn(fmt.Sprintf("%s:%d: %q was taken for a header line and passed over", p.name(), s.skipLines, s.header))
		}
	}
	if err := chooseIDs(p, &s, l, o); err != nil {
		return err
	}
	chooseColumns(p, &s, l, o)
	doubtful := s.doubtful && header == HeaderAuto && p.schema.IDs == IDString
	p.adapt = func(final Schema) {
		l.adapt(p, final)
		if doubtful {
			o.Warn(fmt.Sprintf("%s:%d: %q was taken for an edge, though it may be a header line; use --header to pass over it", p.name(), s.firstLine, s.first))
		}
	}
	p.body = t
	return nil
}

// textBody has the layout of the lines, as far as it is known before they are looked at.
func textBody(p *inputPlan, h *inputHead, o *ReadOptions) (*lineBody, error) {
	format := p.schema.Format
	t := &lineBody{skipBad: o.SkipBadLines, layout: lineLayout{
		splitter: splitter{comments: "#%", commas: true},
		plain:    plainLines{seps: textSeps, weights: o.Weights.rule()},
		what:     [2]string{"source id", "target id"},
		names:    format == LDBC && extension(h.in.name) == ".v",
	}}
	l := &t.layout
	if l.names {
		l.what[0] = "vertex id"
		p.schema.Edges, p.vertices = 0, true
	} else if format == LDBC {
		p.beside = Beside(h.in.name)
	}
	if format != Text {
		return t, nil
	}
	o.Table.Delimiter = cmp.Or(o.Table.Delimiter, passDelimiter(h))
	l.delimiter = cmp.Or(o.Table.Delimiter, delimiterByName(h, l))
	if err := pickColumns(h, l, &o.Table); err != nil {
		return nil, err
	}
	l.plain.seps, l.plain.delimiter = l.plainSeps(), l.delimiter
	return t, nil
}

// checkHeader refuses a header by which columns would be taken from wrong places: with the usual names of the id columns
// elsewhere than at the first ones, or with less names than a line behind it has fields, as R and pandas write it
// where the first column has the names of rows.
func (s *textSniff) checkHeader(h *inputHead, l *lineLayout, o *TableOptions) error {
	bad := &SyntaxError{File: h.in.name, Line: s.skipLines, Text: s.header, Advice: "use --columns to choose columns"}
	var f lineFields
	lines := linesFrom(h, s.skipBytes)
	line, _, ok := l.nextData(lines, false)
	if ok {
		l.split(line, 3, &f)
	}
	switch moved := l.pick == nil && misplaced(s.names); {
	case moved && s.mixed:
		bad.Expected, bad.Advice = mixedSeparators, adviceDelimiter
	case moved:
		bad.Expected = "source and destination as the first columns"
	case ok && (l.pick == nil || o.named()) && !s.mixed && !f.mixed && s.names != nil && l.countNames(line) == len(s.names)+1:
		bad.Expected = fmt.Sprintf("%d names, as the line behind it has fields, and not %d", len(s.names)+1, len(s.names))
	default:
		return nil
	}
	return bad
}

// chooseIDs decides the kind of ids.
func chooseIDs(p *inputPlan, s *textSniff, l *lineLayout, o ReadOptions) error {
	p.takeIDs(o.IDs)
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
	case s.texts > 0 && s.whole == s.texts:
		return &SyntaxError{File: p.name(), Line: s.oddLine, Text: s.odd, Expected: "an integer without a point, or a name", Advice: adviceStrings}
	case s.texts == 0 || s.ints > 8*s.texts || s.huge == s.texts:
		o.Warn(fmt.Sprintf("%s:%d: %q is not an integer of 64 bits as these are usually written, so all ids are taken as text; --ids int takes them as integers",
			p.name(), s.oddLine, s.odd))
	}
	return nil
}

// chooseColumns decides what stands behind the ids.
func chooseColumns(p *inputPlan, s *textSniff, l *lineLayout, o ReadOptions) {
	switch format := p.schema.Format; {
	case len(l.pick) == 2:
	case len(l.pick) == 3:
		l.columns = withWeight
	case l.names:
		p.openWeights = true
	case o.Weights == WeightsNo:
		l.columns = restIgnored
	case o.Weights == WeightsYes || format == WEL:
		l.columns = withWeight
	case format == EL:
	default:
		l.guessed = true
		p.openWeights = !s.columnsKnown
		if s.weighted {
			l.columns = withWeight
			if names := s.names; len(names) == 3 && !s.mixed && !mayBeWeight(names[2]) {
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
		l.plain.ids = idRange{rows: maxDense + 1, cols: maxDense + 1}
	}
}

// headerIn is how the header of a text in a format is taken.
func headerIn(o *TableOptions, f Format) HeaderMode {
	switch {
	case f != Text:
		return HeaderNo
	case o.named():
		return HeaderYes
	}
	return o.Header
}
