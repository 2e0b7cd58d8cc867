package adjacency

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/garaph/garaph/ingest/read"
)

// Adjacency graphs of Ligra and PBBS: the word AdjacencyGraph or WeightedAdjacencyGraph, the number n of vertices,
// the number m of edges, n offsets, m destinations, and m weights if there are any; with any white space
// between them. Edges are out-edges, vertices are from 0.

var ligraWords = []string{"AdjacencyGraph", "WeightedAdjacencyGraph"}

// ligraBody reads the numbers behind the header, in one pass.
type ligraBody struct {
	adjacency
	n, m     int64
	weighted bool

	// The out-degrees, and the destinations if weights are wanted, which stand behind all of them.
	degrees, targets read.Parts
}

// isLigra reports whether a text begins with one of the words.
func isLigra(text []byte) bool {
	fields := bytes.Fields(text[:min(len(text), 64)])
	return len(fields) > 0 && (string(fields[0]) == ligraWords[0] || string(fields[0]) == ligraWords[1])
}

// planLigra reads the header.
func planLigra(p *read.Plan, h *read.Head, o read.Options) error {
	text := h.Bytes
	if bytes.HasPrefix(text, read.BOM) {
		p.SkipBytes = int64(len(read.BOM))
		text = text[len(read.BOM):]
	}
	if !isLigra(text) {
		line, _ := read.CutLine(text)
		return &read.SyntaxError{
			File: p.Name(), Line: 1, Text: read.Shown(bytes.TrimSpace(line)),
			Expected: "AdjacencyGraph or WeightedAdjacencyGraph",
		}
	}
	fields := bytes.Fields(text[:min(len(text), 4096)])
	t := &ligraBody{weighted: string(fields[0]) == ligraWords[1]}
	counts, ok := read.ParseCounts(fields[1:min(3, len(fields))])
	if !ok || len(counts) < 2 || counts[1] > math.MaxInt64/8 {
		return &read.SyntaxError{
			File: p.Name(), Line: 2, Expected: "the numbers of vertices and edges behind " + string(fields[0]),
		}
	}
	t.n, t.m = counts[0], counts[1]
	if err := t.takeVertices(p, o, t.n, t.weighted); err != nil {
		return err
	}
	promised := 4 * (t.n + 1)
	if t.weights {
		promised += 4 * t.m
	}
	if err := o.Reserve(promised, fmt.Sprintf("the header promises %d vertices and %d edges, and what stands before the "+
		"last of its numbers takes", t.n, t.m)); err != nil {
		return &read.InputError{File: p.Name(), Problem: err.Error(), Err: err}
	}
	p.Body = t
	return nil
}

// Feed reads the numbers.
func (t *ligraBody) Feed(f *read.Feed, plan *read.Plan, r io.Reader) error {
	w, out := newWords(f, plan, r), read.NewRecords(f, plan)
	for range 3 { // the header
		if _, err := w.any(); err != nil {
			return err
		}
	}
	if err := t.readOffsets(w); err != nil {
		return err
	}
	if err := t.readTargets(w, out); err != nil {
		return err
	}
	if t.weighted {
		if err := t.readWeights(w, out); err != nil {
			return err
		}
	}
	if err := w.end(false); err != nil {
		return err
	}
	return out.Flush()
}

// readOffsets turns offsets into degrees.
func (t *ligraBody) readOffsets(w *words) error {
	last := int64(0)
	for v := range t.n + 1 {
		end := t.m // behind the last vertex
		if v < t.n {
			word, err := w.any()
			if err != nil {
				return err
			}
			most := t.m
			if v == 0 {
				most = 0
			}
			if end, err = w.number(word, last, most, "an offset"); err != nil {
				return err
			}
		}
		if end-last > math.MaxUint32 {
			return &read.DamagedError{
				File:    w.name,
				Problem: fmt.Sprintf("has %d edges at vertex %d: at most %d are possible", end-last, v-1, uint32(math.MaxUint32)),
			}
		}
		if v > 0 {
			t.degrees.Add(uint32(end - last))
		}
		last = end
	}
	if t.n == 0 && t.m > 0 {
		return &read.DamagedError{File: w.name, Problem: fmt.Sprintf("promises %d edges and no vertices", t.m)}
	}
	return nil
}

// eachEdge calls f with the source of every edge, in order.
func (t *ligraBody) eachEdge(f func(i int64, u uint32) error) error {
	i := int64(0)
	for u := range t.n {
		for range t.degrees.At(u) {
			if err := f(i, uint32(u)); err != nil {
				return err
			}
			i++
		}
	}
	return nil
}

// readTargets reads the destinations, and hands edges out unless their weights are to come.
func (t *ligraBody) readTargets(w *words, out *read.Records) error {
	return t.eachEdge(func(_ int64, u uint32) error {
		word, err := w.any()
		if err != nil {
			return err
		}
		v, err := w.number(word, 0, t.n-1, "a neighbour")
		if err != nil {
			return err
		}
		if t.weights {
			t.targets.Add(uint32(v))
			return nil
		}
		return out.Add(u, uint32(v), 0)
	})
}

// readWeights reads the weights, and hands the edges out where they are wanted.
func (t *ligraBody) readWeights(w *words, out *read.Records) error {
	return t.eachEdge(func(i int64, u uint32) error {
		word, err := w.any()
		if err != nil || !t.weights {
			return err
		}
		x, err := w.weight(word, t.rule)
		if err != nil {
			return err
		}
		return out.Add(u, t.targets.At(i), x)
	})
}
