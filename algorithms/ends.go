package algorithms

import (
	"context"
	"sync/atomic"

	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// BothRows returns the directions of rows that [EachVertex] goes over.
func BothRows(g *store.Catalogue) []shard.Direction {
	rows := []shard.Direction{shard.In, shard.Out}
	if g.Symmetric {
		rows = rows[:1]
	}
	return rows
}

// LoadEnds reads the rows of the whole graph, for [EachVertex] to go over, if they were planned:
// the directions of [BothRows] as Whole. It reports whether they were.
func LoadEnds(ctx context.Context, e *Env) (whole bool, err error) {
	if len(e.plan.Whole) == 0 {
		return false, nil
	}
	w := &wholeEnds{}
	if w.in, err = e.Load(ctx, shard.In); err == nil && !e.Graph.Symmetric {
		w.out, err = e.Load(ctx, shard.Out)
	}
	e.ends = w
	return true, err
}

// CloseEnds frees what [EachVertex] goes over: rows of the whole graph, or pages.
func CloseEnds(e *Env) error {
	if e.ends == nil {
		return e.Rows().Close()
	}
	Free(e, e.ends.in.Off)
	if e.ends.out != nil {
		Free(e, e.ends.out.Off)
	}
	e.ends = nil
	return nil
}

// TakeEnds makes what [LoadEnds] has read the rows of the graph as an undirected simple one, in place,
// and gives them to the caller: they remain an array of the run, and [EachVertex] has none any more. It
// reports false, and changes nothing, if they are rows of two directions, or none were read.
func TakeEnds(e *Env) (offsets []uint64, neighbours []uint32, ok bool) {
	if e.ends == nil || e.ends.out != nil {
		return nil, nil, false
	}
	offsets, neighbours = e.ends.in.Off, e.ends.in.Nbr
	e.ends = nil
	at, begin := uint64(0), uint64(0)
	for v, end := range offsets[1:] {
		row := neighbours[begin:end]
		begin, offsets[v] = end, at
		if simple(row, uint32(v)) {
			if len(row) > 0 && &row[0] != &neighbours[at] {
				copy(neighbours[at:], row)
			}
			at += uint64(len(row))
			continue
		}
		ends := Ends{self: uint32(v), a: row}
		for u, more := ends.Next(); more; u, more = ends.Next() {
			neighbours[at] = u
			at++
		}
	}
	offsets[len(offsets)-1] = at
	return offsets, neighbours[:at], true
}

// simple reports whether an ascending row of v has neither parallel edges nor self-loops.
func simple(row []uint32, v uint32) bool {
	for i, u := range row {
		if u == v || i > 0 && u == row[i-1] {
			return false
		}
	}
	return true
}

// wholeEnds are the rows of the whole graph, in memory.
type wholeEnds struct {
	in, out *frontier.Rows // out is nil on a symmetric graph
}

func (w *wholeEnds) of(v uint32) Ends {
	ends := Ends{self: v, a: w.in.Nbr[w.in.Off[v]:w.in.Off[v+1]]}
	if w.out != nil {
		ends.b = w.out.Nbr[w.out.Off[v]:w.out.Off[v+1]]
	}
	return ends
}

// EachVertex goes over all vertices with their neighbours in the graph as an undirected simple
// one: in one pass over the rows, or over those that [LoadEnds] has read. Several goroutines call
// f. The plan has the directions of [BothRows], as Rows or as Whole.
func EachVertex(ctx context.Context, e *Env, stage string, f func(worker int, v uint32, ends *Ends)) error {
	return eachVertexOf(ctx, e, stage, nil, f)
}

// eachVertexOf is like EachVertex, at least for the vertices of set. If set is nil, it has all. Shards
// without any are not read.
func eachVertexOf(
	ctx context.Context, e *Env, stage string, set bitset.Set, f func(worker int, v uint32, ends *Ends),
) error {
	var done atomic.Int64
	progress := func(n int) { e.Progress(stage, done.Add(int64(n)), int64(e.Graph.Vertices)) }
	if e.ends != nil {
		n := int(e.Graph.Vertices)
		return e.Each(ctx, (n+someVertices-1)/someVertices, func(worker, i int) error {
			from, to := i*someVertices, min((i+1)*someVertices, n)
			var ends Ends // one allocation for all
			for v := from; v < to; v++ {
				ends = e.ends.of(uint32(v))
				f(worker, uint32(v), &ends)
			}
			progress(to - from)
			return nil
		})
	}
	if e.some != nil && set != nil {
		return eachSome(ctx, e, set, f, progress)
	}
	return e.Rows().pass(ctx, stage, anyOf(set), func(worker int, b *Block) {
		var ends Ends // one allocation for all
		for i := range b.Len {
			ends = Ends{self: b.Vertex(i), a: b.Row(shard.In, i)}
			if !e.Graph.Symmetric {
				ends.b = b.Row(shard.Out, i)
			}
			f(worker, ends.self, &ends)
		}
	})
}

// eachSome calls f with the neighbours of the vertices of a set, of each shard as it is when its turn comes, and then
// progress with their number.
func eachSome(
	ctx context.Context, e *Env, set bitset.Set, f func(worker int, v uint32, ends *Ends), progress func(n int),
) error {
	x := e.some.Read(ctx, set, false)
	defer x.Close()
	return e.Each(ctx, x.Shards(), func(worker, _ int) error {
		p, err := x.Next()
		if err != nil || p == nil {
			return err
		}
		defer p.Release()
		var ends Ends // one allocation for all
		n := 0
		p.Each(func(v uint32, list []uint32, _ shard.Plane) {
			ends = Ends{self: v, a: list}
			f(worker, v, &ends)
			n++
		})
		progress(n)
		return nil
	})
}

// someVertices are a task, where the rows of all are in memory.
const someVertices = 1 << 10

// Ends are the neighbours of a vertex, ascending, each once, without the vertex itself: they
// merge its rows of in- and of out-edges.
type Ends struct {
	a, b     []uint32
	self     uint32
	parallel bool // instead the ends of all edges, in no order
}

// Next returns the next neighbour, while there are more.
func (s *Ends) Next() (v uint32, more bool) {
	if s.parallel {
		if len(s.a) == 0 {
			s.a, s.b = s.b, nil
		}
		if len(s.a) == 0 {
			return 0, false
		}
		v, s.a = s.a[0], s.a[1:]
		return v, true
	}
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
