package packedrows

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/garaph/garaph/shard"
)

// walk goes through all rows, and proves that they fill the data, begin where the
// index says and have as many edges as the header. It notes the largest neighbour. Gaps cannot be negative, so that they need only be added
// up: [BenchmarkRead] compares it with reading.
func (s *Side) walk() error {
	at, base, edges := 0, int64(0), uint64(0)
	for v := range s.header.Vertices {
		if v%stride == 0 {
			if int(s.index[v/stride]) != at {
				return fmt.Errorf("%w: the row of vertex %d begins at %d, the index says %d", shard.ErrInvalid, v, at, s.index[v/stride])
			}
			base = s.base(v)
		}
		if at >= s.end {
			return fmt.Errorf("%w: the row of vertex %d begins at %d, and the rows end at %d", shard.ErrInvalid, v, at, s.end)
		}
		r := s.head(at, base)
		end, ok := s.walkRow(r)
		if edges += r.degree; !ok || end > s.end || edges > uint64(s.header.Edges) {
			return fmt.Errorf("%w: the row of vertex %d, of %d edges, contradicts itself or does not end within the rows", shard.ErrInvalid, v, r.degree)
		}
		at, base = end, r.first
	}
	if at != s.end || edges != uint64(s.header.Edges) {
		return fmt.Errorf("%w: the rows have %d edges and end at %d, the header says %d and %d", shard.ErrInvalid, edges, at, s.header.Edges, s.end)
	}
	return nil
}

// walkRow goes through one row and gives where it ends. Nowhere it reads more than slack
// behind the rows.
func (s *Side) walkRow(r row) (end int, ok bool) {
	if r.degree == 0 {
		return r.at, r.width == 0
	}
	if r.degree > uint64(s.header.Edges) || r.at > s.end || r.first < 0 || r.first > math.MaxUint32 {
		return r.at, false
	}
	bytes, at := s.gaps(r)
	if at > s.end {
		return at, false
	}
	begin, sum := at, uint64(r.first)
	for i := range r.rest() {
		sum += uint64(gap(unsafe.Pointer(&s.data[at]), r.width, i))
	}
	at += int(r.rest()*r.width+7) / 8
	for range (r.degree - 1) / group {
		if at >= s.end || s.data[at] > 32 {
			return at, false
		}
		w := uint(s.data[at])
		sum += total(unsafe.Pointer(&s.data[at+1]), w)
		at += 1 + int(w)
	}
	s.last = max(s.last, sum)
	return at, r.degree < long || uint64(at-begin) == bytes
}

// CheckValues looks at what Decode has noted: that neighbours exist in a graph of n
// vertices.
func (s *Side) CheckValues(n uint32) error {
	if s.header.Edges > 0 && s.last >= uint64(n) {
		return fmt.Errorf("%w: a vertex has neighbour %d, the graph has %d vertices", shard.ErrInvalid, s.last, n)
	}
	return nil
}

// CheckOrder has nothing to look at: no gap is negative.
func (s *Side) CheckOrder() error { return nil }
