package adjacency

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/garaph/garaph/ingest/format"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

func checkMETIS(c *store.Catalogue) error {
	if !c.SameRows() {
		return errors.New("the graph is directed, and in the format every edge is at both of its ends: choose ligra or " +
			"text, or import the graph with --undirected")
	}
	return nil
}

func metisHeader(g *format.Graph, edges uint64) string {
	if g.Weighted {
		return fmt.Sprintf("%d %d 001\n", g.Vertices, edges/2)
	}
	return fmt.Sprintf("%d %d\n", g.Vertices, edges/2)
}

// appendLine appends neighbours to the line of a vertex.
func appendLine(b []byte, r *format.Row) (_ []byte, err error) {
	for i, u := range r.List {
		w := r.Weights.At(i)
		switch {
		case u == r.Vertex:
			name, _ := r.Label(nil, u)
			return b, fmt.Errorf("vertex %s leads to itself: the format has no edges from a vertex to itself; choose another "+
				"format, or import the graph with --drop-self-loops", name)
		case r.Weighted && (w != math.Trunc(w) || w < 1 || w >= 1<<31):
			return b, fmt.Errorf("the weight %s: %w", r.AppendWeight(nil, w), format.ErrWeight)
		}
		if i+r.From > 0 {
			b = append(b, ' ')
		}
		if b, err = r.Label(b, u); err != nil {
			return b, err
		}
		if r.Weighted {
			b = strconv.AppendInt(append(b, ' '), int64(w), 10)
		}
	}
	return b, nil
}

// writeLigra goes over the rows once for the destinations, and once more for the weights.
func writeLigra(ctx context.Context, g *format.Graph, walk format.Walk, w io.Writer) error {
	word := ligraWords[0]
	if g.Weighted {
		word = ligraWords[1]
	}
	if _, err := fmt.Fprintf(w, "%s\n%d\n%d\n", word, g.Vertices, g.Edges); err != nil {
		return err
	}
	err := walk.Offsets(ctx, shard.Out, func(b []byte, begin, _ uint64) []byte {
		return append(strconv.AppendUint(b, begin, 10), '\n')
	})
	if err == nil {
		err = walk.Rows(ctx, shard.Out, false, appendTargets)
	}
	if err == nil && g.Weighted {
		err = walk.Rows(ctx, shard.Out, true, appendWeights)
	}
	return err
}

func appendTargets(b []byte, r *format.Row) ([]byte, error) {
	for _, u := range r.List {
		b = append(strconv.AppendUint(b, uint64(u), 10), '\n')
	}
	return b, nil
}

func appendWeights(b []byte, r *format.Row) ([]byte, error) {
	for i := range r.List {
		b = append(r.AppendWeight(b, r.Weights.At(i)), '\n')
	}
	return b, nil
}
