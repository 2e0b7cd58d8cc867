package build

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// sorter is one goroutine of a sideBuilder.
type sorter struct {
	*sideBuilder
	writer        shardWriter
	twins         *writer
	held          int64 // of sortMemory
	keys, keyBuf  []uint64
	weights, wBuf shard.Plane
	counts        [maxDigits][1 << maxDigit]uint32
	rows          groupRows // of the group in hand
	places        []uint64  // of a group that is packed without rows
	from          backReader
	pairs         []mirrorPair // of the shard in hand
}

// groupRows is a sorted group, by vertex: the neighbours of its v-th are
// nbr[start[v]:end[v]], and so are the weights.
type groupRows struct {
	first      uint32 // dense id
	ordered    bool   // neighbours of a vertex ascend
	nbr        []uint32
	weights    shard.Plane
	start, end []uint32
	rounded    uint64 // sums of weights, of all groups
}

func (s *sorter) free() {
	hostmem.Free(s.keys)
	hostmem.Free(s.keyBuf)
	freePlane(s.weights)
	freePlane(s.wBuf)
	s.keys, s.keyBuf, s.weights, s.wBuf = nil, nil, shard.Plane{}, shard.Plane{}
	s.writer.free()
	s.memory.Release(s.held)
	s.held = 0
}

// grow makes the buffers long enough for the edges of a group, and for its shards.
func (s *sorter) grow(ctx context.Context, edges int, most shardSizes) (err error) {
	if len(s.keys) >= edges && s.writer.fits(most) {
		return nil
	}
	if err := s.writer.stored(); err != nil {
		return err
	}
	s.free()
	if err := s.hold(ctx, int64(edges)*s.edgeBytes()+s.writer.need(most)); err != nil {
		return err
	}
	if s.keys, err = hostmem.Slice[uint64](edges); err != nil {
		return err
	}
	if s.keyBuf, err = hostmem.Slice[uint64](edges); err != nil {
		return err
	}
	if s.weights, err = makePlane(edges, s.weight); err != nil {
		return err
	}
	if s.wBuf, err = makePlane(edges, s.weight); err != nil {
		return err
	}
	return s.writer.grow(most)
}

// makePlane allocates n weights of 4 or 8 bytes, or none.
func makePlane(n, weight int) (p shard.Plane, err error) {
	switch weight {
	case 4:
		p.Narrow, err = hostmem.Slice[float32](n)
	case 8:
		p.Wide, err = hostmem.Slice[float64](n)
	}
	return p, err
}

func freePlane(p shard.Plane) {
	hostmem.Free(p.Narrow)
	hostmem.Free(p.Wide)
}

// hold takes its share of the sorters' memory. A sorter that waits for memory
// holds none, so that the others can go on.
func (s *sorter) hold(ctx context.Context, need int64) error {
	need = min(need, s.plan.sort) // every group fits, but for giants
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	if err := s.memory.Acquire(ctx, need); err != nil {
		return err
	}
	s.held = need
	return nil
}

// group sorts one group and stores its shards.
func (s *sorter) group(ctx context.Context, g *group) error {
	if isGiant(g) {
		return s.giant(ctx, g)
	}
	if err := s.grow(ctx, int(g.edges), s.sizes(g)); err != nil {
		return err
	}
	if err := s.shardsOf(ctx, g); err != nil {
		return err
	}
	s.sorted(g.edges)
	if s.waiting.Load() > 0 {
		if err := s.writer.stored(); err != nil {
			return err
		}
		s.free()
	}
	return nil
}

// shardsOf sorts a group in the buffers, and stores its shards.
func (s *sorter) shardsOf(ctx context.Context, g *group) error {
	if s.direct(g) {
		return s.packGroup(ctx, g)
	}
	if err := s.sortGroup(ctx, g); err != nil {
		return err
	}
	for i := g.from; i < g.to; i++ {
		side, err := s.writer.store(i, &s.rows)
		if err != nil {
			return err
		}
		if s.mirrors != nil {
			s.mirrors.rows(side)
		}
		if err := s.collectTwins(side); err != nil {
			return err
		}
	}
	return nil
}

