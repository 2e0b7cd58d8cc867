package page

import (
	"math/bits"
	"unsafe"

	"github.com/garaph/garaph/shard"
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

// Order is a second copy of a shard's edges for pulls over the whole shard, by
// segments of sources: values are read almost in sequence, and the accumulators
// of a shard stay in the second-level cache. (Segments: Zhang et al., Making
// caches work for graph analytics, IEEE Big Data 2017.) Every accumulator still
// adds its edges in the order of the shard, so that both give the same bits.
type Order struct {
	Sides []OrderSide
	// Cuts are the accumulators that follow those of the vertices: one for each
	// piece after the first of a vertex that chunk borders cut, in order.
	// Cuts[k] is the local vertex to which accumulator Vertices+k belongs.
	Cuts []uint16
}

// Ordering is where the source order of a shard is kept from one iteration to
// the next. One goroutine at a time may use it.
type Ordering struct {
	Vertices uint32 // of the graph
	memory   []byte // for the order; nil: from the Go heap
	order    *Order
	tried    bool
}

// Order gives the source order of the i-th shard for chunks of the given size,
// made now if it is wanted. Nil: there is none.
func (p *Page) Order(i int, size uint64, wanted bool) *Order {
	o := p.Shards[i].Ordering
	if o == nil {
		return nil
	}
	if o.order == nil && wanted && !o.tried {
		o.order = p.newOrder(i, size, o)
		o.tried = true
	}
	return o.order
}

// Orderable reports whether Order gives something for the i-th shard, or may do so.
func (p *Page) Orderable(i int, wanted bool) bool {
	o := p.Shards[i].Ordering
	return o != nil && (o.order != nil || wanted && !o.tried)
}

// OrderSide is one side in this order: the i-th edge leads from vertex Nbr[i] to
// accumulator Slot[i].
type OrderSide struct {
	Nbr    []uint32
	Slot   []uint16
	Weight []float32 // nil without weights
}

// orderBytes is the memory of a side of so many edges in source order.
func orderBytes(edges uint32, weighted bool) int64 {
	n := int64(edges)*4 + (int64(edges)*2+7)&^7
	if weighted {
		n += int64(edges) * 4
	}
	return (n + 15) &^ 15
}

// newOrder puts the edges of the i-th shard in source order, for chunks of the
// given size. It is nil when the shard has too many edges or accumulators for
// it.
func (p *Page) newOrder(i int, size uint64, in *Ordering) *Order {
	s := &p.Shards[i]
	var total int64
	for k := range s.Sides {
		if s.Sides[k].Edges() > maxOrderEdges {
			return nil
		}
		total += orderBytes(s.Sides[k].Edges(), s.Sides[k].Weight != nil)
	}
	chunks := p.AppendChunks(nil, i, size)
	o := &Order{Sides: make([]OrderSide, len(s.Sides))}
	for _, c := range chunks[1:] {
		if v := c.Begin - 1; c.From < s.Before(c.Begin) { // c begins within v
			o.Cuts = append(o.Cuts, uint16(v))
		}
	}
	if s.Vertices()+len(o.Cuts) > shard.MaxVertices {
		return nil
	}
	rest := in.memory
	if rest == nil {
		rest = make([]byte, total)
	}
	for k := range s.Sides {
		o.Sides[k], rest = orderSide(&s.Sides[k], rest)
		o.Sides[k].sort(s, k, chunks, in.Vertices)
	}
	return o
}

// orderSide takes the arrays of a side from memory.
func orderSide(s *shard.Side, memory []byte) (o OrderSide, rest []byte) {
	edges := s.Edges()
	rest = memory[orderBytes(edges, s.Weight != nil):]
	if edges == 0 {
		return o, rest
	}
	o.Nbr = unsafe.Slice((*uint32)(unsafe.Pointer(&memory[0])), edges)
	memory = memory[4*int(edges):]
	if s.Weight != nil {
		o.Weight = unsafe.Slice((*float32)(unsafe.Pointer(&memory[0])), edges)
		memory = memory[4*int(edges):]
	}
	o.Slot = unsafe.Slice((*uint16)(unsafe.Pointer(&memory[0])), edges)
	return o, rest
}

// sort fills o with the edges of side k of s: a stable counting sort by segment.
func (o *OrderSide) sort(s *Shard, k int, chunks []Chunk, n uint32) {
	side := &s.Sides[k]
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
			at += uint64(s.Sides[0].Off[v+1] - s.Sides[0].Off[v])
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
func (o *OrderSide) scatter(side *shard.Side, lo, hi uint32, slot uint16, place []uint32, shift int) {
	for i, u := range side.Nbr[lo:hi] {
		at := &place[u>>shift]
		o.Nbr[*at], o.Slot[*at] = u, slot
		if side.Weight != nil {
			o.Weight[*at] = side.Weight[int(lo)+i]
		}
		*at++
	}
}
