// Package text reads formats with an edge a line: SNAP, TSV and CSV, GAP .el and .wel, LDBC Graphalytics and DIMACS.
package text

import (
	"cmp"
	"fmt"
	"os"

	"github.com/garaph/garaph/ingest/format"
	"github.com/garaph/garaph/ingest/header"
	"github.com/garaph/garaph/ingest/read"
)

// Formats are the formats of lines with an edge each.
var Formats = []*format.Format{
	{
		Name: Text, Doc: "an edge a line: SNAP, TSV", Extensions: []string{".tsv", ".txt", ".tab", ".edges"},
		Plan: planText, Input: format.Input{Text: true, Table: format.TableLines},
		Writer: &format.Writer{Content: edgeList, Flags: noHeader, Append: format.Lines("", "\t", "\t", "\n")},
	},
	{
		Name: CSV, Doc: "the same with commas and a header", Extensions: []string{".csv"},
		Writer: &format.Writer{
			Import: Text, Content: edgeList, Header: csvHeader, Append: format.Lines("", ",", ",", "\n"),
			Flags: func(*format.Graph, bool) []string { return []string{"--header"} },
		},
	},
	{
		Name: EL, Doc: "an edge a line, without weights (GAP)", Extensions: []string{".el"},
		Plan: planText, Input: format.Input{Text: true, Dense: true},
		Writer: &format.Writer{
			Content: format.Content{Labels: format.FromZero, Weighted: WEL, Parts: true}, Append: spaced,
		},
	},
	{
		Name: WEL, Doc: "an edge a line, with weights (GAP)", Extensions: []string{".wel"},
		Plan: planText, Input: format.Input{Text: true, Dense: true, Weighted: true},
		Writer: &format.Writer{
			Content: format.Content{Labels: format.FromZero, Unweighted: EL, Parts: true}, Append: spaced,
		},
	},
	{
		Name: LDBC, Doc: "x.e with edges, x.v with vertices (LDBC Graphalytics)", Extensions: []string{".e"},
		Detect: isVertices, Plan: planText, Input: format.Input{Text: true},
		Writer: &format.Writer{Content: format.Content{Vertices: true, Plain: true}, Append: spaced},
	},
	{
		Name: DIMACS, Doc: "shortest-path files of the 9th DIMACS challenge", Extensions: []string{".gr"},
		Detect: isDIMACS, Plan: planDIMACS,
		Input: format.Input{Dense: true, FirstID: 1, Weighted: true},
		Writer: &format.Writer{
			Content: format.Content{Labels: format.FromOne, Counted: true, Vertices: true},
			Header:  dimacsHeader, Append: appendArcs, Flags: noWeights,
		},
	},
}

var (
	edgeList = format.Content{Parts: true, Plain: true}
	spaced   = format.Lines("", " ", " ", "\n")
)

// isVertices recognises the files of vertices of LDBC by their names.
func isVertices(h *read.Head) bool { return read.Extension(h.Input.Name) == ".v" }

func csvHeader(g *format.Graph, _ uint64) string {
	if g.Weighted {
		return "source,target,weight\n"
	}
	return "source,target\n"
}

// noHeader returns the flag for edges between names, of which the first may look like a header.
func noHeader(_ *format.Graph, names bool) []string {
	if names {
		return []string{"--no-header"}
	}
	return nil
}

// Names of the formats, with [DIMACS].
const (
	Text read.FormatName = "text"
	EL   read.FormatName = "el"
	WEL  read.FormatName = "wel"
	LDBC read.FormatName = "ldbc"
	CSV  read.FormatName = "csv" // of export; import reads it as Text
)

// Separators as bits, for plain: blanks, and blanks and commas.
const (
	blankSeps = 1<<' ' | 1<<'\t'
	textSeps  = blankSeps | 1<<','
)

// planText plans texts with an edge per line and no header: SNAP text,
// TSV and CSV, GAP .el and .wel, LDBC .e, and LDBC .v with a vertex per line.
func planText(p *read.Plan, h *read.Head, o read.Options) error {
	format := p.Schema.Format
	if o.Format == read.Auto && format == Text && !o.Table.IsSet() {
		if err := checkForeign(h); err != nil {
			return err
		}
	}
	t, err := textBody(p, h, &o)
	if err != nil {
		return err
	}
	l, header := &t.layout, headerIn(&o.Table, format)
	s := sniffText(h, l, header)
	p.SkipBytes, p.SkipLines = s.skipBytes, s.skipLines
	if format == Text && o.Table.Delimiter == 0 {
		if err := checkDelimiter(h, l); err != nil {
			return err
		}
	}
	if s.header != "" {
		if err := s.checkHeader(h, l, &o.Table); err != nil {
			return err
		}
		if header == read.HeaderAuto {
			o.Warn(fmt.Sprintf("%s:%d: %q was taken for a header line and passed over", p.Name(), s.skipLines, s.header))
		}
	}
	if err := ChooseIDs(p, &s, l, o); err != nil {
		return err
	}
	chooseColumns(p, &s, l, o)
	doubtful := s.doubtful && header == read.HeaderAuto && p.Schema.IDs == read.IDString
	p.Adapt = func(final read.Schema) {
		l.Adapt(p, final)
		if doubtful {
			o.Warn(fmt.Sprintf("%s:%d: %q was taken for an edge, though it may be a header line; use --header to pass over it",
				p.Name(), s.firstLine, s.first))
		}
	}
	p.Body = t
	return nil
}

