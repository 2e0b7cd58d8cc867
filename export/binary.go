package export

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/garaph/garaph/shard"
)

// appendBinary appends edges as raw ones, or as neighbours of GAP's serialized graphs.
func (p *piece) appendBinary(v uint32, list []uint32, weights []float32) {
	le := binary.LittleEndian
	var own uint64
	gap := isGAP(p.o.Format)
	if !gap {
		if own, p.err = p.names.number(v); p.err != nil {
			return
		}
	}
	b := p.buf
	for i, u := range list {
		if gap {
			b = le.AppendUint32(b, u)
			if weights != nil {
				w := weights[i]
				if w != float32(math.Trunc(float64(w))) || w >= 1<<31 {
					p.err = fmt.Errorf("the weight %v: %w; choose another format, or --no-weights with sg", w, errWeight)
					return
				}
				b = le.AppendUint32(b, uint32(w))
			}
			continue
		}
		var other uint64
		if other, p.err = p.names.number(u); p.err != nil {
			return
		}
		src, dst := own, other
		if p.dir == shard.In && !p.cat.Symmetric {
			src, dst = other, own
		}
		b = le.AppendUint32(le.AppendUint32(b, uint32(src)), uint32(dst))
		if weights != nil {
			b = le.AppendUint32(b, math.Float32bits(weights[i]))
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
