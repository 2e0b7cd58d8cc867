package packed

import (
	"fmt"
	"iter"
	"slices"
	"unsafe"

	"github.com/garaph/garaph/shard"
)

// Cuts say in which blocks of a side the sources of some intervals are, one interval behind
// another, so that the edges of one can be read from a stored blob without the rest. The blob's
// own checksum covers all of it: each interval has one of its blocks.
type Cuts struct {
	layout Layout
	from   []uint32 // for each bound, the first block whose first source is not below it
	sums   []uint32 // for each interval, of its heads and data as they are read
}

// Cuts looks for the intervals between bounds, which ascend.
func (s *Side) Cuts(bounds []uint32) Cuts {
	c := Cuts{layout: s.Layout, from: make([]uint32, len(bounds))}
	at := 0
	for i, bound := range bounds {
		k, _ := slices.BinarySearchFunc(s.Heads[at:], bound, func(h Head, bound uint32) int {
			if h.Source < bound {
				return -1
			}
			return 1
		})
		at += k
		c.from[i] = uint32(at)
	}
	for k := range len(bounds) - 1 {
		sum := uint32(0)
		for heads := range c.some(k) {
			first, last := s.Heads[heads.from], s.Heads[heads.to-1]
			data := s.data[align*first.unit() : align*(last.unit()+last.Width()+s.Layout.Bits)]
			sum = shard.AddChecksum(shard.AddChecksum(sum, headBytes(s.Heads[heads.from:heads.to])), data)
		}
		c.sums = append(c.sums, sum)
	}
	return c
}

// span is blocks of a side, from from to to.
type span struct{ from, to int }

// some returns the blocks of interval k, as many at once as are read.
func (c *Cuts) some(k int) iter.Seq[span] {
	return func(yield func(span) bool) {
		// The block before may end with sources of the interval.
		for from, end := max(1, int(c.from[k]))-1, int(c.from[k+1]); from < end; from += cutBlocks {
			if !yield(span{from, min(from+cutBlocks, end)}) {
				return
			}
		}
	}
}

// headBytes returns the bytes of heads as they are stored.
func headBytes(heads []Head) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(heads))), 8*len(heads))
}

// cutBlocks is the number of blocks that are read at once.
const cutBlocks = 128

// CutReader reads the edges of intervals, for one goroutine. Its zero value is ready.
type CutReader struct {
	heads [cutBlocks]Head
	data  [cutBlocks*Groups*(MaxWidth+16) + align]byte
	unpacked
}

// Interval reads interval k of a side and calls f with its edges, some at a time, and with
// some of the intervals beside it. read reads bytes of the blob, from at on. Whether they are
// those that were stored is known at the end: after an error the edges mean nothing.
func (r *CutReader) Interval(c *Cuts, k int, read func(at int64, to []byte) error,
	f func(nbr []uint32, dst []uint16) error) error {
	h := &c.layout
	sum := uint32(0)
	for some := range c.some(k) {
		heads := r.heads[:some.to-some.from]
		if err := read(shard.HeaderBytes+8*int64(some.from), headBytes(heads)); err != nil {
			return err
		}
		data, err := h.units(heads, heads[0].unit())
		if err != nil {
			return err
		}
		bytes := r.data[:align*data+align] // a unit more: loops read past the end
		if err := read(h.Places().Data+align*int64(heads[0].unit()), bytes); err != nil {
			return err
		}
		sum = shard.AddChecksum(shard.AddChecksum(sum, headBytes(heads)), bytes[:align*data])
		part := Side{Layout: *h, Heads: heads, data: bytes}
		if err := r.blocks(&part, f); err != nil {
			return err
		}
	}
	if sum != c.sums[k] {
		return fmt.Errorf("%w: blocks from %d on have checksum %08x, and had %08x when they were stored", shard.ErrChecksum,
			max(1, c.from[k])-1, sum, c.sums[k])
	}
	return nil
}

// units returns the size of the data of blocks, which have passed no check since they were
// written: they lie one after another from a unit on, and within the side.
func (h *Layout) units(heads []Head, from int) (units int, err error) {
	for i, head := range heads {
		if !allowed(head.Width()) || head.unit() != from+units {
			return 0, fmt.Errorf("%w: block %d has width %d and begins at unit %d, not %d", shard.ErrInvalid, i, head.Width(),
				head.unit(), from+units)
		}
		units += head.Width() + h.Bits
	}
	if from+units > h.Units {
		return 0, fmt.Errorf("%w: blocks end at unit %d of %d", shard.ErrInvalid, from+units, h.Units)
	}
	return units, nil
}

func (r *CutReader) blocks(part *Side, f func(nbr []uint32, dst []uint16) error) error {
	at := unsafe.Pointer(&part.data[0])
	wide := (part.Layout.Bits - 14) / 2
	for _, head := range part.Heads {
		most := unpackers[wide][head.Width()](Group{at}, head.Source, &r.unpacked)
		at = unsafe.Add(at, Groups*(head.Width()+part.Layout.Bits))
		n := BlockSlots
		switch {
		case int(most) > part.Layout.Vertices:
			return fmt.Errorf("%w: destination %d of %d", shard.ErrInvalid, most, part.Layout.Vertices)
		case int(most) == part.Layout.Vertices:
			n = r.withoutDummies(most)
		}
		if err := f(r.nbr[:n], r.dst[:n]); err != nil {
			return err
		}
	}
	return nil
}

// withoutDummies is compact without weights.
func (d *unpacked) withoutDummies(dummy uint16) (n int) {
	for k, to := range d.dst {
		d.nbr[n&255], d.dst[n&255] = d.nbr[k], to
		if to != dummy {
			n++
		}
	}
	return n
}
