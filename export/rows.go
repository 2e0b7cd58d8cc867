package export

import (
	"context"
	"fmt"
	"math"
	"sort"
	"strconv"
	"sync"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// windows writes the rows of the vertices in [from, end): at once if all ids are in memory, or are computed;
// otherwise in windows of vertices, each gone over twice, to read the ids of its edges and to write these.
func (x *writer) windows(ctx context.Context, e *algorithms.Env, from, end uint32) error {
	if !x.labels.stored || x.count {
		return x.pass(ctx, e, x.names(nil, nil), from, end)
	}
	set := x.ids
	if x.allIDs {
		return x.pass(ctx, e, x.names(set, nil), from, end)
	}
	rows := max(1, (end-from)/2)
	for from < end {
		to := from + min(rows, end-from)
		if err := x.load(ctx, e, set, from, to); err != nil {
			return err
		}
		fits, err := set.Load()
		switch {
		case err != nil:
			return err
		case fits:
			err = x.pass(ctx, e, x.names(set, nil), from, to)
		case to-from > 1:
			rows = (to - from) / 2
			continue
		default: // neighbours are ascending: each block of ids is read once
			err = x.pass(ctx, e, x.names(nil, x.store.IDs()), from, to)
		}
		if err != nil {
			return err
		}
		from = to
	}
	return nil
}

// load makes the set those vertices that the edges of a window lead from and to.
func (x *writer) load(ctx context.Context, e *algorithms.Env, set *store.IDSet, from, to uint32) error {
	set.Clear()
	var mu sync.Mutex // guards the set
	return e.Rows().EachIn(ctx, from, to, func(_ int, b *algorithms.Block) error {
		mu.Lock()
		defer mu.Unlock()
		for i := range b.Len {
			v := b.First + uint32(i)
			list, _ := x.row(b, i)
			for _, u := range list {
				if err := set.Add(u); err != nil {
					return err
				}
			}
			if len(list) > 0 {
				if err := set.Add(v); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// row is what is written of a row, with its weights, if there are any.
func (x *writer) row(b *algorithms.Block, i int) (list []uint32, weights shard.Plane) {
	list = b.Row(x.dir, i)
	if x.weighted {
		weights = b.Weights(x.dir, i)
	}
	v := b.First + uint32(i)
	from, to := 0, len(list)
	switch x.half {
	case upper:
		from = sort.Search(len(list), func(k int) bool { return list[k] >= v })
	case lower:
		to = sort.Search(len(list), func(k int) bool { return list[k] > v })
	}
	return list[from:to], weights.Slice(from, to)
}

// names are the labels that edges are written with.
func (x *writer) names(set *store.IDSet, reader *store.IDs) *names {
	text := quoted
	if x.o.Format == GraphML {
		text = attribute
	}
	n := &names{labels: x.labels, kind: x.cat.IDs.Kind, set: set, reader: reader, text: text}
	if escape := x.o.Printable; escape != nil {
		n.text = func(dst []byte, name string) ([]byte, error) { return text(dst, escape(name)) }
	}
	return n
}

// someEdges is how many edges become text before its length is looked at.
const someEdges = 1 << 10

// pass writes the rows of the vertices in [from, to).
func (x *writer) pass(ctx context.Context, e *algorithms.Env, n *names, from, to uint32) error {
	defer x.out.begin(ctx, from)()
	buffers, batches := make([][]byte, e.Threads), make([]*results.Batch, e.Threads)
	some := min(someEdges, max(1, bufferBytes/(2*x.mostText()+1)))
	return e.Rows().EachIn(ctx, from, to, func(worker int, b *algorithms.Block) (err error) {
		err = errOther // of a panic
		defer func() {
			if err != nil {
				x.out.fail(err)
			}
		}()
		edges := uint64(0)
		p := piece{writer: x, names: n, first: b.First, buf: buffers[worker][:0], batch: batches[worker]}
		asDirected := x.asDirected()
		for i := range b.Len {
			list, weights := x.row(b, i)
			edges += uint64(len(list))
			if asDirected {
				x.parallel.Add(repeated(list))
			}
			if x.count {
				continue
			}
			for at := 0; at < len(list) && p.err == nil; at += some {
				end := min(at+some, len(list))
				p.append(b.First+uint32(i), list[at:end], weights.Slice(at, end))
			}
			p.endLine()
		}
		if err = p.end(); err != nil {
			return err
		}
		buffers[worker], batches[worker] = p.buf, p.batch
		x.out.done(b.First + uint32(b.Len))
		x.add(edges)
		return nil
	})
}

// mostText is how many bytes a name may take in the file.
func (x *writer) mostText() int {
	if x.o.Format == GraphML {
		return x.cat.IDs.MaxBytes * len("&#34;")
	}
	return x.cat.IDs.MaxBytes
}

// repeated is how many neighbours of a row are those before them again.
func repeated(list []uint32) (n uint64) {
	for i := 1; i < len(list); i++ {
		if list[i] == list[i-1] {
			n++
		}
	}
	return n
}

// add counts edges that are written.
func (x *writer) add(edges uint64) {
	n := x.edges.Add(edges)
	if x.o.Progress != nil && !x.count {
		x.o.Progress(int64(n), int64(x.total()))
	}
}

// total is about how many edges are written.
func (x *writer) total() uint64 {
	if x.half != whole {
		return x.cat.Edges / 2
	}
	return x.cat.Edges
}

// piece is the text of a block, as far as it is not written.
type piece struct {
	*writer
	names  *names
	first  uint32 // the vertex with which the block begins
	buf    []byte
	own    []byte // the label of the vertex that the row is of
	other  []byte // and of a neighbour
	err    error
	inLine bool // the line of METIS that is being written has a neighbour
	// Of a format with columns: edges that are not written, and how many bytes of names they have.
	batch              *results.Batch
	inBatch, nameBytes int
}

// append appends edges of a vertex.
func (p *piece) append(v uint32, list []uint32, weights shard.Plane) {
	switch f := p.o.Format; {
	case hasRows(f):
		p.appendNeighbours(v, list, weights)
	case f.HasColumns():
		p.appendColumns(v, list, weights)
	case isRaw(f):
		p.appendRaw(v, list, weights)
	default:
		p.appendText(v, list, weights)
	}
	if p.err != nil {
		p.err = fmt.Errorf("graph %s: %w", p.store.Name(), p.err)
		return
	}
	if len(p.buf) >= bufferBytes {
		p.err = p.out.write(p.first, p.buf)
		p.buf = p.buf[:0]
	}
}

// turned reports whether rows have what leads to their vertices.
func (p *piece) turned() bool { return p.dir == shard.In && !p.cat.Symmetric }

// appendText appends edges as lines of text, or as elements of GraphML.
func (p *piece) appendText(v uint32, list []uint32, weights shard.Plane) {
	before, between, beforeWeight, end := "", "\t", "\t", "\n"
	switch p.o.Format {
	case CSV:
		between, beforeWeight = ",", ","
	case DIMACS:
		before, between, beforeWeight = "a ", " ", " "
		if !p.weighted { // which has them in any case
			end = " 1\n"
		}
	case MatrixMarket, EL, WEL, LDBC:
		between, beforeWeight = " ", " "
	case GraphML:
		before, between, beforeWeight, end = `<edge source="`, `" target="`, `"><data key="weight">`, "\"/>\n"
		if p.weighted {
			end = "</data></edge>\n"
		}
	}
	if p.own, p.err = p.names.append(p.own[:0], v); p.err != nil {
		return
	}
	b, turned := p.buf, p.turned()
	for i, u := range list {
		if p.other, p.err = p.names.append(p.other[:0], u); p.err != nil {
			return
		}
		source, target := p.own, p.other
		if turned {
			source, target = target, source
		}
		b = append(append(b, before...), source...)
		b = append(append(b, between...), target...)
		if p.weighted {
			b = p.appendWeight(append(b, beforeWeight...), weights.At(i))
		}
		b = append(b, end...)
	}
	p.buf = b
}

// appendWeight appends the fewest digits that give the same number.
func (x *writer) appendWeight(dst []byte, w float64) []byte {
	whole, bits := 0x1p24, 32
	if x.cat.Wide {
		whole, bits = 0x1p53, 64
	}
	if w == math.Trunc(w) && w < whole && !math.Signbit(w) {
		return strconv.AppendInt(dst, int64(w), 10)
	}
	return strconv.AppendFloat(dst, w, 'g', -1, bits)
}

// endLine ends the line of a vertex, where vertices have lines.
func (p *piece) endLine() {
	if p.o.Format == METIS {
		p.buf, p.inLine = append(p.buf, '\n'), false
	}
}

// end writes the rest.
func (p *piece) end() error {
	switch {
	case p.err != nil:
	case p.o.Format.HasColumns() && !p.count:
		p.err = p.endBatch()
	default:
		p.err = p.out.write(p.first, p.buf)
	}
	return p.err
}
