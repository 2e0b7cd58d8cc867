package ingest

import (
	"context"
	"math/bits"

	"github.com/garaph/garaph/internal/hostmem"
)

// knownDegrees are the degrees of one side as they were counted while edges were read. Where they
// are still in memory when the edges are sorted, each edge goes to its place at once. Otherwise it is
// copied and counted first.
type knownDegrees struct {
	numbers *numbering
	total   []uint32 // by provisional number; nil: they are not known any more
}

// fill writes the degrees of vertices from one on.
func (d *knownDegrees) fill(dense uint32, to []uint32) {
	t, ranks := d.numbers.number(dense), d.numbers.ranks
	if ranks == nil {
		copy(to, d.total[t:])
		return
	}
	word := ranks[t>>6].bits >> (t & 63) << (t & 63)
	for w := t >> 6; ; word = ranks[w].bits {
		for ; word != 0; word &= word - 1 {
			to[0] = d.total[w<<6+uint32(bits.TrailingZeros64(word))]
			if to = to[1:]; len(to) == 0 {
				return
			}
		}
		w++
	}
}

// keep decides which degrees stay in memory while edges are sorted, of what the sorters do not need,
// and frees what else is kept for vertices.
func (b *builder) keep(numbers *numbering, in, out *sideBuilder) {
	bytes := 4 * int64(b.top.Load())
	spare := b.plan.sort - in.most(b.plan, in.groups)
	if numbers.perm == nil && in.packsIn() && !in.orders() && bytes <= spare {
		in.known = knownDegrees{numbers, b.in.total}
		in.kept = bytes
	}
	if spare = min(spare-in.kept, b.plan.sort-out.most(b.plan, out.groups)); in.known.total != nil && out.readsBack() && bytes <= spare {
		out.known = knownDegrees{numbers, b.out.total}
		in.kept += bytes
		out.kept = bytes
	}
	if in.known.total == nil {
		b.in.free()
	}
	if out.known.total == nil {
		b.out.free()
	}
	hostmem.Free(b.declared)
	b.declared = nil
}

// most is the memory that the sorters take at once for groups of the side, at most.
func (s *sideBuilder) most(plan memoryPlan, groups []group) (need int64) {
	w := shardWriter{sideStore: &s.sideStore}
	for i := range groups {
		g := &groups[i]
		if isGiant(g) {
			return plan.sort
		}
		need = max(need, int64(g.edges)*s.edgeBytes()+w.need(s.sizes(g)))
	}
	return int64(plan.sorters) * need
}

// placeKnown is byDestination for degrees that are known.
func (s *sorter) placeKnown(ctx context.Context, g *group, x *keyRange) (sources uint64, err error) {
	degrees, n := s.known.total[x.first:][:x.n], 0
	s.placesOf(g, x, degrees)
	for _, part := range g.parts {
		err := s.spill.each(ctx, part, func(b *block, data *buffer) error {
			all, k := placeRecords(data, b.n, b.form, x.first, s.keyBuf, s.places)
			if n += k; k < 0 {
				return s.uncounted(g.from)
			}
			sources |= uint64(all)
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	sum := 0
	for t, c := range degrees {
		if sum += int(c); c > 0 && uint32(s.places[t]) != uint32(sum) {
			return 0, s.uncounted(g.from)
		}
	}
	if n != sum {
		return 0, s.uncounted(g.from)
	}
	return sources, nil
}

// placeRecords puts those records whose destinations are in the range, which has a place for each
// number from first on, at their places as packed edges have them. It returns all bits of the
// sources, and how many records there are, or -1 if a place lies outside. Its loop calls nothing, so
// that all it needs is in registers.
func placeRecords(data *buffer, bytes int, form recordForm, first uint32, to, places []uint64) (all uint32, n int) {
	low, whole, step := form.low&63, form.mask(), int(form.step)
	mask, base := uint32(uint64(1)<<low-1), form.base-first
	for i := 0; i < bytes; i += step {
		k := load(data, i) & whole
		t := base + uint32(k)&mask
		if t >= uint32(len(places)) { // of the group beside this one
			continue
		}
		at := places[t]
		if uint64(uint32(at)) >= uint64(len(to)) {
			return 0, -1
		}
		k >>= low
		all |= uint32(k)
		to[uint32(at)] = k<<32 | at>>32
		places[t] = at + 1
		n++
	}
	return all, n
}

// placeBack brings the edges of a group that are read back to their vertices, whose degrees are
// known.
func (s *sorter) placeBack(ctx context.Context, g *group) error {
	span, r := g.last-g.first, &s.rows
	s.known.fill(g.first, r.start[1:])
	r.sum()
	n := r.start[span+1]
	if uint64(n) > g.edges {
		return s.uncounted(g.from)
	}
	r.end = append(r.end[:0], r.start[:span+1]...)
	r.nbr = asWords(s.keyBuf)[:n]
	nbr, end := r.nbr, r.end
	err := s.eachBack(ctx, g, func(first uint32, from []uint32, dst []uint16) error {
		dst = dst[:len(from)]
		for i, u := range from {
			v := u - g.first
			if v >= uint32(len(end)) || end[v] >= uint32(len(nbr)) {
				return s.uncounted(g.from)
			}
			nbr[end[v]] = first + uint32(dst[i])
			end[v]++
		}
		return nil
	})
	if err != nil {
		return err
	}
	for v, to := range end {
		if to != r.start[v+1] {
			return s.uncounted(g.from)
		}
	}
	return nil
}
