package packedrows

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
)

// Pack writes the rows of a side packed to the beginning of a buffer, which has
// [MostBytes] and 4-byte alignment, and returns the side there. Weights are left out.
func Pack(s *rows.Side, buffer []byte) (*Side, error) {
	h := layout{Header: shard.Header{Dir: s.Dir, Index: s.Index, First: s.First, Vertices: s.Vertices(),
		Edges: s.Edges(), Flags: summed | narrow}}
	if need := MostBytes(h.Vertices, h.Edges); need == math.MaxUint32 || int64(len(buffer)) < need {
		return nil, fmt.Errorf("%w: %d edges do not fit into %d bytes of packed rows", shard.ErrInvalid, h.Edges, len(buffer))
	}
	w := writer{b: buffer, at: shard.HeaderBytes + h.sections()[0]}
	begin, base := w.at, uint32(0)
	begins := make([]uint32, 0, Runs(h.Vertices))
	for v := range h.Vertices {
		if v%RunVertices == 0 {
			begins = append(begins, uint32(w.at-begin))
			base = s.First + uint32(v)
		}
		list := s.Row(v, nil)
		w.row(base, list)
		if len(list) > 0 {
			base = list[0]
		}
	}
	if w.gaps < 0 {
		return nil, fmt.Errorf("%w: neighbours are not in order", shard.ErrInvalid)
	}
	h.bytes = w.at - begin
	if !nearby(begins) {
		h.Flags &^= narrow
	}
	blob := buffer[:h.size()]
	at := shard.HeaderBytes + h.sections()[0]
	copy(blob[at:], buffer[begin:w.at]) // to elsewhere if the index is not narrow
	clear(blob[at+h.bytes:])
	clear(blob[shard.HeaderBytes:at])
	side := h.windows(blob)
	side.index.put(begins)
	for i := range side.sums {
		side.sums[i] = shard.Checksum(side.run(i))
	}
	h.seal(blob)
	side.header = h.Header
	return side, nil
}

// writer appends rows. It may write zeros behind them.
type writer struct {
	b    []byte
	at   int
	gaps int64 // all of them, as bits: negative where neighbours are not in order
}

func (w *writer) varint(x uint64) { w.at += binary.PutUvarint(w.b[w.at:], x) }

// row writes a row that counts from a vertex.
func (w *writer) row(base uint32, list []uint32) {
	n := len(list)
	if n == 0 {
		w.b[w.at] = 0
		w.at++
		return
	}
	head := w.at
	w.at++
	if n >= short {
		w.varint(uint64(n - short))
	}
	distance := int64(list[0]) - int64(base)
	w.varint(uint64(distance<<1) ^ uint64(distance>>63))
	// How long the row is will be known at its end: it comes here first.
	begin := w.at
	rest := (n - 1) % group
	w.b[head] = byte(min(n, short)) | byte(min(w.group(list[:1+rest], 31), 31))<<3
	for i := 1 + rest; i < n; i += group {
		width := &w.b[w.at]
		w.at++
		*width = byte(w.group(list[i-1:i+group], 33))
	}
	if n >= long {
		var length [binary.MaxVarintLen64]byte
		k := binary.PutUvarint(length[:], uint64(w.at-begin))
		copy(w.b[begin+k:], w.b[begin:w.at])
		copy(w.b[begin:], length[:k])
		w.at += k
	}
}

// group writes the gaps between at most 9 numbers, in as many bits as they need, or 32
// from a width on, and returns the width.
func (w *writer) group(list []uint32, wide int) (width int) {
	var gaps [group]int64
	all := int64(0)
	for i := 1; i < len(list); i++ {
		gaps[i-1] = int64(list[i]) - int64(list[i-1])
		all |= gaps[i-1]
	}
	w.gaps |= all
	if width = min(bits.Len64(uint64(all)), 32); width >= wide {
		width = 32
	}
	to := w.b[w.at:]
	le := binary.LittleEndian
	if k := width & 31; width <= 16 {
		lo := uint64(gaps[0] | gaps[1]<<k | gaps[2]<<(2*k) | gaps[3]<<(3*k&63))
		hi := uint64(gaps[4] | gaps[5]<<k | gaps[6]<<(2*k) | gaps[7]<<(3*k&63))
		le.PutUint64(to, lo|hi<<(4*k&127))
		le.PutUint64(to[8:], hi>>(64-4*k))
	} else {
		for i, x := range gaps[:len(list)-1] {
			o := i * width
			le.PutUint64(to[o/8:], le.Uint64(to[o/8:])&(1<<(o%8)-1)|uint64(x)<<(o%8))
		}
	}
	w.at += ((len(list)-1)*width + 7) / 8
	return width
}
