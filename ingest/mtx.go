package ingest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Matrix Market coordinate files (https://math.nist.gov/MatrixMarket/formats.html):
// entry (i, j) is the edge i → j, and a symmetric file holds one triangle.

// MatrixMarket is the name of the format.
const MatrixMarket Format = "mtx"

// mtxFormats is the format.
var mtxFormats = []*EdgeFormat{{
	Name: MatrixMarket, Extensions: []string{".mtx"}, Plan: planMatrixMarket,
	Detect: func(h *inputHead) bool { return hasBanner(bytes.TrimPrefix(h.bytes, utf8BOM)) },
	Input:  Input{Dense: true, FirstID: 1},
}}

const mtxBanner = "%%MatrixMarket"

// hasBanner reports whether text begins as a Matrix Market file.
func hasBanner(text []byte) bool {
	return len(text) >= len(mtxBanner) && strings.EqualFold(string(text[:len(mtxBanner)]), mtxBanner)
}

// planMatrixMarket reads the banner and the line of sizes.
func planMatrixMarket(p *inputPlan, h *inputHead, o ReadOptions) error {
	if err := checkText(h, MatrixMarket, o.Format == MatrixMarket); err != nil {
		return err
	}
	lines := linesOf(h)
	field, err := readBanner(p, lines)
	if err != nil {
		return err
	}
	if field == "pattern" && o.Weights == WeightsYes {
		return &InputError{File: p.name(), Problem: "is a pattern matrix and has no weights", Advice: "leave out --weights yes"}
	}
	rows, cols, nnz, err := readSizes(lines)
	if err != nil {
		return err
	}
	if p.schema.Mirrored && rows != cols {
		return lines.refused(fmt.Appendf(nil, "%d %d", rows, cols), "as many rows as columns in a symmetric matrix", "")
	}
	p.promised, p.atLine = nnz, lines.lines
	p.skipBytes, p.skipLines = int64(lines.at), lines.lines
	t := &lineBody{skipBad: o.SkipBadLines, layout: lineLayout{
		splitter: splitter{comments: "%"},
		plain:    plainLines{seps: blankSeps, weights: o.Weights.rule()},
		what:     [2]string{"row", "column"},
		columns:  withWeight,
	}}
	switch {
	case o.Weights == WeightsNo:
		t.layout.columns = restIgnored
	case field == "pattern":
		t.layout.columns = twoColumns
	}
	if err := t.layout.takeHeader(p, lines, o, rows, cols); err != nil {
		return err
	}
	if rows != cols {
		o.Warn(fmt.Sprintf("%s:%d: the matrix has %d rows and %d columns, and row i and column i are one vertex; if they are not the same, add %d to all columns",
			p.name(), p.atLine, rows, cols, rows))
	}
	p.schema.Edges = nnz
	p.body = t
	return nil
}

// readBanner reads the first line and returns what an entry holds: "pattern", "integer", "unsigned-integer", which SciPy
// writes, or "real".
func readBanner(p *inputPlan, lines *headLines) (string, error) {
	const expected = `a banner "%%MatrixMarket matrix coordinate …"`
	line, ok := lines.next(true)
	if !ok {
		return "", lines.missing(expected)
	}
	words := strings.Fields(strings.ToLower(string(line)))
	if !hasBanner(line) || len(words) != 5 || words[0] != strings.ToLower(mtxBanner) {
		return "", lines.refused(bytes.TrimSpace(line), expected, "")
	}
	for i, admitted := range [][]string{{"matrix"}, {"coordinate"}, {"pattern", "integer", "unsigned-integer", "real"}, {"general", "symmetric"}} {
		if word := words[i+1]; !slices.Contains(admitted, word) {
			return "", lines.refused([]byte(word), strings.Join(admitted, " or ")+" in the banner", "")
		}
	}
	p.schema.Mirrored = words[4] == "symmetric"
	return words[3], nil
}

// readSizes reads the line of rows, columns and entries.
func readSizes(lines *headLines) (rows, cols, nnz int64, err error) {
	const expected = "the numbers of rows, columns and entries"
	for {
		line, ok := lines.next(true)
		if !ok {
			return 0, 0, 0, lines.missing(expected)
		}
		words := bytes.Fields(line)
		if len(words) == 0 || words[0][0] == '%' {
			continue
		}
		n, ok := parseCounts(words)
		if !ok || len(n) != 3 {
			return 0, 0, 0, lines.refused(bytes.TrimSpace(line), expected, "")
		}
		return n[0], n[1], n[2], nil
	}
}
