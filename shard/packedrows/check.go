package packedrows

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/garaph/garaph/shard"
)

// walk goes through all rows, and proves that they fill the data, begin where the
// index says and have as many edges as the header. It notes the largest neighbour. Gaps
// cannot be negative, so that they need only be added up.
func (s *Side) walk() error {
	at, base, edges := 0, int64(0), uint64(0)
	for v := range s.header.Vertices {
		if v&(RunVertices-1) == 0 {
			if begin := s.begin(v >> runShift); begin != at {
				return fmt.Errorf("%w: the row of vertex %d begins at %d, the index says %d", shard.ErrInvalid, v, at, begin)
			}
			base = s.base(v)
		}
		r, end, last, err := s.walkRow(v, at, base)
		if err != nil {
			return err
		}
		s.last = max(s.last, last)
		if edges += r.degree; edges > uint64(s.header.Edges) {
			return fmt.Errorf("%w: the row of vertex %d, of %d edges, contradicts the header", shard.ErrInvalid, v, r.degree)
		}
		at, base = end, r.first
	}
	if at != s.end || edges != uint64(s.header.Edges) {
		return fmt.Errorf("%w: the rows have %d edges and end at %d, the header says %d and %d", shard.ErrInvalid, edges,
			at, s.header.Edges, s.end)
	}
	return nil
}

// walkRow goes through the row of local vertex v, which begins at a place and counts from a
// vertex, and gives where it ends and its last neighbour.
func (s *Side) walkRow(v, at int, base int64) (r row, end int, last uint64, err error) {
	if at >= s.end {
		return r, 0, 0, fmt.Errorf("%w: the row of vertex %d begins at %d, and the rows end at %d", shard.ErrInvalid, v, at,
			s.end)
	}
	r = s.head(at, base)
	end, last, ok := s.walkGaps(r)
	if !ok || end > s.end {
		return r, 0, 0, s.contradicts(v, r)
	}
	return r, end, last, nil
}

func (s *Side) contradicts(v int, r row) error {
	return fmt.Errorf("%w: the row of vertex %d, of %d edges, contradicts itself or does not end within the rows",
		shard.ErrInvalid, v, r.degree)
}

// sound reports whether the head of a row that has edges can be one.
func (s *Side) sound(r row) bool {
	return r.degree <= uint64(s.header.Edges) && r.at <= s.end && r.first >= 0 && r.first <= math.MaxUint32
}

// walkGaps goes through the gaps behind the head of a row. It never reads more than slack
// behind the rows.
func (s *Side) walkGaps(r row) (end int, last uint64, ok bool) {
	if r.degree == 0 {
		return r.at, 0, r.width == 0
	}
	if !s.sound(r) {
		return r.at, 0, false
	}
	bytes, at := s.gaps(r)
	if at > s.end {
		return at, 0, false
	}
	begin, sum := at, uint64(r.first)
	for i := range r.rest() {
		sum += uint64(gap(unsafe.Pointer(&s.data[at]), r.width, i))
	}
	at += int(r.rest()*r.width+7) / 8
	for range (r.degree - 1) / group {
		if at >= s.end || s.data[at] > 32 {
			return at, 0, false
		}
		w := uint(s.data[at])
		sum += total(unsafe.Pointer(&s.data[at+1]), w)
		at += 1 + int(w)
	}
	return at, sum, r.degree < long || uint64(at-begin) == bytes
}

// CheckValues checks the bounds that Decode has recorded: that neighbours exist in a graph of n
// vertices.
func (s *Side) CheckValues(n uint32) error {
	if s.header.Edges > 0 && s.last >= uint64(n) {
		return beyond(s.last, n)
	}
	return nil
}

func beyond(u uint64, n uint32) error {
	return fmt.Errorf("%w: a vertex has neighbour %d, the graph has %d vertices", shard.ErrInvalid, u, n)
}

// CheckOrder compares runs with their checksums. The order needs no look: no gap is
// negative.
func (s *Side) CheckOrder() error {
	for i := range s.sums {
		if err := s.checkSum(i); err != nil {
			return err
		}
	}
	return nil
}
