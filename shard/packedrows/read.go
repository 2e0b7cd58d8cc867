package packedrows

import (
	"slices"
	"unsafe"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
)

// row is the content of the head of a row. Go keeps structs of four fields in registers.
type row struct {
	degree uint64
	width  uint  // of the gaps that do not fill a group
	first  int64 // the first neighbour; of an empty row, the base of the next one
	at     int   // behind the head: the gaps, or the bytes of a long row
}

// rest returns the number of gaps before the groups.
func (r row) rest() uint { return uint(r.degree-1) % group }

// head reads the head of the row that begins at a place, and counts from a vertex.
func (s *Side) head(at int, from int64) (r row) {
	b := uint(s.data[at])
	at++
	degree, width := uint64(b&7), b>>3
	if degree == 0 {
		return row{0, width, from, at}
	}
	width += width / 31 // 31 stands for 32
	var x uint64
	if degree == short {
		x, at = s.varint(at)
		degree += x
	}
	x, at = s.varint(at)
	return row{degree, width, from + (int64(x>>1) ^ -int64(x&1)), at}
}

// gaps returns where the gaps of a row begin, and how many bytes come from there on if it is
// long.
func (s *Side) gaps(r row) (bytes uint64, at int) {
	if r.degree < long {
		return 0, r.at
	}
	return s.varint(r.at)
}

// varint reads a number of at most 35 bits, seven in a byte.
func (s *Side) varint(at int) (x uint64, behind int) {
	if b := s.data[at]; b < 0x80 {
		return uint64(b), at + 1
	}
	return s.longVarint(at)
}

func (s *Side) longVarint(at int) (x uint64, behind int) {
	for i, b := range s.data[at : at+5] {
		x |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			return x, at + i + 1
		}
	}
	return x, at + 5
}

// rowEnd returns where the next row begins.
func (s *Side) rowEnd(r row) int {
	switch {
	case r.degree == 0:
		return r.at
	case r.degree >= long:
		bytes, at := s.varint(r.at)
		return at + int(bytes)
	}
	at := r.at + int(r.rest()*r.width+7)/8
	for range (r.degree - 1) / group {
		at += 1 + int(s.data[at])
	}
	return at
}

// base returns the base of the first row of a run: its first vertex.
func (s *Side) base(v int) int64 { return int64(s.header.First) + int64(v) }

// find reads the head of the row of local vertex v: from behind the row that was read
// last, if that is nearer than the index.
func (s *Side) find(v int, b *shard.Buffer) row {
	from := v &^ (RunVertices - 1)
	var base int64
	b.Before = 0
	if b.Vertex <= v && b.Vertex > from && b.Side == shard.Side(s) {
		from, b.From, base, b.Before = b.Vertex, b.At, int64(b.Base), b.Behind
	} else {
		b.From, base = s.begin(v>>runShift), s.base(from)
	}
	r := s.head(b.From, base)
	for ; from < v; from++ {
		b.Before += int(r.degree)
		b.From = s.rowEnd(r)
		r = s.head(b.From, r.first)
	}
	return r
}

// Row returns the neighbours of local vertex v, in the buffer: see [shard.Rows].
func (s *Side) Row(v int, b *shard.Buffer) []uint32 {
	r := s.find(v, b)
	n := int(r.degree)
	if cap(b.List) < n+group {
		b.List = make([]uint32, n+n/2+group)
	}
	list := b.List[:n+group]
	b.Side, b.Vertex, b.At, b.Base = s, v+1, s.unpack(r, list), uint32(r.first)
	b.Behind = b.Before + n
	return list[:n]
}

// unpack writes the neighbours of a row to a list that has room for a group more, and
// returns where the next row begins.
func (s *Side) unpack(r row, list []uint32) int {
	if r.degree == 0 {
		return r.at
	}
	_, at := s.gaps(r)
	last := uint32(r.first)
	list[0] = last
	n, rest := int(r.degree), r.rest()
	if rest > 0 { // the surplus is overwritten
		unpack((*[group]uint32)(list[1:]), unsafe.Pointer(&s.data[at]), r.width, last)
		last = list[rest]
		at += int(rest*r.width+7) / 8
	}
	for i := 1 + int(rest); i < n; i += group {
		w := uint(s.data[at])
		last = unpack((*[group]uint32)(list[i:]), unsafe.Pointer(&s.data[at+1]), w, last)
		at += 1 + int(w)
	}
	return at
}

// Degrees counts the edges of each vertex.
func (s *Side) Degrees(degrees []uint32) {
	at := 0
	for v := range s.header.Vertices {
		r := s.head(at, 0)
		degrees[v] = uint32(r.degree)
		at = s.rowEnd(r)
	}
}

// Unpack writes all rows as plain ones. Weights have a blob of their own.
func (s *Side) Unpack(to *rows.Side) {
	off, nbr := to.Off, to.Nbr
	var last []uint32 // of rows that would be written beyond the end
	at, base, k := 0, int64(0), 0
	for v := range s.header.Vertices {
		if v&(RunVertices-1) == 0 {
			base = s.base(v)
		}
		r := s.head(at, base)
		off[v] = uint32(k)
		end := k + int(r.degree)
		if end+group <= len(nbr) {
			at = s.unpack(r, nbr[k:end+group])
		} else {
			last = slices.Grow(last[:0], int(r.degree)+group)[:r.degree+group]
			at = s.unpack(r, last)
			copy(nbr[k:end], last)
		}
		k, base = end, r.first
	}
	off[s.header.Vertices] = uint32(k)
}
