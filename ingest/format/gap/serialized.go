// Package gap reads serialized graphs of the GAP Benchmark Suite, and raw edges.
package gap

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"sync/atomic"

	"github.com/garaph/garaph/ingest/format"
	"github.com/garaph/garaph/ingest/read"
)

// Serialized graphs of the GAP Benchmark Suite, .sg and .wsg:
//
//	u8 directed; i64 edges m; i64 vertices n; i64 offsets[n+1];
//	m × i32 neighbour, or (i32 neighbour, i32 weight);
//	if directed, the in-edges again: offsets and neighbours
//
// The out-edges are delivered. An undirected file lists each edge at both ends,
// so its edges are both directions already, and the graph is stored as a symmetric
// one; a file that does not is refused.

// Names of the formats.
const (
	SG     read.FormatName = "sg"
	WSG    read.FormatName = "wsg"
	Raw    read.FormatName = "raw"
	RawW   read.FormatName = "raww"
	RawW64 read.FormatName = "raww64"
)

// Formats lists serialized graphs and raw edges.
var Formats = []*format.Format{
	{
		Name: SG, Doc: "serialized graph of GAP", Extensions: []string{".sg"},
		Plan: planSG, Input: format.Input{Dense: true, Numbers: true, Without: true},
		Writer: &format.Writer{Content: serialized(WSG, ""), Write: writeSG, Check: checkSG},
	},
	{
		Name: WSG, Doc: "serialized graph of GAP, with weights", Extensions: []string{".wsg"},
		Plan: planSG, Input: format.Input{Dense: true, Numbers: true, Weighted: true},
		Writer: &format.Writer{Content: serialized("", SG), Write: writeSG, Check: checkSG},
	},
	{
		Name: Raw, Doc: "pairs of little-endian uint32", Extensions: []string{".bin", ".u32"},
		Plan: planRaw, Input: format.Input{Vertices: true, Numbers: true, Without: true},
		Writer: &format.Writer{Content: rawEdges(RawW, ""), Append: appendRaw},
	},
	{
		Name: RawW, Doc: "the same, each with a float32 weight", Extensions: []string{".wbin"},
		Plan: planRaw, Input: format.Input{Vertices: true, Numbers: true, Weighted: true},
		Writer: &format.Writer{Content: rawEdges("", Raw), Append: appendRaw, Check: checkNarrow},
	},
	{
		Name: RawW64, Doc: "the same, each with a float64 weight", Extensions: []string{".wbin64"},
		Plan: planRaw, Input: format.Input{Vertices: true, Numbers: true, Weighted: true},
		Writer: &format.Writer{Content: rawEdges("", Raw), Append: appendRaw64},
	},
}

func serialized(weighted, unweighted read.FormatName) format.Content {
	return format.Content{
		Labels: format.FromZero, Half: format.Whole, Undirected: format.WhenWhole,
		Weighted: weighted, Unweighted: unweighted, Vertices: true, Binary: true,
	}
}

func rawEdges(weighted, unweighted read.FormatName) format.Content {
	return format.Content{
		Labels: format.IDs32, Weighted: weighted, Unweighted: unweighted, Parts: true, Binary: true, Plain: true,
	}
}

const sgHeader = 1 + 8 + 8

// sgBody reads a serialized graph behind its header, in one pass, so that it
// may come from a pipe or be compressed.
type sgBody struct {
	directed bool
	n, m     int64
	entry    int  // bytes of a neighbour
	weights  bool // weights are wanted
	rule     read.WeightRule

	// The out-degrees, written by feed before the first block that needs them is handed out.
	degrees read.Parts

	// In an undirected file, the sum of a hash of every edge less that of the
	// edge the other way round: 0 when both are there, each as often.
	oneWay atomic.Uint64
}

