package packed

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/garaph/garaph/shard"
)

// Check looks at what checksums cannot see and loops rely on: that sources ascend
// and exist in a graph of n vertices, that destinations are at most Vertices and as
// many below it as there are edges, that codes are in the dictionary, and that
// weights are finite and not negative. It is called for every blob that is read.
// Sources are only added up, several at once, as gaps cannot be negative: that and
// the same for destinations takes half of the time of decoding (BenchmarkCheck).
func (s *Side) Check(n uint32) error {
	dst := newLimit(uint(s.Bits), 2, uint64(s.Vertices))
	edges, last := 0, uint64(0)
	at := unsafe.Pointer(unsafe.SliceData(s.data))
	for i, head := range s.Heads {
		w := uint(head.Width())
		source := uint64(head.Source)
		if source < last {
			return fmt.Errorf("%w: block %d begins with source %d, after %d", shard.ErrInvalid, i, source, last)
		}
		last = source + gapSum(at, w, uint(s.Bits))
		if last >= uint64(n) {
			return fmt.Errorf("%w: block %d has source %d, the graph has %d vertices", shard.ErrInvalid, i, last, n)
		}
		below, ok := dst.countBlock(unsafe.Add(at, w), w)
		if !ok {
			return fmt.Errorf("%w: block %d has a destination above %d", shard.ErrInvalid, i, s.Vertices)
		}
		edges += below
		at = unsafe.Add(at, groups*(w+uint(s.Bits)))
	}
	if uint32(edges) != s.Edges {
		return fmt.Errorf("%w: there are %d edges, the header says %d", shard.ErrInvalid, edges, s.Edges)
	}
	return s.checkWeights()
}

// checkWeights looks at dictionary and codes.
func (s *Side) checkWeights() error {
	weights := s.Dictionary
	switch {
	case s.codes == nil:
		return nil
	case s.Coding == Floats:
		weights = view[float32](s.codes, len(s.codes)/4)
	default:
		// Their number is a multiple of 256, so that words have no rest.
		b := 8 * uint(s.Coding.bytes())
		code := newLimit(b, 32/b, uint64(s.Entries-1))
		var above uint64
		at := unsafe.Pointer(&s.codes[0])
		for i := uint(0); i < uint(len(s.codes)); i += 8 {
			above |= code.above(load(at, i))
		}
		if above != 0 {
			return fmt.Errorf("%w: a weight is not in the dictionary of %d", shard.ErrInvalid, s.Entries)
		}
	}
	return (&shard.Side{Off: []uint32{0}, Weight: weights}).CheckValues(0)
}

// gapSum adds the deltas of a block, whose width is w. Every second one is added
// in a lane of twice its width.
func gapSum(p unsafe.Pointer, w, b uint) (sum uint64) {
	switch {
	case w == 0:
	case w <= 8:
		mask := lanes(w, 4)
		var four uint64
		flush := min(uint(groups), 1<<(w-1)) - 1 // before a lane overflows
		for g := range uint(groups) {
			x := load(p, g*(w+b))
			four += x&mask + x>>w&mask
			if g&flush == flush {
				for ; four != 0; four >>= 2 * w {
					sum += four & (1<<(2*w) - 1)
				}
			}
		}
	case w <= 16:
		mask := lanes(w, 2)
		var two uint64
		for g := range uint(groups) {
			at := g * (w + b)
			x, y := load(p, at), load(p, at+w/2)>>(4*w&7)
			two += x&mask + x>>w&mask + y&mask + y>>w&mask
		}
		sum = two&(1<<(2*w)-1) + two>>(2*w)
	default:
		for g := range uint(groups) {
			for i := range uint(groupSlots) {
				sum += delta(unsafe.Add(p, g*(w+b)), w, i)
			}
		}
	}
	return sum
}

// delta is the i-th of a group.
func delta(p unsafe.Pointer, w, i uint) uint64 {
	return load(p, i*w/8) >> (i * w & 7) & (1<<w - 1)
}

// lanes has w ones in each of n lanes of 2w bits.
func lanes(w, n uint) (mask uint64) {
	for i := range n {
		mask |= (1<<w - 1) << (2 * w * i)
	}
	return mask
}

// limit compares packed numbers of b bits with one: what is added to each in a lane
// of 2b bits carries into bit b where the number is above it.
type limit struct {
	b           uint
	mask        uint64 // b ones in each lane
	add, addOne uint64 // addOne carries where a number is equal too
	carries     uint64
}

// newLimit compares 2n numbers at once.
func newLimit(b, n uint, most uint64) limit {
	l := limit{b: b, mask: lanes(b, n)}
	one := l.mask / (1<<b - 1)
	l.add = one * (1<<b - 1 - most)
	l.addOne = l.add + one
	l.carries = one << b
	return l
}

// above is not 0 if one of the numbers of x is.
func (l *limit) above(x uint64) uint64 {
	return ((x&l.mask + l.add) | (x>>l.b&l.mask + l.add)) & l.carries
}

// notBelow is how many of the numbers of x are not.
func (l *limit) notBelow(x uint64) int {
	return bits.OnesCount64((x&l.mask+l.addOne)&l.carries | (x>>l.b&l.mask+l.addOne)&l.carries>>1)
}

// countBlock counts the destinations below the limit in a block whose first ones
// stand at p, and reports whether none is above it.
func (l *limit) countBlock(p unsafe.Pointer, w uint) (below int, ok bool) {
	var above uint64
	below = BlockSlots
	for g := range uint(groups) {
		at := g * (w + l.b)
		x, y := load(p, at), load(p, at+l.b/2)
		above |= l.above(x) | l.above(y)
		below -= l.notBelow(x) + l.notBelow(y)
	}
	return below, above == 0
}
