// Package mtx reads Matrix Market files.
package mtx

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/garaph/garaph/ingest/format"
	"github.com/garaph/garaph/ingest/format/text"
	"github.com/garaph/garaph/ingest/read"
)

// Matrix Market coordinate files (https://math.nist.gov/MatrixMarket/formats.html):
// entry (i, j) is the edge i → j, and a symmetric file holds one triangle.

// Name is the name of the format.
const Name read.FormatName = "mtx"

// Formats lists the format.
var Formats = []*format.Format{{
	Name: Name, Doc: "Matrix Market, coordinate", Extensions: []string{".mtx"},
	Detect: func(h *read.Head) bool { return hasBanner(bytes.TrimPrefix(h.Bytes, read.BOM)) },
	Plan:   planMatrixMarket, Input: format.Input{Text: true, Dense: true, FirstID: 1},
	Writer: &format.Writer{
		Content: format.Content{
			Labels: format.FromOne, Half: format.Lower, Undirected: format.WhenHalved, Counted: true, Vertices: true,
		},
		Header: header, Append: format.Lines("", " ", " ", "\n"),
	},
}}

// header returns the banner and the line of sizes.
func header(g *format.Graph, edges uint64) string {
	field, symmetry := "pattern", "general"
	if g.Weighted {
		field = "real"
	}
	if g.Half != format.Whole {
		symmetry = "symmetric"
	}
	return fmt.Sprintf("%s matrix coordinate %s %s\n%d %[4]d %d\n", mtxBanner, field, symmetry, g.Vertices, edges)
}

const mtxBanner = "%%MatrixMarket"

// hasBanner reports whether text begins as a Matrix Market file.
func hasBanner(text []byte) bool {
	return len(text) >= len(mtxBanner) && strings.EqualFold(string(text[:len(mtxBanner)]), mtxBanner)
}

// planMatrixMarket reads the banner and the line of sizes.
func planMatrixMarket(p *read.Plan, h *read.Head, o read.Options) error {
	lines := read.LinesOf(h)
	field, err := readBanner(p, lines)
	if err != nil {
		return err
	}
	if field == "pattern" && o.Weights == read.WeightsYes {
		return p.Refused("is a pattern matrix and has no weights", "leave out --weights yes")
	}
	const sizes = "the numbers of rows, columns and entries"
	line, words, err := lines.Words('%', sizes)
	if err != nil {
		return err
	}
	n, ok := read.ParseCounts(words)
	if !ok || len(n) != 3 {
		return lines.Refused(line, sizes, "")
	}
	rows, cols := n[0], n[1]
	if p.Schema.Mirrored && rows != cols {
		return lines.Refused(fmt.Appendf(nil, "%d %d", rows, cols), "as many rows as columns in a symmetric matrix", "")
	}
	c := text.Counted{
		Rows: rows, Cols: cols, Edges: n[2], Comment: "%", Source: "row", Target: "column", Weighted: field != "pattern",
	}
	if err := c.Plan(p, lines, o); err != nil {
		return err
	}
	if rows != cols {
		o.Warn(fmt.Sprintf("%s:%d: the matrix has %d rows and %d columns, and row i and column i are one vertex; if they "+
			"are not the same, add %d to all columns",
			p.Name(), p.AtLine, rows, cols, rows))
	}
	return nil
}

// readBanner reads the first line and returns the type of an entry: "pattern", "integer",
// "unsigned-integer", which SciPy writes, or "real".
func readBanner(p *read.Plan, lines *read.Lines) (string, error) {
	const expected = `a banner "%%MatrixMarket matrix coordinate …"`
	line, ok := lines.Next(true)
	if !ok {
		return "", lines.Missing(expected)
	}
	words := strings.Fields(strings.ToLower(string(line)))
	if !hasBanner(line) || len(words) != 5 || words[0] != strings.ToLower(mtxBanner) {
		return "", lines.Refused(bytes.TrimSpace(line), expected, "")
	}
	for i, admitted := range [][]string{{"matrix"}, {"coordinate"}, {"pattern", "integer", "unsigned-integer", "real"},
		{"general", "symmetric"}} {
		if word := words[i+1]; !slices.Contains(admitted, word) {
			return "", lines.Refused([]byte(word), strings.Join(admitted, " or ")+" in the banner", "")
		}
	}
	p.Schema.Mirrored = words[4] == "symmetric"
	return words[3], nil
}
