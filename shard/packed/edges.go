package packed

import (
	"iter"
	"unsafe"
)

// Edges are edges in their order: the i-th leads from vertex Nbr[i] to local
// vertex Slot[i]. Weight is nil on a graph without weights.
type Edges struct {
	Nbr    []uint32
	Slot   []uint16
	Weight []float32
}

// All gives the edges, a block at a time and without dummies. What it yields is
// overwritten by the next. The side has been checked.
func (s *Side) All() iter.Seq[Edges] {
	return func(yield func(Edges) bool) {
		e := Edges{Nbr: make([]uint32, BlockSlots), Slot: make([]uint16, BlockSlots)}
		if s.Weighted {
			e.Weight = make([]float32, BlockSlots)
		}
		for i := range s.Heads {
			n := s.decode(i, e)
			some := Edges{Nbr: e.Nbr[:n], Slot: e.Slot[:n]}
			if s.Weighted {
				some.Weight = e.Weight[:n]
			}
			if !yield(some) {
				return
			}
		}
	}
}

// decode writes the edges of a block, and gives their number. There is room for
// 256 of them.
func (s *Side) decode(i int, to Edges) (n int) {
	nbr, slot := to.Nbr[:BlockSlots], to.Slot[:BlockSlots]
	head := s.Heads[i]
	w, b, u := uint(head.Width()), uint(s.Bits), head.Source
	at := unsafe.Pointer(&s.data[align*head.unit()])
	for k := range BlockSlots {
		j := uint(k) % groupSlots
		u += uint32(delta(at, w, j))
		d := uint16(delta(unsafe.Add(at, w), b, j))
		nbr[n], slot[n] = u, d
		if int(d) < s.Vertices {
			if to.Weight != nil {
				to.Weight[n] = s.weight(i*BlockSlots + k)
			}
			n++
		}
		if j == groupSlots-1 {
			at = unsafe.Add(at, w+b)
		}
	}
	return n
}

// weight is that of a slot.
func (s *Side) weight(slot int) float32 {
	switch s.Coding {
	case Bytes:
		return s.Dictionary[s.codes[slot]]
	case Words:
		return s.Dictionary[view[uint16](s.codes, len(s.codes)/2)[slot]]
	}
	return view[float32](s.codes, len(s.codes)/4)[slot]
}
