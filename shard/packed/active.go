package packed

import "unsafe"

// Active gives the next of the blocks from i to end that may have a source whose bit
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
		last = head.Source + uint32(gapSum(unsafe.Pointer(&s.data[align*head.unit()]), uint(head.Width()), uint(s.Bits)))
	}
	for _, word := range set[head.Source>>6 : last>>6+1] {
		if word != 0 {
			return true
		}
	}
	return false
}
