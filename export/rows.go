package export

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"sync"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/ingest/format"
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
			v := b.Vertex(i)
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

// row returns the part of a row that is written, and its weights, if there are any.
func (x *writer) row(b *algorithms.Block, i int) (list []uint32, weights shard.Plane) {
	list = b.Row(x.dir, i)
	if x.weighted {
		weights = b.Weights(x.dir, i)
	}
	v := b.Vertex(i)
	from, to := 0, len(list)
	switch x.graph.Half {
	case format.Upper:
		from = sort.Search(len(list), func(k int) bool { return list[k] >= v })
	case format.Lower:
		to = sort.Search(len(list), func(k int) bool { return list[k] > v })
	}
	return list[from:to], weights.Slice(from, to)
}

// names returns the labels that edges are written with.
func (x *writer) names(set *store.IDSet, reader *store.IDs) *names {
	text := x.to.Text
	if text == nil {
		text = quoted
	}
	n := &names{labels: x.labels, kind: x.cat.IDs.Kind, set: set, reader: reader, text: text}
	if escape := x.o.Printable; escape != nil {
		n.text = func(dst []byte, name string) ([]byte, error) { return text(dst, escape(name)) }
	}
	return n
}

// someEdges is the number of edges become text between looks at its length.
const someEdges = 1 << 10

// pass writes the rows of the vertices in [from, to).
func (x *writer) pass(ctx context.Context, e *algorithms.Env, n *names, from, to uint32) error {
	defer x.out.begin(ctx, from)()
	buffers, batches := make([][]byte, e.Threads), make([]*results.Batch, e.Threads)
	some := min(someEdges, max(1, bufferBytes/(2*x.cat.IDs.MaxBytes*max(1, x.to.Wide)+1)))
	return e.Rows().EachIn(ctx, from, to, func(worker int, b *algorithms.Block) (err error) {
		err = errors.New("another goroutine has failed") // of a panic
		defer func() {
			if err != nil {
				x.out.fail(err)
			}
		}()
		edges := uint64(0)
		p := piece{writer: x, names: n, first: b.Vertex(0), buf: buffers[worker][:0], batch: batches[worker]}
		p.row = format.Row{Graph: &x.graph, Labeler: n, Turned: x.turned()}
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
				p.append(b.Vertex(i), at, list[at:end], weights.Slice(at, end))
			}
			p.buf = append(p.buf, x.to.EndRow...)
		}
		if err = p.end(); err != nil {
			return err
		}
		buffers[worker], batches[worker] = p.buf, p.batch
		x.out.done(b.Vertex(0) + uint32(b.Len))
		x.wrote(edges)
		return nil
	})
}

// repeated returns the number of neighbours of a row that equal the one before.
func repeated(list []uint32) (n uint64) {
	for i := 1; i < len(list); i++ {
		if list[i] == list[i-1] {
			n++
		}
	}
	return n
}

// wrote counts edges that are written.
func (x *writer) wrote(edges uint64) {
	n := x.edges.Add(edges)
	if x.o.Progress != nil && !x.count {
		x.o.Progress(int64(n), int64(x.total()))
	}
}

// total returns about how many edges are written.
func (x *writer) total() uint64 {
	if x.graph.Half != format.Whole {
		return x.cat.Edges / 2
	}
	return x.cat.Edges
}

// piece is the pending text of a block.
type piece struct {
	*writer
	names *names
	first uint32 // the vertex with which the block begins
	row   format.Row
	buf   []byte
	err   error
	// Of a format with columns: edges that are not written, and how many bytes of names they have.
	batch              *results.Batch
	inBatch, nameBytes int
}

// append appends edges of a vertex, behind from others.
func (p *piece) append(v uint32, from int, list []uint32, weights shard.Plane) {
	if p.to.Columns != "" {
		p.appendColumns(v, list, weights)
	} else {
		p.row.Vertex, p.row.From, p.row.List, p.row.Weights = v, from, list, weights
		p.buf, p.err = p.add(p.buf, &p.row)
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

// turned reports whether rows have the in-edges of their vertices.
func (x *writer) turned() bool { return x.dir == shard.In && !x.cat.Symmetric }

// end writes the rest.
func (p *piece) end() error {
	switch {
	case p.err != nil:
	case p.to.Columns != "" && !p.count:
		p.err = p.endBatch()
	default:
		p.err = p.out.write(p.first, p.buf)
	}
	return p.err
}
