package packed

import (
	"iter"
	"slices"
	"sync"
	"unsafe"

	"github.com/garaph/garaph/shard"
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
	buffer []float32 // weights of the block in hand, but wide ones
}

// Range returns the blocks from from to to, for one goroutine to go through once.
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
	if b.at >= b.end {
		return false
	}
	b.side.fetchAhead(b.at)
	return true
}

// Width returns the number of bits of the block's deltas.
func (b *Blocks) Width() uint { return uint(b.side.Heads[b.at].Width()) }

// Wide is 1 if destinations have 16 bits and 0 if they have 14.
func (b *Blocks) Wide() uint { return uint(b.side.Layout.Bits-14) / 2 }

// First returns the first vertex of the shard, Vertices how many there are.
func (b *Blocks) First() uint32 { return b.side.Layout.First }

// Vertices returns the number of vertices of the shard, and the destination of dummies.
func (b *Blocks) Vertices() int { return b.side.Layout.Vertices }

// Block returns the first group of the block in hand, and the source of its first slot.
func (b *Blocks) Block() (Group, uint32) {
	h := b.side.Heads[b.at]
	return Group{unsafe.Pointer(&b.side.data[align*h.unit()])}, h.Source
}

// ones are the weights of a block without weights.
var ones = slices.Repeat([]float32{1}, BlockSlots)

// WideWeights reports whether weights are wide: those of edges are then in All alone.
func (b *Blocks) WideWeights() bool { return b.side.Layout.Wide }

