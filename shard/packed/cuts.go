package packed

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/garaph/garaph/shard"
)

// Cuts say in which blocks of a side the sources of some intervals are, one interval behind
// another, so that the edges of one can be read from a stored blob without the rest.
type Cuts struct {
	layout Layout
	from   []uint32 // for each bound, the first block whose first source is not below it
}

// Cuts looks for the intervals between bounds, which ascend.
func (s *Side) Cuts(bounds []uint32) Cuts {
	c := Cuts{s.Layout, make([]uint32, len(bounds))}
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
	return c
}

// cutBlocks is how many blocks are read at once.
const cutBlocks = 128

// CutReader reads the edges of intervals, for one goroutine. Its zero value is ready.
type CutReader struct {
	heads [cutBlocks]Head
	data  [cutBlocks*Groups*(MaxWidth+16) + align]byte
	unpacked
}

// Interval reads interval k of a side and calls f with its edges, some at a time, and with
// some of the intervals beside it. read reads bytes of the blob, from at on.
func (r *CutReader) Interval(c *Cuts, k int, read func(at int64, to []byte) error, f func(nbr []uint32, dst []uint16) error) error {
	h := &c.layout
	// The block before may end with sources of the interval.
	for from, end := max(1, int(c.from[k]))-1, int(c.from[k+1]); from < end; {
		heads := r.heads[:min(end-from, cutBlocks)]
		if err := read(shard.HeaderBytes+8*int64(from), unsafe.Slice((*byte)(unsafe.Pointer(&heads[0])), 8*len(heads))); err != nil {
			return err
		}
		data, err := h.span(heads)
		if err != nil {
			return err
		}
		bytes := r.data[:align*data+align] // a unit more: loops read past the end
		if err := read(h.Places().Data+align*int64(heads[0].unit()), bytes); err != nil {
			return err
		}
		part := Side{Layout: *h, Heads: heads, data: bytes}
		if err := r.blocks(&part, f); err != nil {
			return err
		}
		from += len(heads)
	}
	return nil
}

// span is how many units the data of blocks take, which have passed no check since they were
// written: they lie one after another, and within the side.
func (h *Layout) span(heads []Head) (units int, err error) {
	for i, head := range heads {
		if !allowed(head.Width()) || head.unit() != heads[0].unit()+units {
			return 0, fmt.Errorf("%w: block %d has width %d and begins at unit %d", shard.ErrInvalid, i, head.Width(), head.unit())
		}
		units += head.Width() + h.Bits
	}
	if heads[0].unit()+units > h.Units {
		return 0, fmt.Errorf("%w: blocks end at unit %d of %d", shard.ErrInvalid, heads[0].unit()+units, h.Units)
	}
	return units, nil
}

func (r *CutReader) blocks(part *Side, f func(nbr []uint32, dst []uint16) error) error {
	at := unsafe.Pointer(&part.data[0])
	wide := (part.Bits - 14) / 2
	for _, head := range part.Heads {
		most := unpackers[wide][head.Width()](Group{at}, head.Source, &r.unpacked)
		at = unsafe.Add(at, Groups*(head.Width()+part.Bits))
		n := BlockSlots
		switch {
		case int(most) > part.Vertices:
			return fmt.Errorf("%w: destination %d of %d", shard.ErrInvalid, most, part.Vertices)
		case int(most) == part.Vertices:
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
