package build

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
	sources, err := s.byDestination(ctx, g)
	if err != nil {
		return err
	}
	for i := g.from; i < g.to; i++ {
		keys, start, err := s.shardKeys(i, g, sources)
		if err != nil {
			return err
		}
		if s.mirrors != nil {
			s.pairs = s.mirrors.keys(s.shards[i].First, s.shards[i].Vertices, keys, s.pairs)
		}
		if err := s.writer.storeSorted(i, keys, start); err != nil {
			return err
		}
	}
	return nil
}

// byDestination brings the edges of a group into the order of destinations, in keyBuf, and
// returns all bits of the sources.
func (s *sorter) byDestination(ctx context.Context, g *group) (sources uint64, err error) {
	r, x := &s.rows, s.numbers.rangeOf(g)
	r.end = slices.Grow(r.end[:0], int(x.n))[:x.n]
	clear(r.end)
	n := 0
	for _, part := range g.parts {
		err := s.spill.each(ctx, part, func(b *block, data *buffer) error {
			k := x.gather(b, data, s.keys[n:], r.end)
			if n += k; k < 0 {
				return s.uncounted(g.from)
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	s.placesOf(g, &x, r.end)
	return placeKeys(s.keys[:n], s.keyBuf, s.places), nil
}

// shardKeys returns the edges of shard i of a group in the order of packed shards, and the places of
// its vertices in the order of destinations.
func (s *sorter) shardKeys(i int, g *group, sources uint64) (keys []uint64, start []uint32, err error) {
	info := &s.shards[i]
	start = s.rows.start[info.First-g.first:]
	from, to := start[0], start[info.Vertices]
	if to-from > info.In {
		return nil, nil, s.uncounted(i)
	}
	keys = bySource(s.keyBuf[from:to], s.keys[from:to], sources, &s.counts)
	s.numbers.denseSources(keys)
	return keys, start, nil
}

// keyRange is how the destinations of a group are called while its edges are gathered: by
// provisional number, which takes no look at the numbering an edge, or by dense id, where there
// would be too many numbers. Both count from first.
type keyRange struct {
	*numbering
	first, n uint32
	dense    bool
}

// keyGaps is the number of numbers a vertex may take in a range of provisional ones. Numbers of few
// vertices may take some more.
const (
	keyGaps = 2
	fewGaps = 1 << 14
)

// rangeOf returns the range of a group's destinations.
func (m *numbering) rangeOf(g *group) keyRange {
	vertices := g.last - g.first + 1
	from, to := m.number(g.first), m.number(g.last)
	if uint64(to-from) >= keyGaps*uint64(vertices)+fewGaps {
		return keyRange{m, g.first, vertices, true}
	}
	return keyRange{m, from, to - from + 1, false}
}

// gather makes keys of those records whose destinations are in the range, destination within it
// << 32 | provisional number of the source, and counts them by destination. It returns how many
// there are, or -1 if there is no room for all.
func (x *keyRange) gather(b *block, data *buffer, keys []uint64, count []uint32) int {
	if !x.dense {
		return gatherNumbers(data, b.n, b.form, x.first, keys, count)
	}
	n, mask := 0, uint32(uint64(1)<<b.form.low-1)
	for i := 0; i < b.n; i += int(b.form.step) {
		k := load(data, i) & b.form.mask()
		v := x.numbering.dense(b.form.base+uint32(k)&mask) - x.first
		if v >= uint32(len(count)) { // of the group beside this one
			continue
		}
		if n >= len(keys) {
			return -1
		}
		count[v]++
		keys[n] = uint64(v)<<32 | k>>(b.form.low&63)
		n++
	}
	return n
}

// gatherNumbers is like gather, for provisional numbers from first on. Its loop calls nothing, so that
// all it needs is in registers.
func gatherNumbers(data *buffer, bytes int, form recordForm, first uint32, keys []uint64, count []uint32) int {
	low, all, step := form.low&63, form.mask(), int(form.step)
	mask, base, n := uint32(uint64(1)<<low-1), form.base-first, uint(0)
	for i := 0; i < bytes; i += step {
		k := load(data, i) & all
		v := base + uint32(k)&mask
		if v >= uint32(len(count)) { // of the group beside this one
			continue
		}
		if n >= uint(len(keys)) {
			return -1
		}
		count[v]++
		keys[n] = uint64(v)<<32 | k>>low
		n++
	}
	return int(n)
}

// placesOf turns the counts of a range into places: where the edges of each vertex
// begin (rows.start), and for each number of the range the next place, below the destination as
// packed edges have it.
func (s *sorter) placesOf(g *group, x *keyRange, counts []uint32) {
	r, vertices := &s.rows, int(g.last-g.first)+1
	r.start = slices.Grow(r.start[:0], vertices+1)[:vertices+1]
	s.places = slices.Grow(s.places[:0], int(x.n))[:x.n]
	i, sum, v := g.from, uint32(0), uint32(0)
	end := uint32(s.shards[i].Vertices) // of the shard, in the group
	base := uint32(0)
	for t, c := range counts {
		if !x.dense && !x.has(x.first+uint32(t)) {
			continue
		}
		if v == end {
			i++
			base, end = end, end+uint32(s.shards[i].Vertices)
		}
		r.start[v] = sum
		s.places[t] = uint64(v-base)<<48 | uint64(sum)
		sum += c
		v++
	}
	r.start[v] = sum
}

// placeKeys puts keys at their places, by destination, as packed edges have them: source << 32 |
// destination << 16. It returns all bits of the sources.
func placeKeys(keys, to, places []uint64) (all uint64) {
	for _, k := range keys {
		at := &places[k>>32]
		all |= k
		to[uint32(*at)] = k<<32 | *at>>32
		*at++
	}
	return all & (1<<32 - 1)
}

// fewKeys are sorted by comparison: clearing the counts of digits would take longer.
const fewKeys = 256

// bySource sorts keys, which are in the order of destinations, by source: all has the bits of
// all sources. It returns the slice that the keys are in afterwards, one of both.
func bySource(keys, spare []uint64, all uint64, counts *[maxDigits][1 << maxDigit]uint32) []uint64 {
	if len(keys) < fewKeys {
		slices.Sort(keys)
		return keys
	}
	digits, width := radixDigits(uint32(all) + 1)
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
		scatter(keys, spare, next, 32+uint(d)*width, few)
		keys, spare = spare, keys
	}
	return keys
}

// scatter moves keys to the next places of their digits.
func scatter(keys, to []uint64, next *[1 << maxDigit]uint32, shift uint, few uint64) {
	for _, k := range keys {
		at := &next[k>>(shift&63)&few&(1<<maxDigit-1)]
		to[*at] = k
		*at++
	}
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
	known := func(to []uint32) { copy(to, degrees) }
	go func() { done <- s.out.PutShard(i, withDegrees{side, known}) }()
	return nil
}

// withDegrees is a side with another way to its degrees.
type withDegrees struct {
	*packed.Side
	degrees func(degrees []uint32)
}

func (s withDegrees) Degrees(degrees []uint32) { s.degrees(degrees) }
