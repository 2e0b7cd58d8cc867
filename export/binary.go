package export

import (
	"cmp"
	"context"
	"encoding/binary"
	"io"
	"math"

	"github.com/garaph/garaph/shard"
)

// appendRaw appends edges as raw ones.
func (p *piece) appendRaw(v uint32, list []uint32, weights shard.Plane) {
	le, b := binary.LittleEndian, p.buf
	own, err := p.names.number(v)
	for i, u := range list {
		dst, end := p.names.number(u)
		if err = cmp.Or(err, end); err != nil {
			p.err = err
			return
		}
		src := own
		if p.turned() {
			src, dst = dst, src
		}
		b = le.AppendUint32(le.AppendUint32(b, uint32(src)), uint32(dst))
		if p.weighted {
			if w := weights.At(i); p.cat.Wide {
				b = le.AppendUint64(b, math.Float64bits(w))
			} else {
				b = le.AppendUint32(b, math.Float32bits(float32(w)))
			}
		}
	}
	p.buf = b
}

// maxGAP is the most vertices of a serialized graph, whose numbers are those of int32.
const maxGAP = 1 << 31

// writeGAP writes a serialized graph: header, offsets and neighbours, and those of the other direction if
// the graph is directed.
func (x *writer) writeGAP(ctx context.Context, w io.Writer) error {
	le := binary.LittleEndian
	head := []byte{1}
	if x.cat.Symmetric {
		head[0] = 0
	}
	head = le.AppendUint64(head, x.cat.Edges)
	head = le.AppendUint64(head, uint64(x.cat.Vertices))
	if _, err := w.Write(head); err != nil {
		return err
	}
	for _, pass := range x.passes() {
		x.dir = pass.dir
		if _, err := w.Write(make([]byte, 8)); err != nil { // the first offset
			return err
		}
		if err := x.eachOffset(ctx, w, func(b []byte, _, end uint64) []byte { return le.AppendUint64(b, end) }); err != nil {
			return err
		}
		x.edges.Store(0)
		if err := x.visitRows(ctx); err != nil {
			return err
		}
	}
	return nil
}
