package packed

import "unsafe"

// aheadBytes is how far before the block in hand bytes are fetched: about four blocks. What
// stays in memory is read once an iteration, a part of a side in each window, and lies in
// pages of 4 KiB that the processor's own prefetching does not cross.
const aheadBytes = 2048

// fetchAhead has the processor bring some bytes to its cache, as many as a block has.
func (s *Side) fetchAhead(block int) {
	h := s.Heads[block]
	if at := align*h.unit() + aheadBytes; at < len(s.data) {
		prefetch(unsafe.Pointer(&s.data[at]), align*uintptr(h.Width()+s.Layout.Bits))
	}
}