// planSG reads the header and compares the file's size with it.
func planSG(p *read.Plan, h *read.Head, o read.Options) error {
	name := p.Name()
	t := &sgBody{entry: 4}
	if p.Schema.Format == WSG {
		t.entry, t.weights, t.rule = 8, o.Weights != read.WeightsNo, o.Weights.Rule()
	}
	if len(h.Bytes) < sgHeader {
		if h.Err != io.EOF {
			return h.Err
		}
		return &read.DamagedError{
			File: name, Problem: fmt.Sprintf("is truncated: it ends within its header of %d bytes", sgHeader),
		}
	}
	if err := t.readHeader(p, h.Bytes); err != nil {
		return err
	}
	if size, known := h.Size(); known && size != t.size() {
		return &read.DamagedError{File: name, Problem: fmt.Sprintf(
			"has %d bytes, but with %d vertices and %d edges it would have %d: it is truncated, or not in format %s",
			size, t.n, t.m, t.size(), p.Schema.Format)}
	}
	err := o.Reserve(4*(t.n+1), fmt.Sprintf("the header promises %d vertices, and their degrees take", t.n))
	if err != nil {
		return &read.InputError{File: name, Problem: err.Error(), Err: err}
	}
	p.SkipBytes = sgHeader
	p.TakeIDs(o.IDs)
	if p.Schema.IDs == read.IDDense {
		p.Schema.Vertices = t.n
	}
	p.Schema.Weighted, p.Schema.Both = t.weights, !t.directed
	p.Body = t
	return nil
}

// readHeader checks the header's numbers one by one.
func (t *sgBody) readHeader(p *read.Plan, b []byte) error {
	t.directed = b[0] == 1
	t.m = int64(binary.LittleEndian.Uint64(b[1:]))
	t.n = int64(binary.LittleEndian.Uint64(b[9:]))
	const maxEdges = 1 << 56 // so that no size overflows
	switch {
	case b[0] > 1:
		return t.refused(p, 0, int64(b[0]), "0 for undirected or 1 for directed", "")
	case t.m < 0 || t.m > maxEdges:
		return t.refused(p, 1, t.m, "a number of edges", "")
	case t.n < 0 || t.n > math.MaxInt32+1:
		return t.refused(p, 9, t.n, fmt.Sprintf("a number of vertices up to %d", int64(math.MaxInt32+1)), "")
	}
	return nil
}

// size returns the file's size by the header.
func (t *sgBody) size() int64 {
	half := 8*(t.n+1) + int64(t.entry)*t.m
	if t.directed {
		half *= 2
	}
	return sgHeader + half
}

// Feed reads the offsets, and then cuts the neighbours into blocks.
func (t *sgBody) Feed(f *read.Feed, plan *read.Plan, r io.Reader) error {
	if err := t.readOffsets(f, plan, r); err != nil {
		return err
	}
	if err := t.feedNeighbours(f, plan, r); err != nil {
		return err
	}
	inEdges := t.size() - sgHeader - 8*(t.n+1) - int64(t.entry)*t.m
	if err := f.Skip(r, inEdges); err == io.EOF {
		return t.truncated(plan)
	} else if err != nil {
		return err
	}
	var extra [1]byte
	switch n, err := read.Full(r, extra[:]); {
	case n > 0:
		return plan.Damaged("goes on behind the %d bytes that its header promises", t.size())
	case err != io.EOF:
		return err
	}
	return nil
}

// readOffsets turns the offsets into degrees and checks them.
func (t *sgBody) readOffsets(f *read.Feed, plan *read.Plan, r io.Reader) error {
	part := make([]byte, 8*min(read.PartLength, t.n+1))
	last, at := int64(0), int64(sgHeader)
	for i := int64(0); i <= t.n; {
		b := part[:8*min(read.PartLength, t.n+1-i)]
		if _, err := read.Full(r, b); err == io.EOF {
			return t.truncated(plan)
		} else if err != nil {
			return err
		}
		if err := f.Ctx.Err(); err != nil {
			return err
		}
		for ; len(b) > 0; b, i, at = b[8:], i+1, at+8 {
			off := int64(binary.LittleEndian.Uint64(b))
			least, most := last, t.m
			if i == 0 {
				most = 0
			}
			if i == t.n {
				least = t.m
			}
			if off < least || off > most || off-last > math.MaxUint32 {
				return t.refused(plan, at, off,
					fmt.Sprintf("an offset from %d to %d, with at most 2^32-1 edges at a vertex", least, most), "")
			}
			if i > 0 {
				t.degrees.Add(uint32(off - last))
			}
			last = off
		}
	}
	return nil
}

