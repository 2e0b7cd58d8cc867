package ingest

import (
	"bytes"
	"encoding/binary"
)

// DIMACS shortest-path files (http://www.diag.uniroma1.it/challenge9/format.shtml):
// "c" comments, one problem line "p sp n m", and arcs "a u v w".

// DIMACS is the name of the format.
const DIMACS Format = "dimacs"

// hasProblemLine looks for the line "p sp …" behind comments. decided is false
// when text ends too early to know.
func hasProblemLine(text []byte) (found, decided bool) {
	for len(text) > 0 {
		line, rest := cutLine(text)
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
func isDIMACS(h *inputHead) bool {
	for {
		found, decided := hasProblemLine(bytes.TrimPrefix(h.bytes, utf8BOM))
		if decided || !h.more() {
			return found
		}
	}
}

// planDIMACS reads the header, up to the problem line.
func planDIMACS(p *inputPlan, h *inputHead, o ReadOptions) error {
	if isGalois(h.bytes) && !isTextBytes(h.bytes) {
		return &InputError{File: p.name(), Problem: "is a binary .gr file of Galois, which is not read", Advice: seeFormats}
	}
	if err := checkText(h, DIMACS, o.Format == DIMACS); err != nil {
		return err
	}
	lines := linesOf(h)
	vertices, arcs, err := readProblem(lines)
	if err != nil {
		return err
	}
	p.promised, p.atLine = arcs, lines.lines
	p.skipBytes, p.skipLines = int64(lines.at), lines.lines
	t := &lineBody{skipBad: o.SkipBadLines, layout: lineLayout{
		splitter: splitter{comments: "c"},
		plain:    plainLines{seps: blankSeps, arc: true, weights: o.Weights.rule()},
		what:     [2]string{"vertex", "vertex"},
		columns:  withWeight,
	}}
	if o.Weights == WeightsNo {
		t.layout.columns = restIgnored
	}
	if err := t.layout.takeHeader(p, lines, o, vertices, vertices); err != nil {
		return err
	}
	p.schema.Edges = arcs
	p.body = t
	return nil
}

// readProblem reads up to the problem line and returns its counts.
func readProblem(lines *headLines) (vertices, arcs int64, err error) {
	const expected = `a problem line "p sp vertices arcs"`
	for {
		line, ok := lines.next(true)
		if !ok {
			return 0, 0, lines.missing(expected)
		}
		words := bytes.Fields(line)
		if len(words) == 0 || words[0][0] == 'c' {
			continue
		}
		if len(words) == 4 && string(words[0]) == "p" && string(words[1]) == "sp" {
			if n, ok := parseCounts(words[2:]); ok {
				return n[0], n[1], nil
			}
		}
		return 0, 0, lines.refused(bytes.TrimSpace(line), expected, "")
	}
}

// isGalois recognises the binary .gr of Galois: a version of 1 or 2, then the
// size of an edge's data, as 64-bit integers.
func isGalois(b []byte) bool {
	if len(b) < 32 {
		return false
	}
	version, size := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	return (version == 1 || version == 2) && size <= 64
}
