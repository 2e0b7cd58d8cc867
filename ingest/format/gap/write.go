package gap

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/garaph/garaph/ingest/format"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// checkNarrow refuses graphs whose weights float32 does not hold.
func checkNarrow(c *store.Catalogue) error {
	if c.Wide {
		return errors.New("its weights have 64 bits, and the format has room for 32; choose raww64")
	}
	return nil
}

// appendRaw appends raw edges, and their weights in 32 bits.
func appendRaw(b []byte, r *format.Row) ([]byte, error) { return appendPairs(b, r, 32) }

// appendRaw64 appends raw edges, and their weights in 64 bits.
func appendRaw64(b []byte, r *format.Row) ([]byte, error) { return appendPairs(b, r, 64) }

func appendPairs(b []byte, r *format.Row, bits int) ([]byte, error) {
	le := binary.LittleEndian
	own, err := r.Number(r.Vertex)
	for i, u := range r.List {
		dst, end := r.Number(u)
		if err = cmp.Or(err, end); err != nil {
			return b, err
		}
		src := own
		if r.Turned {
			src, dst = dst, src
		}
		b = le.AppendUint32(le.AppendUint32(b, uint32(src)), uint32(dst))
		switch w := r.Weights.At(i); {
		case !r.Weighted:
		case bits == 64:
			b = le.AppendUint64(b, math.Float64bits(w))
		default:
			b = le.AppendUint32(b, math.Float32bits(float32(w)))
		}
	}
	return b, nil
}

// maxVertices is the most vertices of a serialized graph, which has numbers of 31 bits.
const maxVertices = 1 << 31

func checkSG(c *store.Catalogue) error {
	if int64(c.Vertices) > maxVertices {
		return fmt.Errorf("it has %d vertices, and the format at most %d", c.Vertices, int64(maxVertices))
	}
	return nil
}

// writeSG writes header, offsets and neighbours, of a directed graph in both directions.
func writeSG(ctx context.Context, g *format.Graph, walk format.Walk, w io.Writer) error {
	le, head, sides := binary.LittleEndian, []byte{1}, []shard.Direction{shard.Out, shard.In}
	if g.Symmetric {
		head[0], sides = 0, sides[:1]
	}
	head = le.AppendUint64(le.AppendUint64(head, g.Edges), uint64(g.Vertices))
	if _, err := w.Write(head); err != nil {
		return err
	}
	for _, side := range sides {
		if _, err := w.Write(make([]byte, 8)); err != nil { // the first offset
			return err
		}
		err := walk.Offsets(ctx, side, func(b []byte, _, end uint64) []byte { return le.AppendUint64(b, end) })
		if err != nil {
			return err
		}
		if err := walk.Rows(ctx, side, g.Weighted, appendNeighbours); err != nil {
			return err
		}
	}
	return nil
}

// appendNeighbours appends neighbours as numbers of 32 bits.
func appendNeighbours(b []byte, r *format.Row) ([]byte, error) {
	for i, u := range r.List {
		b = binary.LittleEndian.AppendUint32(b, u)
		if !r.Weighted {
			continue
		}
		w := r.Weights.At(i)
		if w != math.Trunc(w) || w >= 1<<31 {
			return b, fmt.Errorf("the weight %s: %w", r.AppendWeight(nil, w), format.ErrWeight)
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(w))
	}
	return b, nil
}
