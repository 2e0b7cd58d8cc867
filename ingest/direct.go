package ingest

import (
	"context"
	"math/bits"
	"slices"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
)

// Edges of which nothing but packed shards is made go from the buckets straight into the order
// that packed shards have: by destination while they are placed, then by source, digit by digit.
// They have the sources' provisional numbers until they are in that order, for dense ids ascend
// with these: looked up in order, they come from the cache.

// direct reports whether a group's edges go straight into the order of packed shards.
func (s *sorter) direct(g *group) bool { return s.packsIn() && !s.ordered(g) }

// packGroup sorts such a group and stores its shards.
func (s *sorter) packGroup(ctx context.Context, g *group) error {
	defer func() { g.parts = nil }()
	r, vertices := &s.rows, int(g.last-g.first)+1
	r.start = slices.Grow(r.start[:0], vertices+1)[:vertices+1]
	clear(r.start)
	n := 0
	for _, part := range g.parts {
		err := s.spill.each(ctx, part, func(b *block, data *buffer) error {
			k := s.numbers.gather(b, data, g, s.keys[n:], r.start[1:])
			if n += k; k < 0 {
				return s.uncounted(g.from)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	r.sum()
	r.end = append(r.end[:0], r.start[:vertices]...)
	placeKeys(s.keys[:n], s.keyBuf, r.end)
	for i := g.from; i < g.to; i++ {
		info := &s.shards[i]
		base := info.First - g.first
		from, to := r.start[base], r.start[base+uint32(info.Vertices)]
		if to-from > info.In {
			return s.uncounted(i)
		}
		keys := bySource(s.keyBuf[from:to], s.keys[from:to], base, &s.counts)
		s.numbers.denseSources(keys)
		if err := s.writer.storeSorted(i, keys, r.start[base:]); err != nil {
			return err
		}
	}
	return nil
}

// sum turns counts of edges, that of vertex v in start[v+1], into places.
func (r *groupRows) sum() {
	sum := uint32(0)
	for v, c := range r.start {
		sum += c
		r.start[v] = sum
	}
}

// gather makes keys of those records whose destinations are in the group, destination within it
// << 32 | provisional number of the source, and counts them by destination. It returns how many
// there are, or -1 if there is no room for all.
func (m *numbering) gather(b *block, data *buffer, g *group, keys []uint64, count []uint32) int {
	form, span, n := b.form, g.last-g.first, 0
	low, mask, all, step := form.low&63, uint32(uint64(1)<<form.low-1), form.mask(), int(form.step)
	if b.n/step > len(keys) { // perhaps not all of them are of the group
		for i := 0; i < b.n; i += step {
			if m.dense(form.base+uint32(load(data, i))&mask)-g.first <= span {
				n++
			}
		}
		if n > len(keys) {
			return -1
		}
		n = 0
	}
	ranks, first := m.ranks, m.first+g.first
	for i := 0; i < b.n; i += step {
		x := load(data, i) & all
		u, v := uint32(x>>low), form.base+uint32(x)&mask
		if ranks != nil {
			x := &ranks[v>>6]
			v = x.below + uint32(bits.OnesCount64(x.bits&(1<<(v&63)-1))) - g.first
		} else {
			v -= first
		}
		if v > span { // of the group beside this one
			continue
		}
		count[v]++
		keys[n] = uint64(v)<<32 | uint64(u)
		n++
	}
	return n
}

// placeKeys puts keys at the places of their destinations, and turns them around: source << 32 |
// destination.
func placeKeys(keys, to []uint64, next []uint32) {
	for _, k := range keys {
		at := &next[k>>32]
		to[*at] = bits.RotateLeft64(k, 32)
		*at++
	}
}

// fewKeys are sorted by comparison: clearing the counts of digits would take longer.
const fewKeys = 256

// bySource sorts keys, which are in the order of destinations, by source. On the way
// destinations become those of a shard that begins at base, where packed edges have them. It
// returns the slice that the keys are in afterwards, one of both.
func bySource(keys, spare []uint64, base uint32, counts *[maxDigits][1 << maxDigit]uint32) []uint64 {
	all := uint64(0)
	for i, k := range keys {
		all |= k
		keys[i] = k&^(1<<32-1) | uint64(uint32(k)-base)<<16
	}
	if len(keys) < fewKeys {
		slices.Sort(keys)
		return keys
	}
	digits, width := radixDigits(uint32(all>>32) + 1)
	const mask = 1<<maxDigit - 1
	for d := range digits {
		clear(counts[d][:1<<width])
	}
	few := uint64(1)<<width - 1
	low, middle, high := &counts[0], &counts[1], &counts[2]
	switch digits {
	case 1:
		for _, k := range keys {
			low[k>>32&few&mask]++
		}
	case 2:
		for _, k := range keys {
			low[k>>32&few&mask]++
			middle[k>>(32+width)&few&mask]++
		}
	default:
		for _, k := range keys {
			low[k>>32&few&mask]++
			middle[k>>(32+width)&few&mask]++
			high[k>>(32+2*width)&few&mask]++
		}
	}
	for d := range digits {
		next, sum := &counts[d], uint32(0)
		for i, n := range next[:1<<width] {
			next[i], sum = sum, sum+n
		}
		shift := 32 + uint(d)*width
		for _, k := range keys {
			at := &next[k>>(shift&63)&few&mask]
			spare[*at] = k
			*at++
		}
		keys, spare = spare, keys
	}
	return keys
}

// denseSources turns the provisional numbers of sources, which ascend, into dense ids.
func (m *numbering) denseSources(keys []uint64) {
	switch {
	case m.ranks != nil:
		for i, k := range keys {
			t := uint32(k >> 32)
			x := &m.ranks[t>>6]
			keys[i] = uint64(x.below+uint32(bits.OnesCount64(x.bits&(1<<(t&63)-1))))<<32 | k&(1<<32-1)
		}
	case m.first > 0:
		for i := range keys {
			keys[i] -= uint64(m.first) << 32
		}
	}
}

// storeSorted writes shard i, of sorted edges. start begins with the places of its vertices.
func (s *shardWriter) storeSorted(i int, keys []uint64, start []uint32) error {
	info, at := &s.shards[i], s.at
	s.at = 1 - at
	if err := s.wait(at); err != nil {
		return err
	}
	degrees := slices.Grow(s.degrees[at][:0], info.Vertices)[:info.Vertices]
	s.degrees[at] = degrees
	for v := range degrees {
		degrees[v] = start[v+1] - start[v]
	}
	h := shard.Header{Dir: shard.In, Index: uint32(i), First: info.First, Vertices: info.Vertices}
	if err := s.packer.Keys(h, keys); err != nil {
		return s.packError(i, err)
	}
	side, err := s.packIn(i, s.packed[at])
	if err != nil {
		return s.packError(i, err)
	}
	done := make(chan error, 1)
	s.storing[at] = done
	go func() { done <- s.out.PutShard(i, withDegrees{side, degrees}) }()
	return nil
}

// withDegrees is a side whose degrees are known.
type withDegrees struct {
	*packed.Side
	degrees []uint32
}

func (s withDegrees) Degrees(degrees []uint32) { copy(degrees, s.degrees) }
