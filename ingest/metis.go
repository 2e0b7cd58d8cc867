package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
)

// METIS graphs (the manual of METIS 5, section 4.1.1): comments with %, a line "n m [fmt [ncon]]",
// and a line for each vertex with its neighbours, from 1. Every edge is at both of its ends, and
// m counts it once. fmt is up to three digits of 0 and 1: whether there are sizes of vertices, weights of
// vertices (ncon of each) and weights of edges.

// metisBody reads the lines of vertices, in one pass.
type metisBody struct {
	adjacency
	n, m     int64
	before   int64 // numbers before the neighbours of a line
	weighted bool  // neighbours have weights
}

// planMETIS reads the header.
func planMETIS(p *inputPlan, h *inputHead, o ReadOptions) (*inputPlan, error) {
	if err := checkText(h, METIS, o.Format == METIS); err != nil {
		return nil, err
	}
	const expected = `the header "vertices edges [fmt [ncon]]"`
	lines := linesOf(h)
	for {
		line, ok := lines.next(true)
		if !ok {
			return nil, lines.missing(expected)
		}
		fields := bytes.Fields(line)
		if len(fields) == 0 || fields[0][0] == '%' {
			continue
		}
		t := &metisBody{}
		if !t.readHeader(fields) {
			return nil, lines.refused(bytes.TrimSpace(line), expected, "fmt is up to three digits of 0 and 1")
		}
		if err := t.takeVertices(p, o, t.n, t.weighted); err != nil {
			return nil, err
		}
		p.skipBytes, p.skipLines = int64(lines.at), lines.lines
		p.schema.Edges, p.schema.Both = 2*t.m, true
		p.body = t
		return p, nil
	}
}

// readHeader reports whether the words of a line are a header.
func (t *metisBody) readHeader(fields [][]byte) bool {
	if len(fields) < 2 || len(fields) > 4 {
		return false
	}
	counts, ok := parseCounts(fields[:2])
	if !ok || counts[1] > math.MaxInt64/4 {
		return false
	}
	t.n, t.m = counts[0], counts[1]
	if len(fields) == 2 {
		return true
	}
	kind := fields[2]
	if len(kind) > 3 || len(bytes.Trim(kind, "01")) > 0 {
		return false
	}
	has := func(place int) bool { return place <= len(kind) && kind[len(kind)-place] == '1' }
	constraints := int64(1)
	if len(fields) == 4 {
		n, ok := parseCounts(fields[3:])
		if !ok || n[0] < 1 || n[0] > 1<<20 {
			return false
		}
		constraints = n[0]
	}
	t.weighted = has(1)
	if has(2) {
		t.before += constraints
	}
	if has(3) {
		t.before++
	}
	return true
}

// feed reads line by line.
func (t *metisBody) feed(f *blockFeed, plan *inputPlan, r io.Reader) error {
	w, out := newWords(f, plan, r), &records{f: f, plan: plan}
	entries, oneWay := int64(0), uint64(0)
	for u := range t.n {
		if err := w.pastComments(); err == io.EOF {
			return &DamagedError{File: plan.name(), Problem: fmt.Sprintf("is truncated: it ends behind %s of the %d that its header promises",
				howMany(u, "vertex", "vertices"), t.n)}
		} else if err != nil {
			return err
		}
		found, sum, err := t.line(w, out, uint32(u))
		if err != nil {
			return err
		}
		entries, oneWay = entries+found, oneWay+sum
	}
	if err := t.end(w); err != nil {
		return err
	}
	if entries != 2*t.m {
		return &DamagedError{File: plan.name(), Problem: fmt.Sprintf(
			"has %s in its lines, but its header promises %s, each at both ends: %d would be there",
			howMany(entries, "neighbour", "neighbours"), howMany(t.m, "edge", "edges"), 2*t.m)}
	}
	if oneWay != 0 {
		what := "at one of its ends only"
		if t.weights {
			what += ", or with another weight at the other"
		}
		return &DamagedError{File: plan.name(), Problem: "has an edge " + what + "; in METIS files each is at both"}
	}
	return out.flush()
}

// line reads the neighbours of one vertex. sum is 0 for all lines together if each edge is there in
// both directions, see [sgBody].
func (t *metisBody) line(w *words, out *records, u uint32) (found int64, sum uint64, err error) {
	for range t.before {
		word, err := w.next()
		if err == errLineEnd || err == io.EOF {
			return 0, 0, w.short(err, fmt.Sprintf("%s before the neighbours of vertex %d", howMany(t.before, "number", "numbers"), u+1))
		}
		if err != nil {
			return 0, 0, err
		}
		if !isNumber(word) {
			return 0, 0, w.refused(word, fmt.Sprintf("a size or weight of vertex %d", u+1), "")
		}
	}
	for ; ; found++ {
		word, err := w.next()
		if err == errLineEnd || err == io.EOF {
			return found, sum, nil
		}
		if err != nil {
			return 0, 0, err
		}
		v, err := w.number(word, 1, t.n, fmt.Sprintf("a neighbour of vertex %d", u+1))
		if err != nil {
			return 0, 0, err
		}
		x := float32(0)
		if t.weighted {
			word, err := w.next()
			if err == errLineEnd || err == io.EOF {
				return 0, 0, w.short(err, fmt.Sprintf("a weight behind each neighbour of vertex %d", u+1))
			}
			if err == nil && t.weights {
				x, err = w.weight(word)
			}
			if err != nil {
				return 0, 0, err
			}
		}
		to, bits := uint64(v-1), uint64(math.Float32bits(x))
		sum += edgeHash(uint64(u), to, bits) - edgeHash(to, uint64(u), bits)
		if err := out.add(u, uint32(to), x); err != nil {
			return 0, 0, err
		}
	}
}

// short is the error of a line that ended before what was expected.
func (w *words) short(end error, expected string) error {
	if !errors.Is(end, errLineEnd) {
		return &SyntaxError{File: w.name, Line: w.line, Expected: expected}
	}
	return &SyntaxError{File: w.name, Line: w.line - 1, Text: "the end of the line", Expected: expected}
}

// end refuses what follows the last vertex.
func (t *metisBody) end(w *words) error {
	for {
		if err := w.pastComments(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		switch word, err := w.next(); {
		case err == io.EOF:
			return nil
		case err == nil:
			return w.refused(word, fmt.Sprintf("the end of the file: the %d vertices of its header have had their lines", t.n), "")
		case !errors.Is(err, errLineEnd):
			return err
		}
	}
}
