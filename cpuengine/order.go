package cpuengine

import (
	"math/bits"
	"unsafe"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

const (
	// segmentBits: the values of 2⁶ sources are a few cache lines, and an
	// accumulator has few edges within a segment, so that additions to it do not
	// wait for each other.
	segmentBits = 6
	// maxSegments bounds the table of the counting sort to a second-level cache.
	maxSegments = 1 << 16
	// maxOrderEdges keeps shards of giant vertices out: one goroutine scatters a
	// whole shard.
	maxOrderEdges = 1 << 22
)

// Orders are the source orders of a job's first shards, as many as memory is left
// for: second copies of their edges, kept from one iteration to the next. One
// goroutine at a time uses that of a shard.
type Orders struct {
	vertices uint32 // of the graph
	shards   []ordering
	memory   []byte
}

// ordering is where the source order of a shard is kept.
type ordering struct {
	memory []byte
	order  *order
	tried  bool
}

// NewOrders takes room for the source orders of shards whose sides in the given
// directions are gathered along: in one area, in huge pages, of which only what is
// made takes any memory. At most rest bytes; less than 0: there is no limit.
func NewOrders(cat *store.Catalogue, gather []shard.Direction, rest int64) (*Orders, error) {
	o := &Orders{vertices: cat.Vertices}
	var ends []int64
	var end int64
	for i := range cat.Shards {
		for _, dir := range gather {
			end += orderBytes(cat.SideEdges(dir, i), cat.Weighted && cat.Stored(dir) == shard.In)
		}
		if rest >= 0 && end > rest {
			break
		}
		ends = append(ends, end)
	}
	if len(ends) == 0 || ends[len(ends)-1] == 0 {
		return o, nil
	}
	var err error
	if o.memory, err = hostmem.Sparse[byte](ends[len(ends)-1]); err != nil {
		return nil, err
	}
	from := int64(0)
	for _, to := range ends {
		o.shards = append(o.shards, ordering{memory: o.memory[from:to:to]})
		from = to
	}
	return o, nil
}

// Close frees the memory.
func (o *Orders) Close() {
	hostmem.Free(o.memory)
	*o = Orders{}
}

// Any reports whether any shards can be had in source order.
func (o *Orders) Any() bool { return len(o.shards) > 0 }

// Unmade reports whether the source order of one of the shards can still be made.
// None is being made meanwhile.
func (o *Orders) Unmade(shards []int) bool {
	for _, i := range shards {
		if i < len(o.shards) && !o.shards[i].tried {
			return true
		}
	}
	return false
}

// able reports whether get returns something for shard i, or may do so.
func (o *Orders) able(i int, wanted bool) bool {
	if o == nil || i >= len(o.shards) {
		return false
	}
	s := &o.shards[i]
	return s.order != nil || wanted && !s.tried
}

// get returns the source order of shard i for chunks of the given size, made now
// if it is wanted. Nil: there is none.
func (o *Orders) get(i int, s rows.Shard, size uint64, wanted bool) *order {
	if o == nil || i >= len(o.shards) {
		return nil
	}
	x := &o.shards[i]
	if x.order == nil && wanted && !x.tried {
		x.order = newOrder(s, i, size, o.vertices, x.memory)
		x.tried = true
	}
	return x.order
}

// order is a second copy of a shard's edges for pulls over the whole shard, by
// segments of sources: values are read almost in sequence, and the accumulators
// of a shard stay in the second-level cache. (Segments: Zhang et al., Making
// caches work for graph analytics, IEEE Big Data 2017.) Every accumulator still
// adds its edges in the order of the shard, so that both give the same bits.
type order struct {
	sides []orderSide
	// cuts are the accumulators that follow those of the vertices: one for each
	// partial sum after the first of a vertex that chunk borders cut, in order.
	// cuts[k] is the local vertex to which accumulator Vertices+k belongs.
	cuts []uint16
}

// orderSide is one side in this order: the i-th edge leads from vertex nbr[i] to
// accumulator slot[i].
type orderSide struct {
	nbr    []uint32
	slot   []uint16
	weight []float32 // nil without weights
}

// orderBytes is the memory of a side of so many edges in source order.
func orderBytes(edges uint32, weighted bool) int64 {
	n := int64(edges)*4 + (int64(edges)*2+7)&^7
	if weighted {
		n += int64(edges) * 4
	}
	return (n + 15) &^ 15
}

// newOrder puts the edges of shard i in source order, in memory, for chunks of the
// given size. It is nil when the shard has too many edges or accumulators for it.
func newOrder(s rows.Shard, i int, size uint64, vertices uint32, memory []byte) *order {
	for _, side := range s {
		if side.Edges() > maxOrderEdges {
			return nil
		}
	}
	chunks := s.AppendChunks(nil, i, size)
	o := &order{sides: make([]orderSide, len(s))}
	for _, c := range chunks[1:] {
		if v := c.Begin - 1; c.From < s.Before(c.Begin) { // c begins within v
			o.cuts = append(o.cuts, uint16(v))
		}
	}
	if s.Vertices()+len(o.cuts) > shard.MaxVertices {
		return nil
	}
	for k, side := range s {
		o.sides[k], memory = newOrderSide(side, memory)
		o.sides[k].sort(s, k, chunks, vertices)
	}
	return o
}

// newOrderSide takes the arrays of a side from memory.
func newOrderSide(s *rows.Side, memory []byte) (o orderSide, rest []byte) {
	edges := s.Edges()
	rest = memory[orderBytes(edges, s.Weight != nil):]
	if edges == 0 {
		return o, rest
	}
	o.nbr = unsafe.Slice((*uint32)(unsafe.Pointer(&memory[0])), edges)
	memory = memory[4*int(edges):]
	if s.Weight != nil {
		o.weight = unsafe.Slice((*float32)(unsafe.Pointer(&memory[0])), edges)
		memory = memory[4*int(edges):]
	}
	o.slot = unsafe.Slice((*uint16)(unsafe.Pointer(&memory[0])), edges)
	return o, rest
}

// sort fills o with the edges of side k of s: a stable counting sort by segment.
func (o *orderSide) sort(s rows.Shard, k int, chunks []rows.Chunk, n uint32) {
	side := s[k]
	shift := max(segmentBits, bits.Len32(n-1)-bits.Len(maxSegments-1))
	place := make([]uint32, uint64(n-1)>>shift+2)
	for _, u := range side.Nbr {
		place[u>>shift+1]++
	}
	for i := 1; i < len(place); i++ {
		place[i] += place[i-1]
	}
	next, extra := 1, uint16(s.Vertices()) // chunk after the one in hand; its accumulator
	for v := range s.Vertices() {
		at, slot := s.Before(v), uint16(v)
		if k == 1 {
			at += uint64(s[0].Off[v+1] - s[0].Off[v])
		}
		end := s.Before(v + 1)
		lo, hi := side.Off[v], side.Off[v+1]
		// Borders within v, on the side before this one too.
		for next < len(chunks) && chunks[next].From <= s.Before(v) {
			next++
		}
		for next < len(chunks) && chunks[next].From < end {
			if border := chunks[next].From; border > at {
				take := min(hi-lo, uint32(border-at))
				o.scatter(side, lo, lo+take, slot, place, shift)
				lo += take
				at += uint64(take)
			}
			slot = extra
			extra++
			next++
		}
		o.scatter(side, lo, hi, slot, place, shift)
	}
}

// scatter puts the edges [lo, hi) of side at their places.
func (o *orderSide) scatter(side *rows.Side, lo, hi uint32, slot uint16, place []uint32, shift int) {
	for i, u := range side.Nbr[lo:hi] {
		at := &place[u>>shift]
		o.nbr[*at], o.slot[*at] = u, slot
		if side.Weight != nil {
			o.weight[*at] = side.Weight[int(lo)+i]
		}
		*at++
	}
}
