package build

import (
	"context"
	"fmt"
	"slices"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// readBack gives out edges from the in sides that are stored already. These are in the order of
// sources, so that each has the edges of a group in a row; all in all that is a third of the bytes
// that a copy for the other side would have. Parts of blobs have no checksums in the format: the
// import keeps one of each part in memory, for out edges that are wrong would get a right one.
type readBack struct {
	out    *store.Writer
	groups []group      // of the out side
	bounds []uint32     // first source of each group, and the number of vertices
	cuts   []sourceCuts // by shard
	exact  bool         // no edge was dropped
}

// sourceCuts holds where the sources of each group are in a shard.
type sourceCuts struct {
	packed packed.Cuts
	giant  []uint32 // in the row of a giant: places of the bounds
	sums   []uint32 // and checksums of what is between them
}

// backEdges is for how many times the edges of other groups those are that are read back: the
// more there are in a group, the less is read twice.
const backEdges = 4

func newReadBack(out *store.Writer, shards []store.ShardInfo, n uint32, exact bool) *readBack {
	b := &readBack{out: out, cuts: make([]sourceCuts, len(shards)), exact: exact}
	b.groups = cutGroups(shards, func(s *store.ShardInfo) uint32 { return s.Out }, backEdges)
	for i := range b.groups {
		b.bounds = append(b.bounds, b.groups[i].first)
	}
	b.bounds = append(b.bounds, n)
	return b
}

// note looks where the groups' sources are in a side of shard i. nil is fine.
func (b *readBack) note(i int, side *packed.Side) {
	if b != nil {
		b.cuts[i].packed = side.Cuts(b.bounds)
	}
}

func (b *readBack) noteGiant(i int, side *rows.Side) {
	if b == nil {
		return
	}
	places := make([]uint32, len(b.bounds))
	for k, bound := range b.bounds {
		at, _ := slices.BinarySearch(side.Nbr, bound)
		places[k] = uint32(at)
	}
	b.cuts[i].giant = places
	for k, from := range places[:len(places)-1] {
		b.cuts[i].sums = append(b.cuts[i].sums, shard.Checksum(hostmem.AsBytes(side.Nbr[from:places[k+1]])))
	}
}

// backReader reads the edges of groups, for one goroutine.
type backReader struct {
	*readBack
	packed packed.CutReader
	row    []uint32
}

// loadBack is like load, for a group whose edges are read back.
func (s *sorter) loadBack(ctx context.Context, g *group) (int, error) {
	span, keys, start, n := g.last-g.first, s.keys, s.rows.start[1:], 0
	err := s.eachBack(ctx, g, func(first uint32, nbr []uint32, dst []uint16) error {
		if n+len(nbr) > len(keys) {
			return s.uncounted(g.from)
		}
		dst = dst[:len(nbr)]
		for i, u := range nbr {
			v := u - g.first
			if v > span {
				return s.uncounted(g.from)
			}
			start[v]++
			keys[n] = uint64(v)<<32 | uint64(first+uint32(dst[i]))
			n++
		}
		return nil
	})
	return n, err
}

// readsBack reports whether the edges of groups are read back.
func (s *sideStore) readsBack() bool { return s.dir == shard.Out && s.back != nil }

// eachBack calls f with the edges of a group, shard by shard of their destinations, which count
// from the first of the shard. Those of a source come in order.
func (s *sorter) eachBack(ctx context.Context, g *group, f func(first uint32, nbr []uint32, dst []uint16) error) error {
	b := &s.from
	b.readBack = s.back
	k, _ := slices.BinarySearch(b.bounds, g.first)
	n := uint64(0)
	for i := range b.cuts {
		if err := ctx.Err(); err != nil {
			return err
		}
		first := s.shards[i].First
		err := b.each(i, k, func(nbr []uint32, dst []uint16) error {
			if nbr[0] < g.first || nbr[len(nbr)-1] > g.last {
				if nbr, dst = within(g, nbr, dst); len(nbr) == 0 {
					return nil
				}
			}
			n += uint64(len(nbr))
			return f(first, nbr, dst)
		})
		if err != nil {
			return fmt.Errorf("import: read edges of shard %d, which were just written, back: %w; the disk or the memory may "+
				"be faulty: import to another disk", i, err)
		}
	}
	if b.exact && n != g.edges {
		return s.uncounted(g.from)
	}
	return nil
}

// within returns the edges with sources in a group. They are contiguous.
func within(g *group, nbr []uint32, dst []uint16) ([]uint32, []uint16) {
	from, _ := slices.BinarySearch(nbr, g.first)
	to := from
	for to < len(nbr) && nbr[to]-g.first <= g.last-g.first {
		to++
	}
	return nbr[from:to], dst[from:to]
}

// zeros are the destinations of a giant's edges.
var zeros [packed.BlockSlots]uint16

// each calls f with the edges of shard i in group k, and with some beside them.
func (b *backReader) each(i, k int, f func(nbr []uint32, dst []uint16) error) error {
	c := &b.cuts[i]
	read := func(at int64, to []byte) error { return b.out.ReadBack(shard.In, i, at, to) }
	if c.giant == nil {
		return b.packed.Interval(&c.packed, k, read, f)
	}
	b.row = slices.Grow(b.row[:0], len(zeros))[:len(zeros)]
	sum := uint32(0)
	for from, to := c.giant[k], c.giant[k+1]; from < to; {
		nbr := b.row[:min(len(b.row), int(to-from))]
		if err := read(rows.Size(1, 0, 0)+4*int64(from), hostmem.AsBytes(nbr)); err != nil {
			return err
		}
		sum = shard.AddChecksum(sum, hostmem.AsBytes(nbr))
		if err := f(nbr, zeros[:len(nbr)]); err != nil {
			return err
		}
		from += uint32(len(nbr))
	}
	if sum != c.sums[k] {
		return fmt.Errorf("%w: edges from %d on have %08x, and had %08x when they were stored",
			shard.ErrChecksum, c.giant[k], sum, c.sums[k])
	}
	return nil
}
