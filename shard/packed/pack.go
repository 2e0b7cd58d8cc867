package packed

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"github.com/garaph/garaph/shard"
)

// Packer packs sides. Its buffers last from one side to the next. A side is taken
// by [Packer.Sorted] or [Packer.Side]; then Size is known, and Write writes it.
type Packer struct {
	header Layout
	// The edges in order: source << 32 | destination << 16 | code of the weight,
	// and with coding Floats the weights beside them.
	edges, spare          []uint64
	weights, spareWeights []float32
	wide, spareWide       []float64 // instead, where weights are wide
	dictionary            Dictionary
	blocks                []block
	lent                  bool // edges are the caller's
}

// block is the content of a block.
type block struct {
	begin uint32 // first edge
	width uint8
}

// Sorted takes the edges of a side in their order: the i-th leads from vertex
// nbr[i] to local vertex slot[i] and weighs weight.At(i); weight is empty on a graph
// without weights. It keeps none of the slices.
func (p *Packer) Sorted(h shard.Header, nbr []uint32, slot []uint16, weight shard.Plane) error {
	if err := p.begin(h, len(nbr), weight); err != nil {
		return err
	}
	p.edges = sized(p.edges, len(nbr))
	for i, u := range nbr {
		p.edges[i] = uint64(u)<<32 | uint64(slot[i])<<16
	}
	p.take(weight)
	return p.plan()
}

// take takes the weights of the edges.
func (p *Packer) take(weight shard.Plane) {
	if p.header.Coding == Floats {
		p.weights, p.wide = append(p.weights[:0], weight.Narrow...), append(p.wide[:0], weight.Wide...)
		return
	}
	for i, w := range weight.Narrow {
		p.edges[i] |= p.dictionary.Code(w)
	}
}

// Keys takes the edges of a side without weights in their order, as source << 32 |
// destination << 16. The slice is the caller's again after Write.
func (p *Packer) Keys(h shard.Header, edges []uint64) error {
	if err := p.begin(h, len(edges), shard.Plane{}); err != nil {
		return err
	}
	p.edges, p.lent = edges, true
	return p.plan()
}

// begin notes whose edges come.
func (p *Packer) begin(h shard.Header, edges int, weight shard.Plane) error {
	if h.Vertices < 1 || h.Vertices > MaxVertices || edges > math.MaxInt32 {
		return fmt.Errorf("%w: %d vertices and %d edges do not fit into a packed shard", shard.ErrInvalid, h.Vertices, edges)
	}
	if p.lent {
		p.edges, p.lent = nil, false
	}
	h.Edges = uint32(edges)
	p.header = Layout{Header: h, Bits: destinationBits(h.Vertices)}
	p.dictionary.List = p.dictionary.List[:0]
	if h.Weighted && !h.Wide && edges > 0 {
		p.header.Coding = p.dictionary.Make(weight.Narrow, (edges+BlockSlots-1)&^(BlockSlots-1))
		p.header.Entries = len(p.dictionary.List)
	}
	return nil
}

// Size returns the number of bytes that Write fills.
func (p *Packer) Size() int64 { return p.header.Size() }

// plan cuts the edges into blocks and chooses their widths.
func (p *Packer) plan() error {
	h := &p.header
	p.blocks = p.blocks[:0]
	h.Units = 0
	perSlot := uint64(h.Bits)
	if h.Weighted {
		perSlot += 8 * uint64(h.CodeBytes())
	}
	for at := 0; at < len(p.edges); {
		next := p.edges[at:min(at+BlockSlots, len(p.edges))]
		lengths, ok := gaps(next, uint32(h.Vertices))
		if !ok {
			return fmt.Errorf("%w: from edge %d on, edges are unsorted or lead outside the shard", shard.ErrInvalid, at)
		}
		w := lengths.cheapest(perSlot)
		p.blocks = append(p.blocks, block{uint32(at), uint8(w)})
		at += fits(next, w, lengths.longest())
		h.Units += w + h.Bits
		if h.Units >= maxUnits {
			return fmt.Errorf("%w: %d edges are too many for one packed shard", shard.ErrInvalid, len(p.edges))
		}
	}
	h.Blocks = len(p.blocks)
	return nil
}

// lengths counts gaps by their number of bits.
type lengths [33]uint32

// gaps counts the gaps between the sources of edges, and reports whether they are
// in order and lead to one of the vertices. The gap before the first is the
// head's.
func gaps(edges []uint64, vertices uint32) (l lengths, ok bool) {
	var odd lengths // so that equal lengths do not wait for each other
	last := edges[0]
	wrong := uint32(last)>>16 >= vertices
	l[0]++
	i := 1
	for ; i+1 < len(edges); i += 2 {
		a, b := edges[i], edges[i+1]
		wrong = wrong || a>>16 < last>>16 || b>>16 < a>>16 || uint32(a)>>16 >= vertices || uint32(b)>>16 >= vertices
		l[bits.Len32(uint32(a>>32-last>>32))]++
		odd[bits.Len32(uint32(b>>32-a>>32))]++
		last = b
	}
	for ; i < len(edges); i++ {
		a := edges[i]
		wrong = wrong || a>>16 < last>>16 || uint32(a)>>16 >= vertices
		l[bits.Len32(uint32(a>>32-last>>32))]++
	}
	for i := range l {
		l[i] += odd[i]
	}
	return l, !wrong
}

