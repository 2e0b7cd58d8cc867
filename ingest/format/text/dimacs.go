package text

import (
	"bytes"
	"fmt"

	"github.com/garaph/garaph/ingest/format"
	"github.com/garaph/garaph/ingest/read"
)

// DIMACS shortest-path files (http://www.diag.uniroma1.it/challenge9/format.shtml):
// "c" comments, one problem line "p sp n m", and arcs "a u v w".

// DIMACS is the name of the format.
const DIMACS read.FormatName = "dimacs"

// hasProblemLine looks for the line "p sp …" behind comments. decided is false
// when text ends too early to know.
func hasProblemLine(text []byte) (found, decided bool) {
	for len(text) > 0 {
		line, rest := read.CutLine(text)
		words := bytes.Fields(line)
		switch {
		case len(words) == 0 || string(words[0]) == "c":
			text = rest
		case rest == nil && line[len(line)-1] != '\n' && len(line) < len("p sp 1"):
			return false, false
		default:
			return len(words) >= 2 && string(words[0]) == "p" && string(words[1]) == "sp", true
		}
	}
	return false, false
}

// isDIMACS reports whether an input begins with comments and a problem line.
func isDIMACS(h *read.Head) bool {
	for {
		found, decided := hasProblemLine(bytes.TrimPrefix(h.Bytes, read.BOM))
		if decided || !h.More() {
			return found
		}
	}
}

// planDIMACS reads the header, up to the problem line.
func planDIMACS(p *read.Plan, h *read.Head, o read.Options) error {
	if err := read.CheckText(h, DIMACS, o.Format == DIMACS); err != nil {
		return err
	}
	const expected = `a problem line "p sp vertices arcs"`
	lines := read.LinesOf(h)
	line, words, err := lines.Words('c', expected)
	if err != nil {
		return err
	}
	if len(words) == 4 && string(words[0]) == "p" && string(words[1]) == "sp" {
		if n, ok := read.ParseCounts(words[2:]); ok {
			c := Counted{
				Rows: n[0], Cols: n[0], Edges: n[1], Comment: "c", Source: "vertex", Target: "vertex", Weighted: true, arcs: true,
			}
			return c.Plan(p, lines, o)
		}
	}
	return lines.Refused(line, expected, "")
}

func dimacsHeader(g *format.Graph, edges uint64) string {
	return fmt.Sprintf("p sp %d %d\n", g.Vertices, edges)
}

var (
	weightedArcs = format.Lines("a ", " ", " ", "\n")
	plainArcs    = format.Lines("a ", " ", "", " 1\n")
)

// appendArcs appends arcs, which have weights in any case.
func appendArcs(b []byte, r *format.Row) ([]byte, error) {
	if r.Weighted {
		return weightedArcs(b, r)
	}
	return plainArcs(b, r)
}

// noWeights returns the flag that passes over the weights of such arcs.
func noWeights(g *format.Graph, _ bool) []string {
	if g.Weighted {
		return nil
	}
	return []string{"--weights", "no"}
}

// Counted describes lines "u v [weight]" behind a header with their number and that of vertices, which count from 1.
type Counted struct {
	Rows, Cols int64 // the most that source and target may be
	Edges      int64
	Comment    string // the prefix of lines without data
	Source     string // the name of the ids in errors
	Target     string
	Weighted   bool
	arcs       bool // each line begins with "a "
}

// Plan plans the lines that follow those that were read of a header, of which the last has the numbers.
func (c Counted) Plan(p *read.Plan, lines *read.Lines, o read.Options) error {
	p.Promised, p.AtLine = c.Edges, lines.Lines
	p.SkipBytes, p.SkipLines = int64(lines.At), lines.Lines
	p.TakeIDs(o.IDs)
	l := Layout{
		splitter: splitter{Comments: c.Comment}, What: [2]string{c.Source, c.Target},
		IDs: p.Schema.IDs, bounded: true,
		plain: plainLines{
			Seps: blankSeps, arc: c.arcs, Weights: o.Weights.Rule(), rest: o.Weights == read.WeightsNo,
			ids: idRange{lo: 1, rows: uint64(c.Rows), cols: uint64(c.Cols)},
		},
	}
	switch {
	case o.Weights == read.WeightsNo:
		l.Columns = restIgnored
	case c.Weighted:
		l.Columns = withWeight
	}
	if l.IDs == read.IDDense {
		l.plain.ids.sub = 1
		p.Schema.Vertices = max(c.Rows, c.Cols)
		if p.Schema.Vertices > read.MaxDense+1 {
			return lines.Refused(fmt.Appendf(nil, "%d", p.Schema.Vertices),
				fmt.Sprintf("at most %d vertices", int64(read.MaxDense+1)), "")
		}
	}
	p.Schema.Weighted = l.Columns == withWeight
	p.Body = &lineBody{skipBad: o.SkipBadLines, layout: l}
	return nil
}
