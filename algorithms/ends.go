package algorithms

import (
	"context"
	"sync/atomic"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// BothRows are the directions of rows that [EachVertex] reads.
func BothRows(g *store.Catalogue) []shard.Direction {
	rows := []shard.Direction{shard.In, shard.Out}
	if g.Symmetric {
		rows = rows[:1]
	}
	return rows
}

// EachVertex goes over all vertices with their neighbours in the graph as an undirected simple
// one, in one pass over the rows. Several goroutines call f. On a graph that is not symmetric,
// the plan has the rows of both directions.
func EachVertex(ctx context.Context, e *Env, stage string, f func(worker int, v uint32, ends *Ends)) error {
	var done atomic.Int64
	return e.Rows().Each(ctx, func(worker int, b *Block) error {
		for i := range b.Len {
			ends := Ends{self: b.First + uint32(i), a: b.Row(shard.In, i)}
			if !e.Graph.Symmetric {
				ends.b = b.Row(shard.Out, i)
			}
			f(worker, ends.self, &ends)
		}
		e.Progress(stage, done.Add(int64(b.Len)), int64(e.Graph.Vertices))
		return nil
	})
}

// Ends are the neighbours of a vertex, ascending, each once, without the vertex itself: they
// merge its rows of in- and of out-edges.
type Ends struct {
	a, b []uint32
	self uint32
}

// Next is the next neighbour, while there are more.
func (s *Ends) Next() (v uint32, more bool) {
	for {
		switch {
		case len(s.a) == 0 && len(s.b) == 0:
			return 0, false
		case len(s.b) == 0 || len(s.a) > 0 && s.a[0] <= s.b[0]:
			v = s.a[0]
		default:
			v = s.b[0]
		}
		for len(s.a) > 0 && s.a[0] == v {
			s.a = s.a[1:]
		}
		for len(s.b) > 0 && s.b[0] == v {
			s.b = s.b[1:]
		}
		if v != s.self {
			return v, true
		}
	}
}
