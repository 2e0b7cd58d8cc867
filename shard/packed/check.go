package packed

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/garaph/garaph/shard"
)

// CheckValues checks the conditions that loops rely on and checksums do not cover: that the interval lies
// in a graph of n vertices, that sources ascend and exist, that destinations are at most Vertices and as
// many below it as there are edges, that codes are in the dictionary, and that
// weights are finite and not negative. It is called for a blob that is read for the first time.
// Sources are only added up, several at once, as gaps cannot be negative: that and
// the same for destinations takes half of the time of decoding (BenchmarkCheck).
func (s *Side) CheckValues(n uint32) error {
	if err := s.CheckTables(n); err != nil {
		return err
	}
	count := countBlock[D14]
	if s.Layout.Bits == 16 {
		count = countBlock[D16]
	}
	edges, last := 0, uint64(0)
	at := unsafe.Pointer(unsafe.SliceData(s.data))
	for i, head := range s.Heads {
		w := uint(head.Width())
		source := uint64(head.Source)
		if source < last {
			return fmt.Errorf("%w: block %d begins with source %d, after %d", shard.ErrInvalid, i, source, last)
		}
		last = source + gapSum(at, w, uint(s.Layout.Bits))
		if last >= uint64(n) {
			return fmt.Errorf("%w: block %d has source %d, the graph has %d vertices", shard.ErrInvalid, i, last, n)
		}
		below, ok := count(unsafe.Add(at, w), w, uint64(s.Layout.Vertices))
		if !ok {
			return fmt.Errorf("%w: block %d has a destination above %d", shard.ErrInvalid, i, s.Layout.Vertices)
		}
		edges += below
		at = unsafe.Add(at, Groups*(w+uint(s.Layout.Bits)))
	}
	if uint32(edges) != s.Layout.Edges {
		return fmt.Errorf("%w: there are %d edges, the header says %d", shard.ErrInvalid, edges, s.Layout.Edges)
	}
	return s.checkCodes()
}

// CheckTables returns the part of CheckValues that does not grow with the edges: the interval, and the
// weights in the dictionary.
func (s *Side) CheckTables(n uint32) error {
	if uint64(s.Layout.First)+uint64(s.Layout.Vertices) > uint64(n) {
		return fmt.Errorf("%w: %d vertices from %d, the graph has %d", shard.ErrInvalid, s.Layout.Vertices, s.Layout.First, n)
	}
	return shard.Plane{Narrow: s.Dictionary}.Check()
}

// checkCodes looks whether codes are in the dictionary, or weights.
func (s *Side) checkCodes() error {
	switch {
	case len(s.codes) == 0:
		return nil
	case s.Layout.Coding == Floats:
		return s.plane().Check()
	case s.Layout.Coding == Bytes && int(slices.Max(s.codes)) >= s.Layout.Entries,
		s.Layout.Coding == Words && int(slices.Max(shard.View[uint16](s.codes, 0, len(s.codes)/2))) >= s.Layout.Entries:
		return fmt.Errorf("%w: a weight is not in the dictionary of %d", shard.ErrInvalid, s.Layout.Entries)
	}
	return nil
}

// gapSum adds the deltas of a block, whose width is w. Every second one is added
// in a lane of twice its width.
func gapSum(p unsafe.Pointer, w, b uint) (sum uint64) {
	switch {
	case w == 0:
	case w <= 3:
		plane := lanes(1, w, GroupSlots)
		for g := range uint(Groups) {
			for i := range w {
				sum += uint64(bits.OnesCount64(load(p, g*(w+b))>>i&plane)) << i
			}
		}
	case w <= 8:
		mask := lanes(w, 2*w, 4)
		var four uint64
		flush := min(uint(Groups), 1<<(w-1)) - 1 // before a lane overflows
		for g := range uint(Groups) {
			x := load(p, g*(w+b))
			four += x&mask + x>>w&mask
			if g&flush == flush {
				for ; four != 0; four >>= 2 * w {
					sum += four & (1<<(2*w) - 1)
				}
			}
		}
	case w <= 16:
		mask := lanes(w, 2*w, 2)
		var two uint64
		for g := range uint(Groups) {
			at := g * (w + b)
			x, y := load(p, at), load(p, at+w/2)>>(4*w&7)
			two += x&mask + x>>w&mask + y&mask + y>>w&mask
		}
		sum = two&(1<<(2*w)-1) + two>>(2*w)
	default:
		for g := range uint(Groups) {
			for i := range uint(GroupSlots) {
				sum += uint64(Group{unsafe.Add(p, g*(w+b))}.Delta(w, i))
			}
		}
	}
	return sum
}

// lanes returns a mask with a number of ones at the low end of each of n lanes of bits.
func lanes(ones, bits, n uint) (mask uint64) {
	for i := range n {
		mask |= (1<<ones - 1) << (bits * i)
	}
	return mask
}

// countBlock counts the destinations below vertices in a block whose first ones
// stand at p, and reports whether none is above. What is added to each in a lane of
// twice its bits carries out of it where it is too large.
func countBlock[D Destination](p unsafe.Pointer, w uint, vertices uint64) (below int, ok bool) {
	b := Bits[D]()
	one := uint64(1)<<(2*b) | 1
	mask := one * (1<<b - 1)
	above := one * (1<<b - 1 - vertices)
	var tooLarge uint64
	below = BlockSlots
	for range Groups {
		x, y := load(p, 0), load(p, b/2)
		u, v, x, y := x&mask+above, x>>b&mask+above, y&mask+above, y>>b&mask+above
		tooLarge |= u | v | x | y
		if carry := (u + one) | (v + one) | (x + one) | (y + one); carry&(one<<b) != 0 {
			for _, z := range [...]uint64{u, v, x, y} {
				below -= bits.OnesCount64((z + one) & (one << b))
			}
		}
		p = unsafe.Add(p, w+b)
	}
	return below, tooLarge&(one<<b) == 0
}
