package export

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/garaph/garaph/shard"
)

// Formats with the neighbours of vertices in place of edges, as text: METIS, a line a vertex, and Ligra's adjacency graphs,
// with offsets, all destinations, and behind them all weights.

// hasRows reports whether a format has out-edges in the rows of vertices, so that it takes those alone.
func hasRows(f Format) bool { return isGAP(f) || isAdjacency(f) }

func isAdjacency(f Format) bool { return f == METIS || f == Ligra }

var (
	errLoop   = errors.New("the format has no edges from a vertex to itself")
	errWeight = errors.New("the format has whole numbers below 2^31 as weights, METIS from 1 on")
)

// appendNeighbours appends the out-neighbours of a vertex: to its line of METIS, one a line, or as numbers of 32 bits.
func (p *piece) appendNeighbours(v uint32, list []uint32, weights shard.Plane) {
	f, b := p.o.Format, p.buf
	for i, u := range list {
		w := weights.At(i)
		whole := w == math.Trunc(w) && w < 1<<31 && (w >= 1 || f != METIS)
		switch {
		case p.weighted && f != Ligra && !whole:
			p.err = fmt.Errorf("the weight %s: %w; choose another format, or --no-weights", p.appendWeight(nil, w), errWeight)
		case isGAP(f):
			if b = binary.LittleEndian.AppendUint32(b, u); p.weighted {
				b = binary.LittleEndian.AppendUint32(b, uint32(w))
			}
		case p.weightsOnly:
			b = append(p.appendWeight(b, w), '\n')
		case f == Ligra:
			b, p.err = p.names.append(b, u)
			b = append(b, '\n')
		case u == v:
			name, _ := p.names.append(nil, v)
			p.err = fmt.Errorf("vertex %s leads to itself: %w; choose another format, or import the graph with --drop-self-loops", name, errLoop)
		default:
			if p.inLine {
				b = append(b, ' ')
			}
			p.inLine = true
			if b, p.err = p.names.append(b, u); p.weighted {
				b = strconv.AppendInt(append(b, ' '), int64(w), 10)
			}
		}
		if p.err != nil {
			return
		}
	}
	p.buf = b
}

// writeLigra goes over the rows once for the destinations, and once more for the weights.
func (x *writer) writeLigra(ctx context.Context, w io.Writer) error {
	word := "AdjacencyGraph"
	if x.weighted {
		word = "WeightedAdjacencyGraph"
	}
	if _, err := fmt.Fprintf(w, "%s\n%d\n%d\n", word, x.cat.Vertices, x.cat.Edges); err != nil {
		return err
	}
	err := x.eachOffset(ctx, w, func(b []byte, begin, _ uint64) []byte {
		return append(strconv.AppendUint(b, begin, 10), '\n')
	})
	if err != nil {
		return err
	}
	for _, pass := range x.passes() {
		x.weighted, x.weightsOnly = pass.weighted, pass.weighted
		x.edges.Store(0)
		x.parallel.Store(0)
		if err := x.visitRows(ctx); err != nil {
			return err
		}
	}
	return nil
}

// eachOffset writes what text makes of where the row of each vertex begins and ends.
func (x *writer) eachOffset(ctx context.Context, w io.Writer, text func(b []byte, begin, end uint64) []byte) error {
	end := uint64(0)
	var b []byte
	for i := range x.cat.Shards {
		if err := ctx.Err(); err != nil {
			return err
		}
		degrees, err := x.store.Degrees(x.dir, i)
		if err != nil {
			return err
		}
		for _, d := range degrees {
			begin := end
			end += uint64(d)
			b = text(b, begin, end)
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		b = b[:0]
	}
	return nil
}
