package packed

import (
	"iter"
	"slices"
	"unsafe"
)

const (
	// Groups is the number of groups of a block.
	Groups = 32
	// GroupSlots is the number of slots of a group.
	GroupSlots = 8
	// BlockSlots is the number of slots of a block.
	BlockSlots = Groups * GroupSlots
)

// Blocks go through some blocks of a side that has been checked.
type Blocks struct {
	side   *Side
	at     int // block in hand
	end    int
	buffer []float32 // weights of the block in hand
}

// Range gives the blocks from from to to, for one goroutine to go through once.
func (s *Side) Range(from, to int) *Blocks {
	b := &Blocks{}
	b.Reset(s, from, to)
	return b
}

// Reset makes b go through the blocks from from to to of a side.
func (b *Blocks) Reset(s *Side, from, to int) { b.side, b.at, b.end = s, from-1, to }

// Next goes on to the next block, and reports whether there is one.
func (b *Blocks) Next() bool {
	b.at++
	return b.at < b.end
}

// Width is the number of bits of the block's deltas.
func (b *Blocks) Width() uint { return uint(b.side.Heads[b.at].Width()) }

// Wide is 1 if destinations have 16 bits and 0 if they have 14.
func (b *Blocks) Wide() uint { return uint(b.side.Bits-14) / 2 }

// First is the first vertex of the shard, Vertices how many there are.
func (b *Blocks) First() uint32 { return b.side.First }

// Vertices is the number of vertices of the shard, and the destination of dummies.
func (b *Blocks) Vertices() int { return b.side.Vertices }

// Block gives the first group of the block in hand, and the source of its first slot.
func (b *Blocks) Block() (Group, uint32) {
	h := b.side.Heads[b.at]
	return Group{unsafe.Pointer(&b.side.data[align*h.unit()])}, h.Source
}

// ones are the weights of a block without weights.
var ones = slices.Repeat([]float32{1}, BlockSlots)

// Weights gives the weights of the slots of the block in hand, which are
// overwritten by those of the next one.
func (b *Blocks) Weights() []float32 {
	s, from := b.side, b.at*BlockSlots
	switch {
	case !s.Weighted:
		return ones
	case s.Coding == Floats:
		return view[float32](s.codes[4*from:], BlockSlots)
	case b.buffer == nil:
		b.buffer = make([]float32, BlockSlots)
	}
	if s.Coding == Bytes {
		look(b.buffer, s.Dictionary, s.codes[from:])
	} else {
		look(b.buffer, s.Dictionary, view[uint16](s.codes[2*from:], BlockSlots))
	}
	return b.buffer
}

// look looks up the codes of a block.
func look[C uint8 | uint16](to, dictionary []float32, codes []C) {
	to, codes = to[:BlockSlots], codes[:BlockSlots]
	for i := 0; i < BlockSlots; i += 4 {
		four, out := codes[i:i+4:i+4], to[i:i+4:i+4]
		out[0], out[1], out[2], out[3] = dictionary[four[0]], dictionary[four[1]], dictionary[four[2]], dictionary[four[3]]
	}
}

// Edges are edges in their order: the i-th leads from vertex Nbr[i] to local
// vertex Slot[i] and weighs Weight[i], 1 on a graph without weights.
type Edges struct {
	Nbr    []uint32
	Slot   []uint16
	Weight []float32
}

// All gives the edges of all blocks: see [Blocks.All].
func (s *Side) All() iter.Seq[Edges] {
	return func(yield func(Edges) bool) { s.Range(0, len(s.Heads)).All()(yield) }
}

// All gives the edges, a block at a time and without dummies. What it yields is
// overwritten by the next.
func (b *Blocks) All() iter.Seq[Edges] {
	return func(yield func(Edges) bool) {
		var nbr [BlockSlots]uint32
		var slot [BlockSlots]uint16
		var weight [BlockSlots]float32
		for b.Next() {
			weights := b.Weights()
			w, d := b.Width(), uint(b.side.Bits)
			g, u := b.Block()
			n := 0
			for k := range BlockSlots {
				i := uint(k) % GroupSlots
				u += g.Delta(w, i)
				// A dummy is overwritten by the next.
				to := g.Slot(w, d, i)
				nbr[n&255], slot[n&255], weight[n&255] = u, to, weights[k]
				if int(to) < b.side.Vertices {
					n++
				}
				if i == GroupSlots-1 {
					g = g.Next(w, d)
				}
			}
			if !yield(Edges{nbr[:n], slot[:n], weight[:n]}) {
				return
			}
		}
	}
}
