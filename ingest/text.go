package ingest

import (
	"fmt"
	"math"
	"slices"
	"strings"
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
	if err := checkText(h, format); err != nil {
		return nil, err
	}
	t := &lineBody{skipBad: o.SkipBadLines, layout: lineLayout{
		splitter: splitter{comments: "#%", commas: true},
		plain:    plainLines{seps: textSeps},
		what:     [2]string{"source id", "target id"},
		names:    format == LDBC && extension(h.in.name) == ".v",
	}}
	if t.layout.names {
		t.layout.what[0] = "vertex id"
		p.schema.Edges = 0
	}
	s := sniffText(h, &t.layout, format == Text)
	if s.err != nil {
		return nil, s.err
	}
	p.skipBytes, p.skipLines = s.skipBytes, s.skipLines
	if s.header != "" {
		o.Warn(fmt.Sprintf("%s:%d: %q was taken for a header line and passed over", p.name(), s.skipLines, s.header))
	}
	if hasBanner(h.bytes) {
		o.Warn(p.name() + ": begins like a Matrix Market file, but is read as " + string(format))
	}
	chooseIDs(p, s, &t.layout, o)
	chooseColumns(p, s, &t.layout, o)
	p.adapt = func(final Schema) { t.layout.adapt(p, final) }
	p.body = t
	return p, nil
}

// chooseIDs decides the kind of ids.
func chooseIDs(p *inputPlan, s textSniff, l *lineLayout, o ReadOptions) {
	p.schema.IDs = defaultIDs(p.schema.Format, o.IDs)
	if o.IDs != IDsAuto || p.schema.IDs == IDDense {
		return
	}
	l.found = true
	p.openIDs = s.ints+s.texts == 0
	if s.texts == 0 {
		return
	}
	p.schema.IDs = IDString
	if s.ints > 8*s.texts {
		o.Warn(fmt.Sprintf("%s:%d: %q is no integer of 64 bits, so all ids are taken as text, though most are integers; use --ids int to take them as such",
			p.name(), s.textLine, s.text))
	}
}

// chooseColumns decides what stands behind the ids.
func chooseColumns(p *inputPlan, s textSniff, l *lineLayout, o ReadOptions) {
	l.guessed = false
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
		}
	}
	p.schema.Weighted = l.columns == withWeight
}

// adapt settles what the beginning left open, and how ids are checked.
func (l *lineLayout) adapt(p *inputPlan, s Schema) {
	l.ids = s.IDs
	if p.openWeights && s.Weighted {
		l.columns = withWeight
	}
	l.plain.rest = l.columns == restIgnored
	l.plain.ids = idRange{rows: 1 << 63, cols: 1 << 63}
	if l.ids == IDDense {
		l.bounded = true
		l.advice = "use --ids int for ids that are not dense"
		l.plain.ids = idRange{rows: maxDense + 1, cols: maxDense + 1}
	}
}

// textSniff is what the beginning of a text shows.
type textSniff struct {
	skipBytes, skipLines int64
	header               string // the header line; empty if there is none
	ints, texts          int64  // ids that are integers of 64 bits, and others
	text                 string // the first of the others
	textLine             int64
	columnsKnown         bool // there was a line that shows the columns
	weighted             bool
	err                  error
}

// sniffText looks at the first mebibyte, or at more if that is all comments.
func sniffText(h *inputHead, l *lineLayout, headerAllowed bool) textSniff {
	var s, afterFirst textSniff
	var first, f lineFields
	lines := linesOf(h)
	s.skipBytes = int64(lines.at)
	for n := 0; ; {
		raw, ok := lines.next(n == 0)
		if !ok {
			break
		}
		line, ok := l.data(raw)
		if !ok {
			continue
		}
		l.split(line, 3, &f)
		if n++; n == 1 && headerAllowed {
			first = f
			afterFirst.skipBytes, afterFirst.skipLines = int64(lines.at), lines.lines
			afterFirst.header = shown(line)
		} else {
			afterFirst.note(&f, lines.lines, l.names)
		}
		s.note(&f, lines.lines, l.names)
	}
	if afterFirst.header != "" && isHeader(first, afterFirst) {
		return afterFirst
	}
	return s
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
		if _, kind := parseInteger(tok); kind != notInteger && kind != hugeInteger {
			s.ints++
			continue
		}
		if s.texts++; s.texts == 1 {
			s.text, s.textLine = shown(tok), line
		}
	}
	third := f.n == 3 && !f.more && isNumber(f.field[2])
	if !s.columnsKnown && (f.n == 2 && !f.more || third) {
		s.columnsKnown, s.weighted = true, third
	}
}

// headerNames are the usual names of the id columns, less case, blanks and
// punctuation.
var headerNames = [2][]string{
	{"source", "src", "from", "u", "sourceid", "srcid", "fromid", "fromnodeid", "fromnode", "sourcenode", "node1", "id1", "start", "startid"},
	{"target", "dst", "to", "v", "targetid", "dstid", "toid", "tonodeid", "tonode", "targetnode", "node2", "id2", "end", "endid", "destination", "dest"},
}

// isHeader tells a header line from an edge: its fields have the usual names,
// or they are no integers while all ids behind it are.
func isHeader(f lineFields, rest textSniff) bool {
	if f.problem != "" || f.n < 2 || f.n == 3 && isNumber(f.field[2]) {
		return false
	}
	usual, integers := true, rest.ints > 0 && rest.texts == 0
	for i := range 2 {
		name := strings.Map(func(r rune) rune {
			if strings.ContainsRune(" _-:~", r) {
				return -1
			}
			return r
		}, strings.ToLower(string(f.field[i])))
		usual = usual && slices.Contains(headerNames[i], name)
		if _, kind := parseInteger(f.field[i]); kind != notInteger {
			integers = false
		}
	}
	return usual || integers
}
