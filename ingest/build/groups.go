package build

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"github.com/garaph/garaph/store"
)

// maxShardEdges ends a shard before it has that many edges on one side, unless it
// is a single vertex: pages stay small where hubs crowd together. Only tests
// change it.
var maxShardEdges uint64 = 1 << 20

// maxVertexEdges bounds a row, and so the shard of one vertex: 1 GiB with weights.
const maxVertexEdges = 1 << 27

// group is consecutive shards that are sorted at once, with the blocks that hold
// its edges (and perhaps others). The parts have ascending ranges of
// destinations: each is sorted for itself.
type group struct {
	from, to    int    // shards
	first, last uint32 // dense ids [first, last]
	edges       uint64 // at most
	parts       [][]*block
}

// cutShards lays the borders of shards: they depend on the graph alone. The
// edge counts are upper bounds until parallel edges have been dropped.
func (b *Builder) cutShards(ctx context.Context, m *numbering) ([]store.ShardInfo, error) {
	var list []store.ShardInfo
	var dense uint32
	var over error
	m.each(func(t uint32) {
		if over != nil {
			return
		}
		if dense&(1<<20-1) == 0 {
			over = ctx.Err()
		}
		in := b.in.of(t)
		out := in
		if !b.mirror {
			out = b.out.of(t)
			b.uneven = b.uneven || in != out
		}
		if max(in, out) > maxVertexEdges {
			over = fmt.Errorf("import: a vertex has %d edges in one direction, more than the %d that a shard can hold",
				max(in, out), maxVertexEdges)
		}
		s := len(list) - 1
		if s < 0 || list[s].Vertices == b.opt.Storage.ShardVertices ||
			uint64(list[s].In)+uint64(in) > maxShardEdges || uint64(list[s].Out)+uint64(out) > maxShardEdges {
			list = append(list, store.ShardInfo{First: dense})
			s++
		}
		list[s].Vertices++
		list[s].In += in
		list[s].Out += out
		dense++
	})
	return list, over
}

// cutGroups collects shards into groups of about equal numbers of edges on one
// side, and of not more vertices than that: of times the usual number.
func cutGroups(shards []store.ShardInfo, edges func(*store.ShardInfo) uint32, times uint64) []group {
	var list []group
	var total uint64
	for i := range shards {
		total += uint64(edges(&shards[i]))
	}
	limit := groupEdges(total, times)
	for i := range shards {
		s, n := &shards[i], uint64(edges(&shards[i]))
		g := len(list) - 1
		if g < 0 || list[g].edges+n > limit || uint64(s.First-list[g].first)+uint64(s.Vertices) > limit {
			list = append(list, group{from: i, first: s.First})
			g++
		}
		list[g].to = i + 1
		list[g].last = s.First + uint32(s.Vertices) - 1
		list[g].edges += n
	}
	return list
}

// grouping finds the group of a vertex, of an interval of vertices.
type grouping struct {
	groups []group
	from   uint32   // the first vertex of the interval
	first  []uint32 // group of the first vertex of each range of 2^shift, from there on
	shift  uint

	weight int // bytes of the weights in records of their edges
}

// groupRanges is into how many ranges a grouping divides the vertices, about.
const groupRanges = 1 << 13

// newGrouping is for all vertices.
func newGrouping(groups []group) *grouping {
	x := new(grouping)
	x.set(groups, 0, groups[len(groups)-1].last)
	return x
}

// set makes it one for the vertices from one to another, which is in a group.
func (x *grouping) set(groups []group, from, to uint32) {
	x.groups, x.from, x.shift = groups, from, 0
	for (to-from)>>x.shift >= groupRanges {
		x.shift++
	}
	n := int((to-from)>>x.shift) + 1
	x.first = slices.Grow(x.first[:0], n)[:n]
	g := uint32(sort.Search(len(groups), func(g int) bool { return groups[g].last >= from }))
	for i := range x.first {
		for groups[g].last < from+uint32(i)<<x.shift {
			g++
		}
		x.first[i] = g
	}
}

// of returns the group of vertex v.
func (x *grouping) of(v uint32) uint32 {
	g := x.first[(v-x.from)>>x.shift]
	for x.groups[g].last < v {
		g++
	}
	return g
}

// route hands the buckets that were filled while reading to the groups. Where
// provisional numbers are in the order of dense ids, a bucket goes as it is to
// the one or two groups that it overlaps; otherwise its edges are distributed
// again, and have dense ids afterwards.
func (b *Builder) route(ctx context.Context, m *numbering, groups []group) error {
	shift, widest := uint(0), uint32(0)
	for _, w := range b.workers {
		shift, widest = max(shift, w.shift), max(widest, w.widest)
	}
	for _, w := range b.workers {
		for w.shift < shift {
			w.coarsen()
		}
	}
	again := newRegrouping(m, groups, widest, b.weightBytes())
	find := newGrouping(groups)
	for k := range b.plan.buckets {
		var blocks []*block
		for _, w := range b.workers {
			blocks = append(blocks, w.buckets[k]...)
		}
		if len(blocks) == 0 {
			continue
		}
		if m.perm != nil {
			again.add(blocks, 0, m.n-1)
			continue
		}
		first, last := uint64(k)<<shift, uint64(k+1)<<shift-1 // numbers
		from, to := int(find.of(m.floor(first))), int(find.of(m.floor(last)))
		if to-from > 1 {
			again.add(blocks, uint32(first), uint32(min(last, uint64(m.number(m.n-1)))))
			continue
		}
		for _, x := range blocks {
			x.refs.Store(int32(to - from + 1))
		}
		for g := from; g <= to; g++ {
			groups[g].parts = append(groups[g].parts, blocks)
		}
	}
	b.workers = nil
	return again.run(ctx, b.spill, b.plan.sorters)
}

// floor is like dense, for a number that need not exist: it returns the dense id of the first
// vertex from there on, or the last vertex.
func (m *numbering) floor(t uint64) uint32 {
	switch {
	case m.ranks != nil && t>>6 < uint64(len(m.ranks)):
		return min(m.dense(uint32(t)), m.n-1)
	case m.ranks != nil || t >= uint64(m.first)+uint64(m.n):
		return m.n - 1
	case t < uint64(m.first):
		return 0
	}
	return uint32(t) - m.first
}
