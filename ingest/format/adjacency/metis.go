package adjacency

import (
	"bytes"
	"io"
	"math"

	"github.com/garaph/garaph/ingest/read"
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
func planMETIS(p *read.Plan, h *read.Head, o read.Options) error {
	const expected = `the header "vertices edges [fmt [ncon]]"`
	lines := read.LinesOf(h)
	line, words, err := lines.Words('%', expected)
	if err != nil {
		return err
	}
	t := &metisBody{}
	if !t.readHeader(words) {
		return lines.Refused(line, expected, "fmt is up to three digits of 0 and 1")
	}
	if err := t.takeVertices(p, o, t.n, t.weighted); err != nil {
		return err
	}
	p.SkipBytes, p.SkipLines = int64(lines.At), lines.Lines
	p.Schema.Both = true
	p.Body = t
	return nil
}

// readHeader reports whether the words of a line are a header.
func (t *metisBody) readHeader(fields [][]byte) bool {
	if len(fields) < 2 || len(fields) > 4 {
		return false
	}
	counts, ok := read.ParseCounts(fields[:2])
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
		n, ok := read.ParseCounts(fields[3:])
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

// Feed reads line by line.
func (t *metisBody) Feed(f *read.Feed, plan *read.Plan, r io.Reader) error {
	w, out := newWords(f, plan, r), read.NewRecords(f, plan)
	entries, oneWay := int64(0), uint64(0)
	for u := range t.n {
		if err := w.pastComments(); err == io.EOF {
			return w.truncated()
		} else if err != nil {
			return err
		}
		found, sum, err := t.line(w, out, uint32(u))
		if err != nil {
			return err
		}
		entries, oneWay = entries+found, oneWay+sum
	}
	if err := w.end(true); err != nil {
		return err
	}
	switch {
	case entries != 2*t.m:
		return plan.Damaged("has %d neighbours in its lines, but its header promises %d edges, each at both ends", entries,
			t.m)
	case oneWay != 0:
		return plan.Damaged("has an edge at one of its ends only, or with another weight at the other; in METIS files " +
			"each is at both")
	}
	return out.Flush()
}

// line reads the neighbours of one vertex. sum is 0 for all lines together if each edge is there in
// both directions, see sgBody of package gap.
func (t *metisBody) line(w *words, out *read.Records, u uint32) (found int64, sum uint64, err error) {
	for range t.before {
		word, err := w.inLine("sizes and weights of the vertex before its neighbours")
		if err != nil {
			return 0, 0, err
		}
		if !read.IsNumber(word) {
			return 0, 0, w.refused(word, "a size or weight of the vertex", "")
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
		v, err := w.number(word, 1, t.n, "a neighbour")
		if err != nil {
			return 0, 0, err
		}
		x := 0.
		if t.weighted {
			word, err := w.inLine("a weight behind each neighbour")
			if err == nil && t.weights {
				x, err = w.weight(word, t.rule)
			}
			if err != nil {
				return 0, 0, err
			}
		}
		to, bits := uint64(v-1), math.Float64bits(x)
		sum += read.EdgeHash(uint64(u), to, bits) - read.EdgeHash(to, uint64(u), bits)
		if err := out.Add(u, uint32(to), x); err != nil {
			return 0, 0, err
		}
	}
}

// inLine returns the next word, before the end of the line.
func (w *words) inLine(expected string) ([]byte, error) {
	line := w.line
	word, err := w.next()
	if err == errLineEnd || err == io.EOF {
		return nil, &read.SyntaxError{File: w.name, Line: line, Text: "the end of the line", Expected: expected}
	}
	return word, err
}