// Weights returns the weights of the slots of the block in hand, which are
// overwritten by those of the next one. They are not wide.
func (b *Blocks) Weights() []float32 {
	s, from := b.side, b.at*BlockSlots
	switch {
	case !s.Layout.Weighted:
		return ones
	case s.Layout.Coding == Floats:
		return shard.View[float32](s.codes, int64(4*from), BlockSlots)
	case b.buffer == nil:
		b.buffer = make([]float32, BlockSlots)
	}
	if s.Layout.Coding == Bytes {
		look(b.buffer, s.Dictionary, s.codes[from:])
	} else {
		look(b.buffer, s.Dictionary, shard.View[uint16](s.codes, int64(2*from), BlockSlots))
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
// vertex Dst[i] and weighs Weight[i], 1 on a graph without weights, or Wide[i], where
// weights are wide.
type Edges struct {
	Nbr    []uint32
	Dst    []uint16
	Weight []float32
	Wide   []float64
}

// At returns the weight of edge i.
func (e *Edges) At(i int) float64 {
	if e.Wide != nil {
		return e.Wide[i]
	}
	return float64(e.Weight[i])
}

// All returns the edges of all blocks: see [Blocks.All].
func (s *Side) All() iter.Seq[Edges] {
	return func(yield func(Edges) bool) { s.Range(0, len(s.Heads)).All()(yield) }
}

// All returns the edges, a block at a time and without dummies. What it yields is
// overwritten by the next.
func (b *Blocks) All() iter.Seq[Edges] { return b.edges((*Blocks).plane) }

// plane returns the weights of the block in hand.
func (b *Blocks) plane() shard.Plane {
	if b.side.Layout.Wide {
		return shard.Plane{Wide: shard.View[float64](b.side.codes, int64(8*b.at*BlockSlots), BlockSlots)}
	}
	return shard.Plane{Narrow: b.Weights()}
}

// Unweighted returns the edges as All does, each with weight 1: weights are not looked up.
func (b *Blocks) Unweighted() iter.Seq[Edges] {
	return b.edges(func(*Blocks) shard.Plane { return shard.Plane{Narrow: ones} })
}

func (b *Blocks) edges(weights func(*Blocks) shard.Plane) iter.Seq[Edges] {
	return func(yield func(Edges) bool) {
		d := unpackedPool.Get().(*unpacked)
		defer unpackedPool.Put(d)
		for b.Next() {
			weight := weights(b)
			g, u := b.Block()
			most := unpackers[b.Wide()][b.Width()](g, u, d)
			n := BlockSlots
			if int(most) == b.side.Layout.Vertices {
				n, weight = d.compact(most, weight)
			}
			weight = weight.Slice(0, n)
			if !yield(Edges{d.nbr[:n], d.dst[:n], weight.Narrow, weight.Wide}) {
				return
			}
		}
	}
}

// Slots returns the slots of a block at a time: the sources and the destinations, of which
// that of dummies is Vertices. What it yields is overwritten by the next.
func (b *Blocks) Slots() iter.Seq2[*[BlockSlots]uint32, *[BlockSlots]uint16] {
	return func(yield func(*[BlockSlots]uint32, *[BlockSlots]uint16) bool) {
		d := unpackedPool.Get().(*unpacked)
		defer unpackedPool.Put(d)
		for b.Next() {
			g, u := b.Block()
			unpackers[b.Wide()][b.Width()](g, u, d)
			if !yield(&d.nbr, &d.dst) {
				return
			}
		}
	}
}

// unpacked is a block without its packing.
type unpacked struct {
	nbr    [BlockSlots]uint32
	dst    [BlockSlots]uint16
	weight [BlockSlots]float32 // for compact
	wide   [BlockSlots]float64 // the same
}

// unpackedPool spares small shards an allocation each.
var unpackedPool = sync.Pool{New: func() any { return new(unpacked) }}

// unpack unpacks the block that begins with a group and a source, dummies included, and
// returns the largest destination. Each slot has lines of its own, so that its shifts are
// constants.
func unpack[W Width, D Destination](g Group, u uint32, to *unpacked) (most uint16) {
	w, d := Bits[W](), Bits[D]()
	for k := 0; k < BlockSlots; k += GroupSlots {
		nbr, dst := (*[GroupSlots]uint32)(to.nbr[k:]), (*[GroupSlots]uint16)(to.dst[k:])
		u += g.Delta(w, 0)
		nbr[0], dst[0] = u, g.Slot(w, d, 0)
		u += g.Delta(w, 1)
		nbr[1], dst[1] = u, g.Slot(w, d, 1)
		u += g.Delta(w, 2)
		nbr[2], dst[2] = u, g.Slot(w, d, 2)
		u += g.Delta(w, 3)
		nbr[3], dst[3] = u, g.Slot(w, d, 3)
		u += g.Delta(w, 4)
		nbr[4], dst[4] = u, g.Slot(w, d, 4)
		u += g.Delta(w, 5)
		nbr[5], dst[5] = u, g.Slot(w, d, 5)
		u += g.Delta(w, 6)
		nbr[6], dst[6] = u, g.Slot(w, d, 6)
		u += g.Delta(w, 7)
		nbr[7], dst[7] = u, g.Slot(w, d, 7)
		most = max(most, dst[0], dst[1], dst[2], dst[3], dst[4], dst[5], dst[6], dst[7])
		g = g.Next(w, d)
	}
	return most
}

// unpackers are unpack for each width of destinations and of deltas.
var unpackers = [2][MaxWidth + 1]func(Group, uint32, *unpacked) uint16{
	{
		0: unpack[W0, D14], 1: unpack[W1, D14], 2: unpack[W2, D14], 3: unpack[W3, D14], 4: unpack[W4, D14], 5: unpack[W5,
			D14],
		6: unpack[W6, D14], 7: unpack[W7, D14], 8: unpack[W8, D14], 9: unpack[W9, D14], 10: unpack[W10,
			D14], 12: unpack[W12, D14],
		14: unpack[W14, D14], 16: unpack[W16, D14], 20: unpack[W20, D14], 24: unpack[W24, D14], 32: unpack[W32, D14],
	},
	{
		0: unpack[W0, D16], 1: unpack[W1, D16], 2: unpack[W2, D16], 3: unpack[W3, D16], 4: unpack[W4, D16], 5: unpack[W5,
			D16],
		6: unpack[W6, D16], 7: unpack[W7, D16], 8: unpack[W8, D16], 9: unpack[W9, D16], 10: unpack[W10,
			D16], 12: unpack[W12, D16],
		14: unpack[W14, D16], 16: unpack[W16, D16], 20: unpack[W20, D16], 24: unpack[W24, D16], 32: unpack[W32, D16],
	},
}

// compact leaves out the slots whose destination is dummy, and returns how many are left
// and their weights.
func (d *unpacked) compact(dummy uint16, weight shard.Plane) (n int, weights shard.Plane) {
	if weight.Wide != nil {
		return compact(d, &d.wide, dummy, weight.Wide), shard.Plane{Wide: d.wide[:]}
	}
	return compact(d, &d.weight, dummy, weight.Narrow), shard.Plane{Narrow: d.weight[:]}
}

func compact[W float32 | float64](d *unpacked, weights *[BlockSlots]W, dummy uint16, weight []W) (n int) {
	for k, to := range d.dst {
		d.nbr[n&255], d.dst[n&255], weights[n&255] = d.nbr[k], to, weight[k]
		if to != dummy {
			n++
		}
	}
	return n
}
