package packedrows

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
)

// walk goes through all rows, and proves that they fill the data, begin where the
// index says and have as many edges as the header. It notes the largest neighbour and
// the largest code of a weight. Gaps cannot be negative, so that they need only be added
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
	if s.header.Weighted {
		codes := at
		if at += int(r.degree) * s.coding.Bytes(); at > s.end {
			return at, false
		}
		s.walkCodes(s.data[codes:at])
	}
	return at, r.degree < long || uint64(at-begin) == bytes
}

// walkCodes notes the largest code.
func (s *Side) walkCodes(codes []byte) {
	le := binary.LittleEndian
	for ; len(codes) > 0; codes = codes[s.coding.Bytes():] {
		c := uint32(codes[0])
		switch s.coding {
		case packed.Words:
			c = uint32(le.Uint16(codes))
		case packed.Floats:
			if c = le.Uint32(codes); c == 1<<31 { // -0 is sound
				c = 0
			}
		}
		s.code = max(s.code, c)
	}
}

// CheckValues looks at what Decode has noted: that neighbours exist in a graph of n
// vertices, that codes are in the dictionary, and that weights are finite and not
// negative.
func (s *Side) CheckValues(n uint32) error {
	if s.header.Edges == 0 {
		return nil
	}
	if s.last >= uint64(n) {
		return fmt.Errorf("%w: a vertex has neighbour %d, the graph has %d vertices", shard.ErrInvalid, s.last, n)
	}
	switch {
	case !s.header.Weighted:
	case s.coding != packed.Floats && int(s.code) >= len(s.dictionary):
		return fmt.Errorf("%w: a weight is entry %d of a dictionary of %d", shard.ErrInvalid, s.code, len(s.dictionary))
	case s.coding == packed.Floats && s.code >= math.Float32bits(float32(math.Inf(1))):
		return fmt.Errorf("%w: weight %v is not a finite number ≥ 0", shard.ErrInvalid, math.Float32frombits(s.code))
	}
	for _, w := range s.dictionary {
		if !(w >= 0) || math.IsInf(float64(w), 1) {
			return fmt.Errorf("%w: weight %v is not a finite number ≥ 0", shard.ErrInvalid, w)
		}
	}
	return nil
}

// CheckOrder has nothing to look at: no gap is negative.
func (s *Side) CheckOrder() error { return nil }
