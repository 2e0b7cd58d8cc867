package packed

import (
	"unsafe"

	"github.com/garaph/garaph/shard"
)

// Active returns the next of the blocks from i to end that may have a source whose bit
// is set: a program that is monotone needs no others. Blocks count as active when any
// bit of the words is set in which their sources lie. from is end when none is left.
func (s *Side) Active(i, end int, set []uint64) (from, to int) {
	for from = i; from < end && !s.active(from, set); from++ {
	}
	for to = from; to < end && s.active(to, set); to++ {
	}
	return from, to
}

// active looks at the words of a block's sources, which end at the latest where the
// next block begins.
func (s *Side) active(i int, set []uint64) bool {
	head := s.Heads[i]
	var last uint32
	if i+1 < len(s.Heads) {
		last = s.Heads[i+1].Source
	} else {
		last = head.Source + uint32(gapSum(unsafe.Pointer(&s.data[align*head.unit()]), uint(head.Width()),
			uint(s.Layout.Bits)))
	}
	for _, word := range set[head.Source>>6 : last>>6+1] {
		if word != 0 {
			return true
		}
	}
	return false
}

// Scan gives the sources of the edges that lead to wanted vertices, those of a block at a
// time.
func (s *Side) Scan(wanted *[shard.MaxVertices]bool, f func(neighbours []uint32)) {
	var (
		b    Blocks
		list [BlockSlots]uint32
	)
	for i := range s.Layout.Blocks {
		if !s.leadsTo(i, wanted) {
			continue
		}
		n := 0
		b.Reset(s, i, i+1)
		for e := range b.Unweighted() {
			for k, v := range e.Dst {
				if wanted[v] {
					list[n] = e.Nbr[k]
					n++
				}
			}
		}
		f(list[:n])
	}
}

// leadsTo reports whether an edge of block i leads to a local vertex of a set.
func (s *Side) leadsTo(i int, set *[1 << 16]bool) bool {
	w := uint(s.Heads[i].Width())
	g := Group{unsafe.Pointer(&s.data[align*s.Heads[i].unit()])}
	if s.Layout.Bits == 14 {
		return leadsTo[D14](g, w, set)
	}
	return leadsTo[D16](g, w, set)
}

func leadsTo[D Destination](g Group, w uint, set *[1 << 16]bool) bool {
	d := Bits[D]()
	for range Groups {
		// The width of sources is no constant here, which that of destinations is.
		to := Group{unsafe.Add(g.at, w)}
		if set[to.Slot(0, d, 0)] || set[to.Slot(0, d, 1)] || set[to.Slot(0, d, 2)] || set[to.Slot(0, d, 3)] ||
			set[to.Slot(0, d, 4)] || set[to.Slot(0, d, 5)] || set[to.Slot(0, d, 6)] || set[to.Slot(0, d, 7)] {
			return true
		}
		g = g.Next(w, d)
	}
	return false
}
