package algorithms

import (
	"context"
	"sync/atomic"

	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/rows"
)

// Edges iterates over all edges in storage order. Packed edges are not unpacked, which takes
// less memory than Rows.
type Edges struct{ adjacency }

// Arcs are some edges: the i-th leads from vertex Src[i] to vertex First+Dst[i]. One with
// the destination None is no edge, but a dummy of the encoding: to leave these out takes
// about as long as to unpack the rest. First+Dst[i] is at most the number of vertices.
type Arcs struct {
	Src   []uint32
	Dst   []uint16
	First uint32
	None  uint32
}

// togetherVertices is to how many vertices the shards lead that a goroutine reads
// together, so that 4 bytes for each stay in a second-level cache.
const togetherVertices = 1 << 17

// Each goes over all edges once: it calls f with some at a time, on the threads of the run,
// as [Env.Each] does. Of an undirected edge, which is stored in both directions, it may
// leave out one. The lease of arcs ends when f returns.
func (x *Edges) Each(ctx context.Context, f func(worker int, a Arcs)) error {
	var done atomic.Int64
	total := int64(len(x.env.Graph.Shards))
	return x.pages(ctx, false, nil, func(p *page.Page) error {
		groups := x.groups(p.Shards)
		return x.env.Each(ctx, len(groups), func(worker, i int) error {
			x.group(groups[i], func(a Arcs) { f(worker, a) })
			x.env.Progress("edges", done.Add(int64(len(groups[i]))), total)
			return nil
		})
	})
}

// groups divides the shards of a page: each goroutine gets some groups, and reads the
// shards of a group together.
func (x *Edges) groups(shards []page.Shard) (list [][]page.Shard) {
	for len(shards) > 0 {
		n, vertices := 0, 0
		for n < len(shards) && (n == 0 || n*x.env.Threads < len(shards)) {
			if vertices += shards[n].Sides[0].Header().Vertices; n > 0 && vertices > togetherVertices {
				break
			}
			n++
		}
		list, shards = append(list, shards[:n]), shards[n:]
	}
	return list
}

// group goes over the edges of shards. Packed ones of the same sources come together, so
// that what belongs to these is in the caches, too.
func (x *Edges) group(shards []page.Shard, f func(Arcs)) {
	var sides []*packed.Side
	for _, s := range shards {
		if side, ok := s.Sides[0].(*packed.Side); ok {
			sides = append(sides, side)
		} else {
			ofRows(rows.Of(s.Sides[0]), f)
		}
	}
	for run := range packed.Windows(sides) {
		side := sides[run.Side]
		to := run.To
		for x.env.Graph.Symmetric && to > run.From &&
			side.Heads[to-1].Source >= side.Layout.First+uint32(side.Layout.Vertices) {
			to-- // they are edges of other shards, too
		}
		for src, dst := range side.Range(run.From, to).Slots() {
			f(Arcs{src[:], dst[:], side.Layout.First, uint32(side.Layout.Vertices)})
		}
	}
}

// noSlot is no destination: rows have no dummies.
const noSlot = 1 << 16

// ofRows gives the edges of rows, some of a row at a time.
func ofRows(s *rows.Side, f func(Arcs)) {
	var slots [packed.BlockSlots]uint16
	for v := range s.Vertices() {
		for row := s.Row(v, nil); len(row) > 0; {
			n := min(len(row), len(slots))
			for i := range n {
				slots[i] = uint16(v)
			}
			f(Arcs{row[:n], slots[:n], s.First, noSlot})
			row = row[n:]
		}
	}
}
