package packedrows

import "encoding/binary"

// AppendRun appends run i to a list, as far as the list's capacity, and reports whether
// there was room for it. Of rows in drop, the lowest bit for the run's first, at most one
// neighbour remains, from which the next row counts. What was appended can be used in the
// place of the run, but for the dropped rows, and edges before others.
func (s *Side) AppendRun(to []byte, i int, drop uint8) ([]byte, bool) {
	at, end := s.bounds(i)
	begin, first := len(to), i*RunVertices
	base := s.base(first)
	for v := first; drop != 0 && v < min(first+RunVertices, s.header.Vertices); v++ {
		r := s.head(at, base)
		next := s.rowEnd(r)
		if drop&1 == 0 || r.degree < 2 {
			if len(to)+next-at > cap(to) {
				return to[:begin], false
			}
			to = append(to, s.data[at:next]...)
		} else {
			var stub [1 + binary.MaxVarintLen64]byte
			stub[0] = 1 // edge
			distance := r.first - base
			n := 1 + binary.PutUvarint(stub[1:], uint64(distance<<1)^uint64(distance>>63))
			if len(to)+n > cap(to) {
				return to[:begin], false
			}
			to = append(to, stub[:n]...)
		}
		drop >>= 1
		at, base = next, r.first
	}
	if len(to)+end-at > cap(to) {
		return to[:begin], false
	}
	return append(to, s.data[at:end]...), true
}