// feedNeighbours cuts the neighbours into blocks and finds the vertex with
// which each block begins.
func (t *sgBody) feedNeighbours(f *read.Feed, plan *read.Plan, r io.Reader) error {
	vertex, passed := int64(0), int64(0)
	at := sgHeader + 8*(t.n+1)
	for left := t.m; left > 0; {
		buf, err := f.Pool.Get(f.Ctx)
		if err != nil {
			return err
		}
		buf = buf[:min(left, int64(len(buf)/t.entry))*int64(t.entry)]
		n, readErr := read.Full(r, buf)
		entries := int64(n / t.entry)
		b := &read.Block{Plan: plan, Data: buf[:entries*int64(t.entry)], At: at, Vertex: vertex, Passed: passed}
		if err := f.Emit(b); err != nil {
			return err
		}
		switch {
		case readErr == io.EOF:
			return t.truncated(plan)
		case readErr != nil:
			return readErr
		}
		left -= entries
		at += entries * int64(t.entry)
		passed += entries
		for vertex < t.n && passed >= int64(t.degrees.At(vertex)) {
			passed -= int64(t.degrees.At(vertex))
			vertex++
		}
	}
	return nil
}

// Parse delivers the edges of one block.
func (t *sgBody) Parse(b *read.Block, w *read.Parser) error {
	batch, oneWay := w.Batch, uint64(0)
	u, left := b.Vertex, int64(t.degrees.At(b.Vertex))-b.Passed
	for i := 0; i < len(b.Data); i += t.entry {
		for left == 0 {
			u++
			left = int64(t.degrees.At(u))
		}
		left--
		if batch.Full() {
			if err := batch.Flush(); err != nil {
				return err
			}
		}
		v := int32(binary.LittleEndian.Uint32(b.Data[i:]))
		if v < 0 || int64(v) >= t.n {
			return t.refused(b.Plan, b.At+int64(i), int64(v), fmt.Sprintf("a neighbour of vertex %d from 0 to %d", u, t.n-1), "")
		}
		batch.Src[batch.N], batch.Dst[batch.N] = uint64(u), uint64(v)
		if t.weights {
			x := int32(binary.LittleEndian.Uint32(b.Data[i+4:]))
			if x < 0 {
				return t.refused(b.Plan, b.At+int64(i)+4, int64(x),
					fmt.Sprintf("a weight of edge %d → %d that is not negative", u, v), read.AdviceNoWeights)
			}
			weight, kind := t.rule.Integer(uint64(x))
			if batch.Weight[batch.N] = weight; kind == read.RoundedWeight {
				batch.Round(weight)
			}
		}
		if !t.directed {
			x := uint64(0)
			if t.weights {
				x = uint64(binary.LittleEndian.Uint32(b.Data[i+4:]))
			}
			oneWay += read.EdgeHash(uint64(u), uint64(v), x) - read.EdgeHash(uint64(v), uint64(u), x)
		}
		batch.N++
	}
	t.oneWay.Add(oneWay)
	return nil
}

// Finish refuses an undirected file of which an edge has no other direction.
func (t *sgBody) Finish(p *read.Plan) error {
	if t.oneWay.Load() == 0 {
		return nil
	}
	what := "without the other direction"
	if t.weights {
		what = "without the other direction, or with another weight there"
	}
	return p.Damaged("says that it is undirected, but has an edge %s; write it as a directed graph, or import its edge "+
		"list with --undirected", what)
}

func (t *sgBody) refused(p *read.Plan, at, found int64, expected, advice string) error {
	return &read.SyntaxError{
		File: p.Name(), Offset: at, Text: strconv.FormatInt(found, 10), Expected: expected, Advice: advice,
	}
}

func (t *sgBody) truncated(p *read.Plan) error {
	return p.Damaged("is truncated: it ends before the %d bytes that its header promises", t.size())
}
