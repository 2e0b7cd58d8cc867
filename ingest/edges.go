package ingest

import (
	"context"
	"fmt"
	"iter"
	"math"
	"reflect"
	"strconv"
	"sync"
	"unsafe"

	"github.com/garaph/garaph/ingest/build"
	"github.com/garaph/garaph/ingest/read"
)

// EdgeID is a type of ids of [Edges]: integers, or strings, which
// are names even if they have digits alone.
type EdgeID interface {
	~int | ~int32 | ~int64 | ~uint | ~uint32 | ~uint64 | ~string
}

// Edges is the input of [ImportEdges]: Seq or Weighted, or List. If set,
// Weights is as long as List.
type Edges[I EdgeID] struct {
	Seq      iter.Seq2[I, I]          // yields from and to
	Weighted iter.Seq2[[2]I, float64] // yields edges with weights
	List     [][2]I
	Weights  []float64
}

// inMemory is the format of a graph that comes from no file.
const inMemory Format = "memory"

// MemorySource names the source of a graph of edges of a Go program.
const MemorySource = "edges of a Go program"

// ImportEdges makes a new graph at path from edges of a Go program, as [Import] does from
// files. Options about files, Format, IDs, Table, Vertices, SkipBadLines and
// Stdin, have no effect. An iterator is called by one goroutine; a panic of it passes through.
func ImportEdges[I EdgeID](ctx context.Context, edges Edges[I], path string, o Options) (r Report, err error) {
	if edges.Weights != nil && len(edges.Weights) != len(edges.List) {
		return r, fmt.Errorf("import %s: there are %d weights of %d edges", MemorySource, len(edges.Weights), len(edges.List))
	}
	fill := func(ctx context.Context, b *build.Builder) (read.Schema, read.Stats, error) {
		f := newFeeder[I](edges.Weighted != nil || len(edges.Weights) > 0)
		f.weights = o.Weights.Rule()
		if err := b.Begin(f.schema); err != nil {
			return f.schema, read.Stats{}, err
		}
		stats, err := f.read(ctx, edges, b)
		if err != nil {
			err = fmt.Errorf("import %s: %w", MemorySource, err)
		}
		return f.schema, stats, err
	}
	return build.Graph(ctx, []string{MemorySource}, path, o.building(), fill)
}

// feeder hands edges of a Go program to a sink.
type feeder[I EdgeID] struct {
	schema  read.Schema
	bits    func(I) uint64 // of an integer
	signed  bool
	weights read.WeightRule
}

func newFeeder[I EdgeID](weighted bool) *feeder[I] {
	f := &feeder[I]{schema: read.Schema{Format: inMemory, IDs: read.IDInt, Vertices: -1, Weighted: weighted}, signed: true}
	switch kind := reflect.TypeFor[I]().Kind(); kind {
	case reflect.String:
		f.schema.IDs = read.IDString
	case reflect.Int32:
		f.bits = func(x I) uint64 { return uint64(*(*int32)(unsafe.Pointer(&x))) }
	case reflect.Uint32:
		f.bits = func(x I) uint64 { return uint64(*(*uint32)(unsafe.Pointer(&x))) }
	default: // of 64 bits; int too, on the processors that garaph runs on
		f.signed = kind != reflect.Uint64 && kind != reflect.Uint
		f.bits = func(x I) uint64 { return *(*uint64)(unsafe.Pointer(&x)) }
	}
	return f
}

