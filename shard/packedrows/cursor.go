package packedrows

import (
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"github.com/garaph/garaph/shard"
)

// Open is [Decode] without a look at the rows: its checksums and its index are checked.
// [Side.Heads] checks where rows begin, and a [Cursor] each row as it reads it. That is less work
// where few rows are read to their ends.
func Open(blob []byte) (*Side, error) {
	s, err := open(blob)
	if err != nil {
		return nil, err
	}
	return s, s.checkIndex()
}

// None stands for the first neighbour of a vertex without neighbours.
const None = math.MaxUint32

// Heads is an index of all rows of a side: by vertex, its first neighbour, or [None], and where its row begins.
type Heads struct{ First, Begin []uint32 }

// Heads fills an index, of a graph of n vertices. It checks the heads of all rows, and that the rows fill the side.
func (s *Side) Heads(x Heads, n uint32) error {
	firsts, begins := x.First[:s.header.Vertices], x.Begin[:s.header.Vertices]
	at, base, edges := 0, int64(0), uint64(0)
	for v := range firsts {
		if v&(RunVertices-1) == 0 {
			if begin := s.begin(v >> runShift); begin != at {
				return fmt.Errorf("%w: the row of vertex %d begins at %d, the index says %d", shard.ErrInvalid, v, at, begin)
			}
			base = s.base(v)
		}
		if at >= s.end {
			return fmt.Errorf("%w: the row of vertex %d begins at %d, and the rows end at %d", shard.ErrInvalid, v, at, s.end)
		}
		r := s.head(at, base)
		firsts[v], begins[v] = None, uint32(at)
		if r.degree > 0 {
			firsts[v] = uint32(r.first)
			if !s.sound(r) {
				return s.contradicts(v, r)
			}
			if r.first >= int64(n) {
				return beyond(uint64(r.first), n)
			}
		} else if r.width != 0 {
			return s.contradicts(v, r)
		}
		end, ok := s.skip(r)
		if !ok {
			return s.contradicts(v, r)
		}
		at, base = end, r.first
		edges += r.degree
	}
	if at != s.end || edges != uint64(s.header.Edges) {
		return fmt.Errorf("%w: the rows have %d edges and end at %d, the header says %d and %d",
			shard.ErrInvalid, edges, at, s.header.Edges, s.end)
	}
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

// Cursor reads rows of a side, by the index that [Side.Heads] has filled.
type Cursor struct {
	Heads
	side    *Side
	n       uint32 // vertices of the graph
	rest    *[shard.MaxVertices]uint16
	touched byte // of rows that are only loaded: no load may be left out
}

// Reset begins to read a side of a graph of n vertices.
func (c *Cursor) Reset(s *Side, x Heads, n uint32) {
	c.Heads, c.side, c.n = x, s, n
	if c.rest == nil {
		c.rest = new([shard.MaxVertices]uint16)
	}
}

// find reads the head of the row of local vertex v, but for its first neighbour, which the index has.
func (c *Cursor) find(v int) row {
	s, at := c.side, int(c.Begin[v])
	b := uint(s.data[at])
	at++
	degree, width := uint64(b&7), b>>3
	if degree == 0 {
		return row{0, width, None, at}
	}
	width += width / 31
	if degree == short {
		var x uint64
		x, at = s.varint(at)
		degree += x
	}
	last := ^load(unsafe.Pointer(&s.data[at]), 0) & 0x80808080_80808080 // the last byte of a varint is below 0x80
	return row{degree, width, int64(c.First[v]), at + min(bits.TrailingZeros64(last)/8+1, 5)}
}

// Seconds puts the second neighbours of local vertices into a list, from vertex v on: the only one where there is no
// second, and [None] where there is none.
func (c *Cursor) Seconds(v int, list []uint32) (err error) {
	for _, at := range c.Begin[v : v+len(list)] { // all of them come from memory side by side
		c.touched += c.side.data[at]
	}
	for i := range list {
		if list[i], err = c.second(v + i); err != nil {
			return err
		}
	}
	return nil
}

// second returns an item of Seconds.
func (c *Cursor) second(v int) (uint32, error) {
	if c.First[v] == None {
		return None, nil
	}
	s, r := c.side, c.find(v)
	if r.degree == 1 {
		return c.First[v], nil
	}
	_, at := s.gaps(r)
	width := r.width
	if r.rest() == 0 && at < s.end {
		width = uint(s.data[at])
		at++
	}
	if at > s.end || width > 32 {
		return None, s.contradicts(v, r)
	}
	u := uint64(r.first) + uint64(gap(unsafe.Pointer(&s.data[at]), width, 0))
	if u >= uint64(c.n) {
		return None, beyond(u, c.n)
	}
	return uint32(u), nil
}

// Row appends the neighbours of local vertex v to a list.
func (c *Cursor) Row(v int, list []uint32) ([]uint32, error) {
	if c.First[v] == None {
		return list, nil
	}
	s, r := c.side, c.find(v)
	end, last, ok := s.walkGaps(r)
	switch {
	case !ok || end > s.end:
		return list, s.contradicts(v, r)
	case last >= uint64(c.n):
		return list, beyond(last, c.n)
	}
	from, n := len(list), len(list)+int(r.degree)
	if cap(list) < n+group {
		list = append(make([]uint32, 0, n+n/2+group), list...)
	}
	list = list[:n+group]
	s.unpack(r, list[from:])
	return list[:n], nil
}

// together is the number of rows that come from memory side by side: a search ends where the processor cannot
// guess, and would begin to load the next row only then.
const together = 64

// Find puts the first neighbour that is in a set into nbr for each vertex of a list, or [None], and returns how many
// neighbours it has looked at. v in the list stands for local vertex from+v. Neighbours behind the first one in the
// set are not checked.
func (c *Cursor) Find(from int, list []uint16, set []uint64, nbr []uint32) (looked int, err error) {
	rest, k := c.rest[:len(list)], 0
	for _, v := range list {
		u := c.First[from+int(v)]
		nbr[v], rest[k] = u, v
		k++
		k -= int(in(set, uint64(u)))
	}
	looked = len(list) - k
	for rest = rest[:k]; len(rest) > 0; rest = rest[min(together, len(rest)):] {
		part := rest[:min(together, len(rest))]
		for _, v := range part {
			c.touched += c.side.data[c.Begin[from+int(v)]]
		}
		for _, v := range part {
			if nbr[v] == None {
				continue
			}
			u, n, err := c.findBehind(from+int(v), set)
			if err != nil {
				return 0, err
			}
			nbr[v] = u
			looked += n
		}
	}
	return looked, nil
}

// findBehind returns the first neighbour behind the very first one of local vertex v that is in a set, or None, and
// how many it has looked at.
func (c *Cursor) findBehind(v int, set []uint64) (u uint32, looked int, err error) {
	s, r := c.side, c.find(v)
	_, at := s.gaps(r)
	if at > s.end {
		return 0, 0, s.contradicts(v, r)
	}
	sum, n := uint64(r.first), uint(1)
	if rest := r.rest(); rest > 0 {
		k, last := firstOf(unsafe.Pointer(&s.data[at]), r.width, rest, sum, set)
		if k < rest {
			return uint32(last), int(k) + 2, nil
		}
		sum, n = last, n+rest
		at += int(rest*r.width+7) / 8
	}
	for ; n < uint(r.degree); n += group {
		if at >= s.end || s.data[at] > 32 {
			return 0, 0, s.contradicts(v, r)
		}
		w := uint(s.data[at])
		k, last := firstOf(unsafe.Pointer(&s.data[at+1]), w, group, sum, set)
		if k < group {
			return uint32(last), int(n + k + 1), nil
		}
		sum = last
		at += 1 + int(w)
	}
	switch {
	case at > s.end:
		return 0, 0, s.contradicts(v, r)
	case sum >= uint64(c.n):
		return 0, 0, beyond(sum, c.n)
	}
	return None, int(n), nil
}

// firstOf returns the first of n gaps of w bits, n at most 8, that leads to a member of a set,
// from the neighbour before them, and that member; n and the last neighbour if there is none.
func firstOf(p unsafe.Pointer, w, n uint, sum uint64, set []uint64) (k uint, u uint64) {
	mask := uint64(1)<<(w&63) - 1
	for at, x := uint(0), load(p, 0); k < n; k++ {
		if w > 8 { // fewer than 8 are in a word
			x = load(p, at>>3) >> (at & 7)
			at += w
		}
		sum += x & mask
		x >>= w & 63
		if in(set, sum) != 0 {
			return k, sum
		}
	}
	return n, sum
}

// in is 1 if a set has a vertex, and otherwise 0; those that it has no bits for are not in it.
func in(set []uint64, u uint64) uint64 {
	if w := u >> 6; w < uint64(len(set)) {
		return set[w] >> (u & 63) & 1
	}
	return 0
}
