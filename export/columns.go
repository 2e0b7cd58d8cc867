package export

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// Formats with columns for source, target and weight: Parquet and Arrow IPC, as results are written. The rows of a
// block become a batch of edges, and batches take turns at one writer.

const (
	// edgesPerBatch is the number of edges a goroutine collects before it writes.
	edgesPerBatch = 8 << 10
	// encoderBytes is the memory of a writer of files beside batches: a row group or a record batch, as it
	// grows and as it is compressed.
	encoderBytes = 48 << 20
)

// edgeRows are the edges of the vertices in [from, to) as rows of a file.
type edgeRows struct {
	*writer
	ctx      context.Context //nolint:containedctx // of the one call that the rows are made for
	env      *algorithms.Env
	from, to uint32
}

// writeColumns writes the edges of the vertices in [from, to).
func (x *writer) writeColumns(ctx context.Context, e *algorithms.Env, w io.Writer, from, to uint32) error {
	err := results.WriteEdges(w, x.to.Columns, &edgeRows{x, ctx, e, from, to}, x.areText)
	x.sink = nil
	return err
}

// Rows returns -1: an undirected edge may be written once.
func (r *edgeRows) Rows() int64 { return -1 }

// IDKind returns the kind of the labels.
func (r *edgeRows) IDKind() results.IDKind {
	switch r.cat.IDs.Kind {
	case store.IDString:
		return results.IDString
	case store.IDUint:
		return results.IDUint
	default:
		return results.IDInt
	}
}

// IDName returns the name of the column of sources.
func (r *edgeRows) IDName() string { return results.SourceColumn }

// Columns returns the columns beside the source.
func (r *edgeRows) Columns() []results.Column {
	list := []results.Column{{Name: results.TargetColumn, Kind: results.VertexID}}
	if r.weighted {
		kind := results.Float32
		if r.cat.Wide {
			kind = results.Float64
		}
		list = append(list, results.Column{Name: results.WeightColumn, Kind: kind})
	}
	return list
}

// Batches goes over the rows of the graph.
func (r *edgeRows) Batches(yield func(*results.Batch) error) error {
	r.sink = yield
	return r.windows(r.ctx, r.env, r.from, r.to)
}

// appendColumns appends edges to the batch of a piece.
func (p *piece) appendColumns(v uint32, list []uint32, weights shard.Plane) {
	if p.batch == nil {
		columns := 1
		if p.weighted {
			columns = 2
		}
		p.batch = &results.Batch{Columns: make([]results.Values, columns)}
	}
	b := p.batch
	source, target := &b.IDs, &b.Columns[0].V
	if p.turned() {
		source, target = target, source
	}
	for _, u := range list {
		if p.err = cmp.Or(p.appendID(source, v), p.appendID(target, u)); p.err != nil {
			return
		}
	}
	if p.weighted {
		c := &b.Columns[1]
		c.F32, c.F64 = append(c.F32, weights.Narrow...), append(c.F64, weights.Wide...)
	}
	if p.inBatch += len(list); p.inBatch >= edgesPerBatch || p.nameBytes >= bufferBytes {
		p.err = p.endBatch()
	}
}

// appendID appends the label of a vertex.
func (p *piece) appendID(c *results.IDs, v uint32) error {
	switch n := p.names; {
	case n.kind == store.IDString:
		name, err := n.name(v)
		if n.reader != nil {
			name = strings.Clone(name) // or the batch would keep the block of each
		}
		p.nameBytes += len(name)
		c.Strings = append(c.Strings, name)
		return err
	case n.kind == store.IDUint:
		id, err := n.Number(v)
		c.Uints = append(c.Uints, id)
		return err
	default:
		id, err := n.Number(v)
		c.Ints = append(c.Ints, int64(id))
		return err
	}
}

// endBatch writes the edges of the batch, when it is their turn.
func (p *piece) endBatch() error {
	if p.batch == nil || p.inBatch == 0 {
		return p.out.turn(p.first, nil)
	}
	err := p.out.turn(p.first, func() error { return p.sink(p.batch) })
	p.batch.IDs.Empty()
	for i := range p.batch.Columns {
		p.batch.Columns[i].Empty()
	}
	p.inBatch, p.nameBytes = 0, 0
	return err
}

// namesAreText reports whether all names are UTF-8.
func (x *writer) namesAreText(ctx context.Context) (bool, error) {
	ids := x.store.IDs()
	for v := uint32(0); v < x.cat.Vertices && x.cat.IDs.Kind == store.IDString; {
		b, err := ids.Block(v)
		if err = cmp.Or(ctx.Err(), err); err != nil {
			return false, err
		}
		if slices.ContainsFunc(b.Strings, func(name string) bool { return !utf8.ValidString(name) }) {
			return false, nil
		}
		v += uint32(b.Len())
	}
	return true, nil
}
