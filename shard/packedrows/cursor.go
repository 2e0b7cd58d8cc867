package packedrows

import (
	"fmt"
	"unsafe"

	"github.com/garaph/garaph/shard"
)

// Open is [Decode] without a look at the rows: its checksums and its index are checked. A
// [Cursor] reads the rows, and checks each as it comes to it. That is less work where few
// rows are read to their ends.
func Open(blob []byte) (*Side, error) {
	h, err := shard.DecodeHeader(blob)
	if err != nil {
		return nil, err
	}
	s, err := open(blob, h)
	if err != nil {
		return nil, err
	}
	return s, s.checkIndex()
}

// Cursor reads rows of a side that [Open] gave. It goes on from the row that it has read
// last, if that is nearer than the index. Goroutines have one each.
type Cursor struct {
	side *Side
	n    uint32 // vertices of the graph
	v    int    // the vertex that row is of; if -1, none
	row  row
}

// Reset begins to read another side, of a graph of n vertices.
func (c *Cursor) Reset(s *Side, n uint32) { *c = Cursor{side: s, n: n, v: -1} }

// find goes to the head of the row of local vertex v.
func (c *Cursor) find(v int) error {
	s := c.side
	if c.v == v {
		return nil
	}
	if from := v &^ (RunVertices - 1); c.v < from || c.v > v {
		if err := c.enter(from, s.begin(v>>runShift), s.base(from)); err != nil {
			return err
		}
	}
	for c.v < v {
		end, ok := s.skip(c.row)
		if !ok {
			return s.contradicts(c.v, c.row)
		}
		if err := c.enter(c.v+1, end, c.row.first); err != nil {
			return err
		}
	}
	return nil
}

// enter reads the head of the row of local vertex v, which begins at a place and counts from
// a vertex.
func (c *Cursor) enter(v, at int, base int64) error {
	s := c.side
	c.v = -1
	if at >= s.end {
		return fmt.Errorf("%w: the row of vertex %d begins at %d, and the rows end at %d", shard.ErrInvalid, v, at, s.end)
	}
	r := s.head(at, base)
	if r.degree > 0 && !s.sound(r) || r.degree == 0 && r.width != 0 {
		return s.contradicts(v, r)
	}
	c.v, c.row = v, r
	return nil
}

// skip is rowEnd of a row whose head is sound, and of which nothing else was looked at.
func (s *Side) skip(r row) (end int, ok bool) {
	switch {
	case r.degree == 0:
		return r.at, true
	case r.degree >= long:
		bytes, at := s.varint(r.at)
		end = at + int(bytes)
		return end, end <= s.end
	}
	at := r.at + int(r.rest()*r.width+7)/8
	for range (r.degree - 1) / group {
		if at >= s.end {
			return at, false
		}
		at += 1 + int(s.data[at])
	}
	return at, at <= s.end
}

// Row returns the neighbours of local vertex v, in the memory of a list if that has room.
func (c *Cursor) Row(v int, list []uint32) ([]uint32, error) {
	if err := c.find(v); err != nil {
		return nil, err
	}
	s, r := c.side, c.row
	end, last, ok := s.walkGaps(r)
	switch {
	case !ok || end > s.end:
		return nil, s.contradicts(v, r)
	case r.degree > 0 && last >= uint64(c.n):
		return nil, beyond(last, c.n)
	}
	n := int(r.degree)
	if cap(list) < n+group {
		list = make([]uint32, n+n/2+group)
	}
	list = list[:n+group]
	s.unpack(r, list)
	return list[:n], nil
}

// First returns the first neighbour of local vertex v that is in a set, and how many it has
// looked at. Those behind it are not checked. If none is in the set, all were looked at.
func (c *Cursor) First(v int, set []uint64) (u uint32, looked int, found bool, err error) {
	if err := c.find(v); err != nil {
		return 0, 0, false, err
	}
	s, r := c.side, c.row
	if r.degree == 0 {
		return 0, 0, false, nil
	}
	if u = uint32(r.first); in(set, u) {
		return u, 1, true, nil
	}
	_, at := s.gaps(r)
	if at > s.end {
		return 0, 0, false, s.contradicts(v, r)
	}
	sum, n := uint64(u), uint(1)
	if rest := r.rest(); rest > 0 {
		k, last := firstOf(unsafe.Pointer(&s.data[at]), r.width, rest, sum, set)
		if k < rest {
			return uint32(last), int(k) + 2, true, nil
		}
		sum, n = last, n+rest
		at += int(rest*r.width+7) / 8
	}
	for ; n < uint(r.degree); n += group {
		if at >= s.end || s.data[at] > 32 {
			return 0, 0, false, s.contradicts(v, r)
		}
		w := uint(s.data[at])
		k, last := firstOf(unsafe.Pointer(&s.data[at+1]), w, group, sum, set)
		if k < group {
			return uint32(last), int(n + k + 1), true, nil
		}
		sum = last
		at += 1 + int(w)
	}
	switch {
	case at > s.end:
		return 0, 0, false, s.contradicts(v, r)
	case sum >= uint64(c.n):
		return 0, 0, false, beyond(sum, c.n)
	}
	return 0, int(n), false, nil
}

// firstOf returns the first of n gaps of w bits, n at most 8, that leads to a member of a set,
// from the neighbour before them, and that member; n and the last neighbour if there is none.
func firstOf(p unsafe.Pointer, w, n uint, sum uint64, set []uint64) (k uint, u uint64) {
	if w > 8 {
		for k = range n {
			sum += uint64(gap(p, w, k))
			if sum < 1<<32 && in(set, uint32(sum)) {
				return k, sum
			}
		}
		return n, sum
	}
	mask := uint64(1)<<w - 1
	for x := load(p, 0); k < n; k++ {
		sum += x & mask
		x >>= w & 63
		if sum < 1<<32 && in(set, uint32(sum)) {
			return k, sum
		}
	}
	return n, sum
}

// in reports whether a set has a vertex; those that it has no bits for are not in it.
func in(set []uint64, u uint32) bool {
	w := int(u >> 6)
	return w < len(set) && set[w]>>(u&63)&1 != 0
}