// read hands all edges to the builder. A list is divided among goroutines.
func (f *feeder[I]) read(ctx context.Context, edges Edges[I], b *build.Builder) (read.Stats, error) {
	var parts []*feeding[I]
	part := func(first int64) *feeding[I] {
		p := &feeding[I]{feeder: f, ctx: ctx, first: first, batch: read.NewBatch(b.Worker(), f.schema)}
		parts = append(parts, p)
		return p
	}
	var g sync.WaitGroup
	switch {
	case edges.List != nil:
		n, threads := len(edges.List), b.Threads()
		for i := range threads {
			from, to := i*n/threads, (i+1)*n/threads
			p := part(int64(from))
			g.Go(func() { p.list(edges.List[from:to], edges.Weights[min(from, len(edges.Weights)):]) })
		}
	case edges.Weighted != nil:
		p := part(0)
		edges.Weighted(func(e [2]I, w float64) bool { return p.add(e[0], e[1], w) })
		p.end()
	default:
		p := part(0)
		if edges.Seq != nil {
			edges.Seq(func(from, to I) bool { return p.add(from, to, 1) })
		}
		p.end()
	}
	g.Wait()
	var stats read.Stats
	for _, p := range parts {
		if p.err != nil { // of the first edge that has one
			return stats, p.err
		}
		stats.Entries += p.batch.Entries
		stats.Unsigned = stats.Unsigned || p.large
	}
	for _, p := range parts {
		if err := p.batch.Sink.Close(); err != nil {
			return stats, err
		}
	}
	return stats, nil
}

// feeding is the edges of one goroutine, on their way.
type feeding[I EdgeID] struct {
	*feeder[I]
	ctx   context.Context
	batch *read.Batch
	first int64 // number of its first edge
	large bool  // there is an id above the range of int64
	err   error
}

// list takes edges, with weights or without.
func (p *feeding[I]) list(list [][2]I, weights []float64) {
	for i, e := range list {
		w := 1.
		if p.schema.Weighted {
			w = weights[i]
		}
		if !p.add(e[0], e[1], w) {
			break
		}
	}
	p.end()
}

// add takes an edge, and reports whether more are wanted.
func (p *feeding[I]) add(from, to I, weight float64) bool {
	b := p.batch
	if p.err != nil {
		return false
	}
	if p.schema.Weighted {
		if !(weight >= 0 && weight <= math.MaxFloat32) {
			p.fail(from, to, fmt.Sprintf("has the weight %v; expected a finite one that is not negative", weight))
			return false
		}
		var kind read.WeightKind
		if b.Weight[b.N], kind = p.weights.Float(weight); kind == read.TinyWeight {
			p.fail(from, to, fmt.Sprintf("has the weight %v; expected %s", weight, kind.Expected()))
			return false
		}
	}
	if p.schema.IDs == read.IDString {
		b.SrcNames[b.N], b.DstNames[b.N] = p.name(from, to, from), p.name(from, to, to)
	} else {
		u, v := p.bits(from), p.bits(to)
		if !p.signed && (u|v)>>63 != 0 {
			p.large = true
		}
		b.Src[b.N], b.Dst[b.N] = u, v
	}
	if b.N++; p.err == nil && b.Full() {
		p.flush()
	}
	return p.err == nil
}

// name returns an id, in the memory of the string.
func (p *feeding[I]) name(from, to, id I) []byte {
	text := *(*string)(unsafe.Pointer(&id))
	b := unsafe.Slice(unsafe.StringData(text), len(text))
	if bad := read.CheckName(b); bad != nil {
		p.fail(from, to, "has the id "+read.Shown(bad.Text)+"; expected "+bad.Expected)
	}
	return b
}

// fail ends the feeding at an edge.
func (p *feeding[I]) fail(from, to I, what string) {
	if p.err == nil {
		n := p.first + p.batch.Entries + int64(p.batch.N) + 1
		p.err = fmt.Errorf("edge %d, from %s to %s, %s", n, shownID(from), shownID(to), what)
	}
}

// shownID returns an id as an error shows it: a string in quotes, and not all of a long one.
func shownID(id any) string {
	const most = 64
	text := fmt.Sprint(id)
	switch {
	case len(text) > most:
		return fmt.Sprintf("%q…", text[:most])
	case reflect.TypeOf(id).Kind() == reflect.String:
		return strconv.Quote(text)
	}
	return text
}

func (p *feeding[I]) flush() {
	if p.ctx.Err() != nil {
		p.err = context.Cause(p.ctx)
		return
	}
	p.err = p.batch.Flush()
}

// end hands the rest over.
func (p *feeding[I]) end() {
	if p.err == nil {
		p.flush()
	}
}
