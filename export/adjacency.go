package export

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Formats with the neighbours of vertices in place of edges, as text: METIS, a line a vertex, and Ligra's adjacency graphs,
// with offsets, all destinations, and behind them all weights.

// hasRows reports whether a format has out-edges in the rows of vertices, so that it takes those alone.
func hasRows(f Format) bool { return isGAP(f) || isAdjacency(f) }

func isAdjacency(f Format) bool { return f == METIS || f == Ligra }

var (
	errLoop   = errors.New("the format has no edges from a vertex to itself")
	errCounts = errors.New("the format has whole numbers from 1 below 2^31 as weights")
)

// appendMETIS appends neighbours to the line of a vertex.
func (p *piece) appendMETIS(v uint32, list []uint32, weights []float32) {
	b := p.buf
	for i, u := range list {
		if u == v {
			name, _ := p.names.append(nil, v)
			p.err = fmt.Errorf("vertex %s leads to itself: %w; choose another format, or import the graph with --drop-self-loops", name, errLoop)
			return
		}
		if p.inLine {
			b = append(b, ' ')
		}
		p.inLine = true
		if b, p.err = p.names.append(b, u); p.err != nil {
			return
		}
		if weights == nil {
			continue
		}
		w := weights[i]
		if w != float32(math.Trunc(float64(w))) || w < 1 || w >= 1<<31 {
			p.err = fmt.Errorf("the weight %v: %w; choose another format, or --no-weights", w, errCounts)
			return
		}
		b = strconv.AppendInt(append(b, ' '), int64(w), 10)
	}
	p.buf = b
}

// appendLigra appends the destinations of edges, or their weights, one a line.
func (p *piece) appendLigra(list []uint32, weights []float32) {
	b := p.buf
	for i, u := range list {
		if p.weightsOnly {
			b = appendWeight(b, weights[i])
		} else if b, p.err = p.names.append(b, u); p.err != nil {
			return
		}
		b = append(b, '\n')
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
