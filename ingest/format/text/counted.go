package text

import (
	"fmt"

	"github.com/garaph/garaph/ingest/read"
)

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
