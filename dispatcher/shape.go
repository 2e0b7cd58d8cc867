package dispatcher

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/store"
)

// shape describes the graph to a job: the shards, and the edges that its program
// gathers and notifies along.
type shape struct {
	cat         *store.Catalogue
	valueBytes  int
	firsts      []uint32          // first vertex of each shard
	edges       []uint64          // that a pull gathers along, by shard
	costs       []uint64          // of a pull, by shard, in edges
	pullEdges   uint64            // all of them
	gatherSides []shard.Direction // along which vertices gather
	packedEdges uint64            // those in packed shards
	notifySides []shard.Direction // along which active vertices notify
	notifyEdges uint64            // edges on those sides
	oneSide     bool              // vertices notify by sides that are gathered along too

}

// vertexCost is the number of edges that take a GPU as long as the arrays over a vertex.
const vertexCost = 6

func newShape(cat *store.Catalogue, valueBytes int, gather, notify []shard.Direction) *shape {
	s := &shape{cat: cat, valueBytes: valueBytes, gatherSides: gather, notifySides: notify,
		oneSide: slices.Contains(gather, cat.Stored(notify[0]))}
	s.notifyEdges = cat.Edges * uint64(len(s.notifySides))
	if cat.Encoding(shard.In) == packed.Version && slices.Contains(gather, shard.In) {
		s.packedEdges = cat.Edges
	}
	s.edges = make([]uint64, len(cat.Shards))
	for i, info := range cat.Shards {
		s.firsts = append(s.firsts, info.First)
		for _, dir := range gather {
			s.edges[i] += uint64(cat.SideEdges(dir, i))
		}
		s.pullEdges += s.edges[i]
		s.costs = append(s.costs, s.edges[i]+vertexCost*uint64(info.Vertices))
	}
	return s
}

// sides returns the sides of shards that a program gathers from, and those by which a changed vertex
// finds who gathers from it. On a symmetric graph all directions are one.
func sides(cat *store.Catalogue, d gas.Direction) (gather, notify []shard.Direction) {
	if cat.Symmetric {
		return []shard.Direction{shard.In}, []shard.Direction{cat.Stored(shard.Out)}
	}
	switch d {
	case gas.Out:
		return []shard.Direction{shard.Out}, []shard.Direction{shard.In}
	case gas.Both:
		both := []shard.Direction{shard.In, shard.Out}
		return both, both
	default:
		return []shard.Direction{shard.In}, []shard.Direction{shard.Out}
	}
}

// interval returns the vertices of shard i.
func (s *shape) interval(i int) (from, to uint32) {
	return s.cat.Shards[i].First, s.cat.Shards[i].First + uint32(s.cat.Shards[i].Vertices)
}

// vertices returns the vertices of a span of shards.
func (s *shape) vertices(r page.Span) (from, to uint32) {
	from, _ = s.interval(r.From)
	_, to = s.interval(r.To - 1)
	return from, to
}

// bytesIn returns the size of the values of spans of shards.
func (s *shape) bytesIn(list []page.Span) (n uint64) {
	for _, r := range list {
		from, to := s.vertices(r)
		n += uint64(to-from) * uint64(s.valueBytes)
	}
	return n
}

// edgesOf returns the number of edges of shards.
func (s *shape) edgesOf(shards []int) (n uint64) {
	for _, i := range shards {
		n += s.edges[i]
	}
	return n
}

// degree returns the number of edges along which v notifies.
func (s *shape) degree(v gas.Vertex) uint32 {
	var d uint32
	for _, side := range s.notifySides {
		if side == shard.In {
			d += v.In
		} else {
			d += v.Out
		}
	}
	return d
}

func (s *shape) allShards() []int { return page.Span{To: len(s.firsts)}.List() }

// eachVertex calls f for the vertices of shard i and their places; ids are those of all vertices by place, nil if
// these are the same. It returns a panic of the program as an error.
func (p *plan[V, A]) eachVertex(i int, ids []uint32, f func(at uint32, v gas.Vertex)) error {
	d := degreeBuffers.Get().(*degrees)
	defer degreeBuffers.Put(d)
	in, out, err := d.of(p.store, i)
	if err != nil {
		return err
	}
	first, _ := p.shape.interval(i)
	return panics.Guard(p.program, func() error {
		for v := range in {
			at := first + uint32(v)
			id := at
			if ids != nil {
				id = ids[at]
			}
			f(at, gas.Vertex{ID: id, N: p.shape.cat.Vertices, In: in[v], Out: out[v]})
		}
		return nil
	})
}

// degrees holds buffers for the degrees of a shard's vertices.
type degrees struct{ in, out []uint32 }

var degreeBuffers = sync.Pool{New: func() any { return new(degrees) }}

// of returns the in- and out-degrees of shard i, which are valid until the next call.
func (d *degrees) of(s *store.Store, i int) (in, out []uint32, err error) {
	if d.in, err = s.DegreesInto(d.in, shard.In, i); err != nil {
		return nil, nil, err
	}
	if s.Catalogue().Symmetric {
		return d.in, d.in, nil
	}
	d.out, err = s.DegreesInto(d.out, shard.Out, i)
	return d.in, d.out, err
}

// eachShard calls f for every shard, on several goroutines, until one fails or the context ends.
func (p *plan[V, A]) eachShard(ctx context.Context, f func(i int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(p.opt.Threads)
	for i := range p.shape.firsts {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return f(i)
		})
	}
	return g.Wait()
}