// textBody returns the layout of the lines, as far as it follows from the name and the options.
func textBody(p *read.Plan, h *read.Head, o *read.Options) (*lineBody, error) {
	format := p.Schema.Format
	t := &lineBody{skipBad: o.SkipBadLines, layout: Layout{
		splitter: splitter{Comments: "#%", Commas: true},
		plain:    plainLines{Seps: textSeps, Weights: o.Weights.Rule()},
		What:     [2]string{"source id", "target id"},
		names:    format == LDBC && isVertices(h),
	}}
	l := &t.layout
	if l.names {
		l.What[0] = "vertex id"
		p.Vertices = true
	} else if format == LDBC {
		p.Beside = Beside(h.Input.Name)
	}
	if format != Text {
		return t, nil
	}
	l.delimiter = cmp.Or(o.Table.Delimiter, delimiterByName(h, l))
	if err := pickColumns(h, l, &o.Table); err != nil {
		return nil, err
	}
	l.plain.Seps, l.plain.delimiter = l.plainSeps(), l.delimiter
	return t, nil
}

// checkHeader refuses a header by which columns would be taken from wrong places: with the usual
// names of the id columns elsewhere than at the first ones, or with less names than a line behind
// it has fields, as R and pandas write it where the first column has the names of rows.
func (s *Sniff) checkHeader(h *read.Head, l *Layout, o *read.TableOptions) error {
	bad := &read.SyntaxError{
		File: h.Input.Name, Line: s.skipLines, Text: s.header, Advice: "use --columns to choose columns",
	}
	var f lineFields
	lines := read.LinesFrom(h, s.skipBytes)
	line, _, ok := l.nextData(lines, false)
	if ok {
		l.split(line, 3, &f)
	}
	switch moved := l.pick == nil && header.Misplaced(s.names); {
	case moved && s.mixed:
		bad.Expected, bad.Advice = mixedSeparators, read.AdviceDelimiter
	case moved:
		bad.Expected = "source and destination as the first columns"
	case ok && (l.pick == nil || o.Named()) && !s.mixed && !f.mixed && s.names != nil &&
		l.countNames(line) == len(s.names)+1:
		bad.Expected = fmt.Sprintf("%d names, as the line behind it has fields, and not %d", len(s.names)+1, len(s.names))
	default:
		return nil
	}
	return bad
}

// ChooseIDs decides the kind of ids.
func ChooseIDs(p *read.Plan, s *Sniff, l *Layout, o read.Options) error {
	p.TakeIDs(o.IDs)
	if o.IDs != read.IDsAuto || p.Schema.IDs == read.IDDense {
		return nil
	}
	l.found = true
	p.OpenIDs = s.ints+s.texts+s.padded == 0
	if s.texts+s.padded == 0 {
		return nil
	}
	p.Schema.IDs = read.IDString
	switch {
	case s.texts > 0 && s.Whole == s.texts:
		return &read.SyntaxError{
			File: p.Name(), Line: s.oddLine, Text: s.odd, Expected: "an integer without a point, or a name",
			Advice: read.AdviceStrings,
		}
	case s.texts == 0 || s.ints > 8*s.texts || s.huge == s.texts:
		o.Warn(fmt.Sprintf("%s:%d: %q is not an integer of 64 bits as these are usually written, so all ids are taken as "+
			"text; --ids int takes them as integers",
			p.Name(), s.oddLine, s.odd))
	}
	return nil
}

// chooseColumns selects the columns behind the ids.
func chooseColumns(p *read.Plan, s *Sniff, l *Layout, o read.Options) {
	switch format := p.Schema.Format; {
	case len(l.pick) == 2:
	case len(l.pick) == 3:
		l.Columns = withWeight
	case l.names:
		p.OpenWeights = true
	case o.Weights == read.WeightsNo:
		l.Columns = restIgnored
	case o.Weights == read.WeightsYes || format == WEL:
		l.Columns = withWeight
	case format == EL:
	default:
		l.guessed = true
		p.OpenWeights = !s.columnsKnown
		if s.weighted {
			l.Columns = withWeight
			if names := s.names; len(names) == 3 && !s.mixed && !header.MayBeWeight(names[2]) {
				o.Warn(header.TakenAsWeight(p.Name(), names[2]))
			}
		}
	}
	p.Schema.Weighted = l.Columns == withWeight
}

// Adapt decides the properties that the beginning left open, and how ids are checked.
func (l *Layout) Adapt(p *read.Plan, s read.Schema) {
	l.IDs = s.IDs
	if p.OpenWeights && s.Weighted {
		l.Columns = withWeight
	}
	l.plain.rest = l.Columns == restIgnored || l.pick != nil && l.depth != l.width
	l.plain.most = max(0, l.width-l.depth)
	l.plain.ids = idRange{rows: 1 << 63, cols: 1 << 63}
	l.plain.canonical = l.found && s.IDs == read.IDInt
	if l.IDs == read.IDDense {
		l.bounded = true
		l.plain.ids = idRange{rows: read.MaxDense + 1, cols: read.MaxDense + 1}
	}
}

// headerIn returns how the header of a text in a format is taken.
func headerIn(o *read.TableOptions, f read.FormatName) read.HeaderMode {
	switch {
	case f != Text:
		return read.HeaderNo
	case o.Named():
		return read.HeaderYes
	}
	return o.Header
}

// LDBC Graphalytics graphs are two text files, x.v with a vertex id per line
// and x.e with "u v [weight]". Vertices without edges are only in x.v.

// Beside returns the file of vertices that is read with a file of edges in the format [LDBC]; "" if there is none.
func Beside(edges string) string {
	if read.Extension(edges) != ".e" {
		return ""
	}
	for _, packed := range []string{"", ".gz", ".zst", ".bz2"} {
		name := read.Stem(edges) + ".v" + packed
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			return name
		}
	}
	return ""
}
