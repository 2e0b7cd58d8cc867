package ingest

import (
	"context"
	"fmt"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

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
func (b *builder) cutShards(ctx context.Context, m *numbering) ([]store.ShardInfo, error) {
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
		}
		if max(in, out) > maxVertexEdges {
			over = fmt.Errorf("import: a vertex has %d edges in one direction, more than the %d that a shard can hold", max(in, out), maxVertexEdges)
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

// grouping finds the group of a vertex.
type grouping struct {
	groups []group
	first  []uint32 // group of the first vertex of each range of 2^shift
	shift  uint

	weighted bool // records of their edges have weights
}

// groupRanges is into how many ranges a grouping divides the vertices, about.
const groupRanges = 1 << 13

func newGrouping(groups []group) *grouping {
	x := &grouping{groups: groups}
	top := groups[len(groups)-1].last
	for top>>x.shift >= groupRanges {
		x.shift++
	}
	x.first = make([]uint32, top>>x.shift+1)
	g := uint32(0)
	for i := range x.first {
		for groups[g].last < uint32(i)<<x.shift {
			g++
		}
		x.first[i] = g
	}
	return x
}

// of is the group of dense id v.
func (x *grouping) of(v uint32) uint32 {
	g := x.first[v>>x.shift]
	for x.groups[g].last < v {
		g++
	}
	return g
}

// route hands the buckets that were filled while reading to the groups. Where
// provisional numbers are in the order of dense ids, a bucket goes as it is to
// the one or two groups that it overlaps; otherwise its edges are distributed
// again, and have dense ids afterwards.
func (b *builder) route(ctx context.Context, m *numbering, groups []group) error {
	shift := uint(0)
	for _, w := range b.workers {
		shift = max(shift, w.shift)
	}
	var again [][]*block
	find := newGrouping(groups)
	for _, w := range b.workers {
		for w.shift < shift {
			w.coarsen()
		}
	}
	for k := range b.plan.buckets {
		var blocks []*block
		for _, w := range b.workers {
			blocks = append(blocks, w.buckets[k]...)
		}
		if len(blocks) == 0 {
			continue
		}
		from, to := 0, len(groups)-1
		if m.perm == nil {
			from, to = int(find.of(m.floor(uint64(k)<<shift))), int(find.of(m.floor(uint64(k+1)<<shift-1)))
		}
		if m.perm != nil || to-from > 1 {
			again = append(again, blocks)
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
	return b.distribute(ctx, m, find, again)
}

// floor is dense for a number that need not exist: the dense id of the first
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

// distribute reads lists of blocks and puts their edges into the groups.
func (b *builder) distribute(ctx context.Context, m *numbering, find *grouping, lists [][]*block) error {
	groups := find.groups
	ranges := groups
	if m.perm == nil { // records keep their provisional numbers
		ranges = slices.Repeat([]group{{last: math.MaxUint32}}, len(groups))
	}
	work := make(chan []*block)
	var g errgroup.Group
	writers := make([]*writer, b.plan.sorters)
	for i := range writers {
		w := b.spill.groupWriter(ranges, b.schema.Weighted)
		writers[i] = w
		g.Go(func() error {
			var failed error
			for blocks := range work {
				if failed == nil {
					failed = b.spill.eachUnpacked(ctx, blocks, func(records []uint32) error { return w.regroup(m, find, records) })
				}
			}
			return failed
		})
	}
	const atOnce = 64 // blocks
	for _, blocks := range lists {
		for ; len(blocks) > 0; blocks = blocks[min(atOnce, len(blocks)):] {
			work <- blocks[:min(atOnce, len(blocks))]
		}
	}
	close(work)
	if err := g.Wait(); err != nil {
		return err
	}
	for _, w := range writers {
		w.flush()
	}
	for i := range groups {
		var part []*block
		for _, w := range writers {
			part = append(part, w.buckets[i]...)
		}
		if len(part) > 0 { // its destinations lie anywhere among those of the other parts
			groups[i].parts = [][]*block{append(slices.Concat(groups[i].parts...), part...)}
		}
	}
	return nil
}

// regroup puts records into the buckets of their groups; mapped ones get dense
// ids.
func (w *writer) regroup(m *numbering, find *grouping, records []uint32) error {
	for record := recordWords(w.weights > 0); len(records) >= record; records = records[record:] {
		src, dst := records[0], records[1]
		v := m.dense(dst)
		if m.perm != nil {
			src, dst = m.dense(src), v
		}
		var x float32
		if w.weights > 0 {
			x = math.Float32frombits(records[2])
		}
		if err := w.add(find.of(v), src, dst, x); err != nil {
			return err
		}
	}
	return nil
}