// longest returns the length of the longest gap.
func (l *lengths) longest() int {
	n := len(l) - 1
	for l[n] == 0 {
		n--
	}
	return n
}

// cheapest estimates which width takes the least space, with perSlot bits a slot besides the delta. Gaps of n bits
// are on average 3/4 · 2ⁿ.
func (l *lengths) cheapest(perSlot uint64) int {
	var slots uint64
	for _, n := range l {
		slots += uint64(n)
	}
	longest := l.longest()
	best := atLeast(longest)
	least := slots * (uint64(best) + perSlot)
	for w := best - 1; w > 0; w-- {
		if !allowed(w) {
			continue
		}
		total := slots
		for n := w + 1; n <= longest; n++ {
			total += uint64(l[n]) * (3 << n >> 2) / (1<<w - 1)
		}
		if cost := total * (uint64(w) + perSlot); cost < least {
			best, least = w, cost
		} else if total > 2*slots {
			break
		}
	}
	return best
}

// fits returns the number of the edges for which a block of a width has slots.
func fits(edges []uint64, w, longest int) int {
	if longest <= w {
		return len(edges)
	}
	slots := 1
	for i := 1; i < len(edges); i++ {
		slots += 1 + dummies(uint32(edges[i]>>32-edges[i-1]>>32), w)
		if slots > BlockSlots {
			return i
		}
	}
	return len(edges)
}

// dummies returns the number of dummies for a gap in a width.
func dummies(gap uint32, w int) int {
	if most := uint32(1<<w - 1); gap > most {
		return int((gap - 1) / most)
	}
	return 0
}

// Write fills blob, which must have the exact Size, and gives its checksum.
func (p *Packer) Write(blob []byte) uint32 {
	h := &p.header
	h.put(blob)
	heads, data, _, _ := h.sections()
	body := blob[shard.HeaderBytes:]
	clear(body[8*len(p.blocks) : heads])
	body = body[heads:]
	var slots slots
	unit := 0
	for i, b := range p.blocks {
		end := uint32(len(p.edges))
		if i+1 < len(p.blocks) {
			end = p.blocks[i+1].begin
		}
		edges := p.edges[b.begin:end]
		slots.fill(edges, int(b.width), uint16(h.Vertices))
		head := blob[shard.HeaderBytes+8*i:]
		binary.LittleEndian.PutUint32(head, uint32(edges[0]>>32))
		binary.LittleEndian.PutUint32(head[4:], uint32(unit)<<6|uint32(b.width))
		slots.put(body[align*unit:], uint(b.width), uint(h.Bits))
		unit += int(b.width) + h.Bits
	}
	clear(body[data:])
	if h.Weighted {
		p.putWeights(blob)
	}
	return h.seal(blob)
}

// slots are the slots of a block.
type slots struct {
	delta [BlockSlots]uint32
	dst   [BlockSlots]uint16
}

// fill puts edges and dummies into the slots.
func (s *slots) fill(edges []uint64, w int, dummy uint16) {
	most := uint32(uint64(1)<<w - 1)
	k := 0
	last := edges[0] >> 32
	for _, e := range edges {
		gap := uint32(e>>32 - last)
		last = e >> 32
		for ; gap > most; gap -= most {
			s.delta[k&255], s.dst[k&255] = most, dummy
			k++
		}
		s.delta[k&255], s.dst[k&255] = gap, uint16(e>>16)
		k++
	}
	for ; k < BlockSlots; k++ {
		s.delta[k], s.dst[k] = 0, dummy
	}
}

// put packs the slots, 32 Groups of 8: deltas, then destinations. It writes zeros
// past the end.
func (s *slots) put(to []byte, w, b uint) {
	at := uint(0)
	for g := 0; g < BlockSlots; g += GroupSlots {
		d := s.delta[g:][:GroupSlots]
		if w <= 16 {
			put8(to[at:], w, pack4(w, d[0], d[1], d[2], d[3]), pack4(w, d[4], d[5], d[6], d[7]))
		} else {
			for i, x := range d { // a width of 20, 24 or 32: 4 bits at most are shared
				o := uint(i) * w
				old := uint64(to[at+o/8]) & (1<<(o%8) - 1)
				binary.LittleEndian.PutUint64(to[at+o/8:], old|uint64(x)<<(o%8))
			}
		}
		at += w
		x := s.dst[g:][:GroupSlots]
		put8(to[at:], b, pack4(b, uint32(x[0]), uint32(x[1]), uint32(x[2]), uint32(x[3])),
			pack4(b, uint32(x[4]), uint32(x[5]), uint32(x[6]), uint32(x[7])))
		at += b
	}
}

// pack4 puts four numbers of w bits into 64.
func pack4(w uint, a, b, c, d uint32) uint64 {
	w &= 31
	return uint64(a) | uint64(b)<<w | uint64(c)<<(2*w&63) | uint64(d)<<(3*w&63)
}

// put8 writes two packed fours of w bits each, and zeros up to 16 bytes.
func put8(to []byte, w uint, lo, hi uint64) {
	le := binary.LittleEndian
	le.PutUint64(to, lo|hi<<(4*w))
	le.PutUint64(to[8:], hi>>(64-4*w))
}

// sized returns a slice of n elements, with whatever they contain.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