// sortGroup fills the rows of a group: a radix sort of edges by neighbour, but
// for the out side, where they come in that order, and then a counting sort by
// vertex. It leaves out the first where neighbours need no order.
func (s *sorter) sortGroup(ctx context.Context, g *group) error {
	defer func() { g.parts = nil }()
	vertices, r := int(g.last-g.first)+1, &s.rows
	r.first, r.ordered = g.first, s.ordered(g)
	r.start = slices.Grow(r.start[:0], vertices+1)[:vertices+1]
	clear(r.start)
	digits, width := 0, uint(0)
	if s.dir == shard.In && r.ordered {
		digits, width = radixDigits(s.n)
	}
	n := 0
	if s.readsBack() {
		var err error
		if n, err = s.loadBack(ctx, g); err != nil {
			return err
		}
	}
	for _, part := range g.parts {
		k, err := s.load(ctx, part, g, n, digits, width)
		if err != nil {
			return err
		}
		for d := range digits {
			from, to, w, x := s.keys, s.keyBuf, s.weights, s.wBuf
			if d%2 == 1 {
				from, to, w, x = to, from, x, w
			}
			w, x = w.Slice(n, n+k), x.Slice(n, n+k)
			if w.Wide != nil {
				pass(from[n:n+k], to[n:n+k], w.Wide, x.Wide, &s.counts[d], uint(d)*width, width)
			} else {
				pass(from[n:n+k], to[n:n+k], w.Narrow, x.Narrow, &s.counts[d], uint(d)*width, width)
			}
		}
		n += k
	}
	r.sum()
	r.end = append(r.end[:0], r.start[:vertices]...)
	keys, out, weights, moved := s.keys[:n], s.keyBuf, s.weights, s.wBuf
	if digits%2 == 1 {
		keys, out, weights, moved = s.keyBuf[:n], s.keys, moved, weights
	}
	r.nbr, r.weights = asWords(out)[:n], moved
	if moved.Wide != nil {
		place(r, keys, weights.Wide, moved.Wide)
	} else {
		place(r, keys, weights.Narrow, moved.Narrow)
	}
	if !s.parallel.joins() {
		return nil
	}
	dropped, err := r.join(s.parallel)
	s.dropped.Add(dropped)
	return err
}

// sum turns counts of edges into places; start[v+1] has the count of vertex v.
func (r *groupRows) sum() {
	sum := uint32(0)
	for v, c := range r.start {
		sum += c
		r.start[v] = sum
	}
}

// ordered reports whether the rows of a group need their neighbours in ascending order, and are
// looked at once more for that. Packing sorts by neighbour itself, or looks at the order of rows;
// parallel edges are alike then, without weights.
func (s *sideBuilder) ordered(g *group) bool {
	if s.orders() {
		return true
	}
	for i := g.from; i < g.to; i++ {
		if s.isGiant(i) {
			return true
		}
	}
	return false
}

// orders reports whether all rows of the side need that order.
func (s *sideBuilder) orders() bool {
	return !s.packs() || s.dir == shard.In && s.packsRows() || s.weight > 0 || s.parallel.joins()
}

// load makes keys of the records of blocks that are of the group, from keys[n]
// on, and gives how many there are: the vertex within the group, then its
// neighbour. It counts the edges of each vertex, and the digits of neighbours.
func (s *sorter) load(ctx context.Context, blocks []*block, g *group, n, digits int, width uint) (int, error) {
	record, m, weight := recordWords(s.weight), s.numbers, s.weight
	span, mask, keys, start := g.last-g.first, uint32(1)<<width-1, s.keys, s.rows.start[1:]
	for d := range digits {
		clear(s.counts[d][:])
	}
	from := n
	err := s.spill.eachUnpacked(ctx, blocks, func(b []uint32) error {
		for i := 0; i+record <= len(b); i += record {
			v := m.dense(b[i+1]) - g.first
			if v > span { // of the group beside this one
				continue
			}
			if n == len(keys) {
				return s.uncounted(g.from)
			}
			u := m.dense(b[i])
			start[v]++
			if digits > 0 {
				s.counts[0][u&mask&(1<<maxDigit-1)]++
				if digits > 1 {
					s.counts[1][u>>width&mask&(1<<maxDigit-1)]++
				}
				if digits > 2 {
					s.counts[2][u>>(2*width)&mask&(1<<maxDigit-1)]++
				}
			}
			keys[n] = uint64(v)<<32 | uint64(u)
			switch weight {
			case 4:
				s.weights.Narrow[n] = math.Float32frombits(b[i+2])
			case 8:
				s.weights.Wide[n] = weightOf(b[i : i+4])
			}
			n++
		}
		return nil
	})
	return n - from, err
}

// uncounted returns the error of more edges than the shards from one on should have: edges
// that are read back from a damaged graph may be more than it counts.
func (s *sideStore) uncounted(shard int) error {
	return fmt.Errorf("%w: from shard %d on, there are more edges of the %s side than it should have",
		store.ErrDamaged, shard, s.dir)
}

// place puts edges, which come in the order of neighbours, at their vertices.
func place[W float32 | float64](r *groupRows, keys []uint64, weights, moved []W) {
	nbr, end := r.nbr, r.end
	for i, k := range keys {
		at := &end[k>>32]
		p := *at
		nbr[p] = uint32(k)
		if weights != nil {
			moved[p] = weights[i]
		}
		*at = p + 1
	}
}
