// Package adjacency reads text with the neighbours of each vertex: METIS and Ligra.
package adjacency

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/garaph/garaph/ingest/format"
	"github.com/garaph/garaph/ingest/read"
)

// Files with the neighbours of vertices in place of edges, as text: METIS (metis.go) and Ligra
// (ligra.go). Where an edge belongs is known only from all that stands before it, so the
// goroutine that reads finds the edges, and hands them out as records.

// Names of the formats.
const (
	METIS read.FormatName = "metis"
	Ligra read.FormatName = "ligra"
)

// Formats lists the formats with the neighbours of each vertex.
var Formats = []*format.Format{
	{
		Name: METIS, Doc: "METIS, a line of neighbours for each vertex", Extensions: []string{".metis", ".graph"},
		Plan: planMETIS, Input: format.Input{Text: true, Dense: true, Numbers: true, FirstID: 1},
		Writer: &format.Writer{
			Content: format.Content{
				Labels: format.FromOne, Half: format.Whole, Undirected: format.WhenWhole, Counted: true, Vertices: true,
			},
			Header: metisHeader, Append: appendLine, EndRow: "\n", Check: checkMETIS,
		},
	},
	{
		Name: Ligra, Doc: "adjacency graph of Ligra and PBBS, also weighted", Extensions: []string{".adj"},
		Detect: func(h *read.Head) bool { return isLigra(bytes.TrimPrefix(h.Bytes, read.BOM)) },
		Plan:   planLigra, Input: format.Input{Text: true, Dense: true, Numbers: true},
		Writer: &format.Writer{
			Content: format.Content{Labels: format.FromZero, Half: format.Whole, Vertices: true}, Write: writeLigra,
		},
	},
}

// adjacency is the common part of bodies of such files: records (u32 source, u32 destination,
// float64 weight) become edges. Ends are from 0.
type adjacency struct {
	base    uint64 // the number that is added to ends
	weights bool   // weights are wanted
	rule    read.WeightRule
}

// takeVertices checks the number of vertices in the header, and sets up the schema.
func (t *adjacency) takeVertices(p *read.Plan, o read.Options, n int64, weighted bool) error {
	s := &p.Schema
	switch {
	case o.Weights == read.WeightsYes && !weighted:
		return p.Refused("has no weights, as its header says", "leave out --weights yes")
	case n > read.MaxDense+1:
		return p.Refused(fmt.Sprintf("has %d vertices, as its header says: at most %d are possible",
			n, int64(read.MaxDense)+1), "correct its header")
	}
	p.TakeIDs(o.IDs)
	if s.IDs == read.IDDense {
		s.Vertices = n
	} else {
		t.base = uint64(p.FirstID)
	}
	t.weights, t.rule = weighted && o.Weights != read.WeightsNo, o.Weights.Rule()
	s.Weighted = t.weights
	return nil
}

// Parse delivers the edges of one block.
func (t *adjacency) Parse(b *read.Block, w *read.Parser) error {
	batch, le := w.Batch, binary.LittleEndian
	for r := b.Data; len(r) >= read.RecordBytes; r = r[read.RecordBytes:] {
		if batch.Full() {
			if err := batch.Flush(); err != nil {
				return err
			}
		}
		batch.Src[batch.N], batch.Dst[batch.N] = uint64(le.Uint32(r))+t.base, uint64(le.Uint32(r[4:]))+t.base
		if t.weights {
			x := math.Float64frombits(le.Uint64(r[8:]))
			if x < 0 {
				x = -x
				batch.Round(x)
			}
			batch.Weight[batch.N] = x
		}
		batch.N++
	}
	return nil
}

// errLineEnd reports that a line has no more words.
var errLineEnd = errors.New("the line ends")

// maxWord is the most bytes of a number.
const maxWord = 128

// someWords is the number of words are read between looks at the context.
const someWords = 1 << 16

// words reads a text word by word.
type words struct {
	f    *read.Feed
	r    *bufio.Reader
	name string
	line int64 // the line of the next byte, from 1 behind the header
	word []byte
	read int64
}

func newWords(f *read.Feed, plan *read.Plan, r io.Reader) *words {
	return &words{f: f, r: bufio.NewReaderSize(r, 256<<10), name: plan.Name(), line: 1}
}

// next returns the next word of the line, until the next call; errLineEnd behind the last one, once, and io.EOF at
// the end of the file.
func (w *words) next() ([]byte, error) {
	if w.read++; w.read%someWords == 0 {
		if err := w.f.Going(); err != nil {
			return nil, err
		}
	}
	w.word = w.word[:0]
	for {
		c, err := w.r.ReadByte()
		switch {
		case err == io.EOF && len(w.word) > 0:
			return w.word, nil
		case err != nil:
			return nil, err
		case c == '\n' && len(w.word) == 0:
			w.line++
			return nil, errLineEnd
		case c == '\n':
			return w.word, w.r.UnreadByte()
		case c == ' ' || c == '\t' || c == '\r':
			if len(w.word) > 0 {
				return w.word, nil
			}
		case len(w.word) == maxWord:
			return nil, w.refused(w.word, "a number", "")
		default:
			w.word = append(w.word, c)
		}
	}
}

// any returns the next word of any line.
func (w *words) any() ([]byte, error) {
	for {
		word, err := w.next()
		if err == io.EOF {
			return nil, w.truncated()
		}
		if !errors.Is(err, errLineEnd) {
			return word, err
		}
	}
}

// end returns an error if anything but comments follows.
func (w *words) end(comments bool) error {
	for {
		if comments {
			if err := w.pastComments(); err != nil && err != io.EOF {
				return err
			}
		}
		switch word, err := w.next(); {
		case err == io.EOF:
			return nil
		case err == nil:
			return w.refused(word, "the end of the file, behind all that its header promises", "")
		case !errors.Is(err, errLineEnd):
			return err
		}
	}
}

func (w *words) truncated() error {
	return &read.DamagedError{
		File: w.name, Problem: fmt.Sprintf("is truncated: it ends in line %d, before all that its header promises", w.line),
	}
}

// pastComments goes to the next line that does not begin with %; io.EOF where there is none.
func (w *words) pastComments() error {
	for {
		c, err := w.r.ReadByte()
		if err != nil {
			return err
		}
		if c != '%' {
			return w.r.UnreadByte()
		}
		for c != '\n' {
			if c, err = w.r.ReadByte(); err != nil {
				return err
			}
			if w.read++; w.read%someWords == 0 && w.f.Ctx.Err() != nil {
				return w.f.Ctx.Err()
			}
		}
		w.line++
	}
}

// number takes a word as a number within bounds; what names it in errors.
func (w *words) number(word []byte, least, most int64, what string) (int64, error) {
	n, kind := read.ParseInteger(word)
	if kind != read.PlainInteger || int64(n) < least || int64(n) > most {
		return 0, w.refused(word, fmt.Sprintf("%s from %d to %d", what, least, most), "")
	}
	return int64(n), nil
}

// weight takes a word as the weight of an edge. A whole number that is rounded gets a minus sign for
// [adjacency.Parse], which counts these.
func (w *words) weight(word []byte, rule read.WeightRule) (float64, error) {
	x, kind := rule.Parse(word)
	switch kind {
	case read.GoodWeight:
		return x, nil
	case read.RoundedWeight:
		return -x, nil
	default:
		return 0, w.refused(word, kind.Expected(), read.AdviceNoWeights)
	}
}

func (w *words) refused(word []byte, expected, advice string) error {
	return &read.SyntaxError{File: w.name, Line: w.line, Text: read.Shown(word), Expected: expected, Advice: advice}
}
