package build

import (
	"context"
	"encoding/binary"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/garaph/garaph/internal/hostmem"
)

// regrouping divides buckets that overlap more than two groups among these: buckets of hubs, which
// have a group each few vertices, or all where ids have numbers from a map. In the former case
// records keep their provisional numbers, and groups stand for ranges of these.
type regrouping struct {
	numbers *numbering
	groups  []group // to which blocks are added
	ranges  []group // the same, by the numbers that destinations have afterwards
	widest  uint32  // no source is larger
	weight  int     // bytes of a weight
	// groupOf is the group of each provisional number, where these are mapped. The destinations of a block are
	// neighbours, so that theirs are in the cache.
	groupOf []uint16
	lists   []regroupList
}

// regroupList is blocks of destinations in an interval.
type regroupList struct {
	blocks   []*block
	from, to uint32
}

func newRegrouping(m *numbering, groups []group, widest uint32, weight int) *regrouping {
	x := &regrouping{numbers: m, groups: groups, ranges: groups, widest: widest, weight: weight}
	if m.perm != nil {
		x.widest = m.n - 1
		return x
	}
	x.ranges = make([]group, len(groups))
	for i := range groups {
		x.ranges[i] = group{first: m.number(groups[i].first), last: m.number(groups[i].last)}
	}
	return x
}

// add appends blocks to what is to be divided.
func (x *regrouping) add(blocks []*block, from, to uint32) {
	const atOnce = 64 // blocks
	for part := range slices.Chunk(blocks, atOnce) {
		x.lists = append(x.lists, regroupList{part, from, to})
	}
}

// run divides the blocks on goroutines, and gives each group its part.
func (x *regrouping) run(ctx context.Context, s *spill, goroutines int) error {
	if err := x.mapGroups(); err != nil {
		return err
	}
	defer hostmem.Free(x.groupOf)
	work := make(chan regroupList)
	var g errgroup.Group
	writers := make([]*writer, goroutines)
	for i := range writers {
		w := s.groupWriter(x.ranges, x.weight)
		w.widest = x.widest
		writers[i] = w
		g.Go(func() error {
			var failed error
			find := new(grouping)
			for list := range work {
				if failed == nil {
					find.set(x.ranges, list.from, list.to)
					failed = x.divide(ctx, s, w, find, list.blocks)
				}
			}
			return failed
		})
	}
	for _, list := range x.lists {
		work <- list
	}
	close(work)
	if err := g.Wait(); err != nil {
		return err
	}
	for _, w := range writers {
		w.flush()
	}
	for i := range x.groups {
		var part []*block
		for _, w := range writers {
			part = append(part, w.buckets[i]...)
		}
		if len(part) > 0 { // its destinations lie anywhere among the other parts
			x.groups[i].parts = [][]*block{append(slices.Concat(x.groups[i].parts...), part...)}
		}
	}
	return nil
}

// mapGroups fills groupOf.
func (x *regrouping) mapGroups() (err error) {
	m := x.numbers
	if m.perm == nil || x.weight > 0 || len(x.groups) == 0 {
		return nil
	}
	if x.groupOf, err = hostmem.Slice[uint16](len(m.perm)); err != nil {
		return err
	}
	find := newGrouping(x.groups)
	for t, v := range m.perm {
		x.groupOf[t] = uint16(find.of(min(v, m.n-1)))
	}
	return nil
}

// divide puts the records of blocks into the buckets of their groups.
func (x *regrouping) divide(ctx context.Context, s *spill, w *writer, find *grouping, blocks []*block) error {
	if x.weight > 0 {
		return s.eachUnpacked(ctx, blocks, func(records []uint32) error { return x.unpacked(w, find, records) })
	}
	return s.each(ctx, blocks, func(b *block, data *buffer) error {
		for i := 0; i < b.n; {
			var group, src uint32
			if perm := x.numbers.perm; perm != nil {
				i, group, src = w.regroupMapped(data, i, b.n, b.form, perm, x.groupOf)
			} else {
				i, group, src = w.regroup(data, i, b.n, b.form, find)
			}
			if i < b.n {
				if err := w.next(&w.pending[group], group, src); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// regroup puts the records of a block's bytes [i, n) into the buckets of their groups, until there
// is no room for one: it returns where that is, its group and its source. Its loop calls nothing, so
// that all it needs is in registers.
func (w *writer) regroup(data *buffer, i, n int, form recordForm, find *grouping) (at int, group, src uint32) {
	all, groups, first, shift, from := w.pending, find.groups, find.first, find.shift&31, find.from
	base, low, mask, step := form.base, form.low&63, form.mask(), int(form.step)
	ends := uint32(uint64(1)<<low - 1)
	for ; i < n; i += step {
		k := load(data, i) & mask
		u, v := uint32(k>>low), base+uint32(k)&ends
		g := first[(v-from)>>shift]
		for groups[g].last < v {
			g++
		}
		f := &all[g]
		at := f.n
		if at > blockBytes-recordRoom || u > f.most {
			return i, g, u
		}
		binary.LittleEndian.PutUint64(f.buf[at:at+8], uint64(u)<<(f.low&63)|uint64(v-f.base))
		f.n = at + uint32(f.step)
	}
	return n, 0, 0
}

// regroupMapped is like regroup, for numbers that are mapped: records get dense ids.
func (w *writer) regroupMapped(
	data *buffer, i, n int, form recordForm, perm []uint32, groupOf []uint16,
) (at int, group, src uint32) {
	all, base, low, mask, step := w.pending, form.base, form.low&63, form.mask(), int(form.step)
	ends := uint32(uint64(1)<<low - 1)
	for ; i < n; i += step {
		k := load(data, i) & mask
		t := base + uint32(k)&ends
		u, v, g := perm[uint32(k>>low)], perm[t], uint32(groupOf[t])
		f := &all[g]
		at := f.n
		if at > blockBytes-recordRoom || u > f.most {
			return i, g, u
		}
		binary.LittleEndian.PutUint64(f.buf[at:at+8], uint64(u)<<(f.low&63)|uint64(v-f.base))
		f.n = at + uint32(f.step)
	}
	return n, 0, 0
}

// unpacked puts records into the buckets of their groups; mapped ones get dense ids.
func (x *regrouping) unpacked(w *writer, find *grouping, records []uint32) error {
	m, mapped := x.numbers, x.numbers.perm != nil
	for record := recordWords(x.weight); len(records) >= record; records = records[record:] {
		src, dst := records[0], records[1]
		if mapped {
			src, dst = m.dense(src), m.dense(dst)
		}
		var weight float64
		if x.weight > 0 {
			weight = weightOf(records[:record])
		}
		if err := w.add(find.of(dst), src, dst, weight); err != nil {
			return err
		}
	}
	return nil
}
