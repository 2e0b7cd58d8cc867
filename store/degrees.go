package store

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
)

// Behind the blob of a side lie the degrees of its vertices on that side: a checksum,
// and a zstd frame with a varint for each vertex. Store version 2 has the varints as they
// are.
const (
	degreesHead = 4
	frameBytes  = 32 // of a frame, beside what cannot be compressed
)

// varintBytes is the most that the degrees of a side take as varints: seven bits of one
// in a byte, and five bytes for one.
func varintBytes(vertices int, edges uint32) int64 {
	return int64(vertices) + min(int64(edges)/128, 4*int64(vertices))
}

// degreesBytes is the most that the degrees of a side take.
func degreesBytes(vertices int, edges uint32) int64 {
	return degreesHead + varintBytes(vertices, edges) + frameBytes
}

// StoredBytes is the most that a side takes in the store whose blob has so many bytes.
func StoredBytes(blob int64, vertices int, edges uint32) int64 {
	return blob + degreesBytes(vertices, edges)
}

// compressor and decompressor of degrees, from many goroutines. Degrees repeat nothing and
// are not uniform: entropy is what they save.
var (
	compressor = sync.OnceValue(func() *zstd.Encoder {
		z, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithAllLitEntropyCompression(true),
			zstd.WithEncoderCRC(false), zstd.WithWindowSize(64<<10), zstd.WithLowerEncoderMem(true)) // no option can fail
		return z
	})
	decompressor = sync.OnceValue(func() *zstd.Decoder {
		z, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true), zstd.WithDecodeAllCapLimit(true)) // no option can fail
		return z
	})
)

// sealDegrees encodes the degrees of a side as they lie in the payload.
func sealDegrees(side shard.Side) []byte {
	h := side.Header()
	degrees := make([]uint32, h.Vertices)
	side.Degrees(degrees)
	varints := make([]byte, 0, varintBytes(h.Vertices, h.Edges))
	for _, d := range degrees {
		varints = binary.AppendUvarint(varints, uint64(d))
	}
	b := compressor().EncodeAll(varints, make([]byte, degreesHead, degreesBytes(h.Vertices, h.Edges)))
	binary.LittleEndian.PutUint32(b, shard.Checksum(b[degreesHead:]))
	return b
}

// Degrees reads how many edges each vertex of shard i has on a side. An error names
// graph, shard and side.
func (s *Store) Degrees(dir shard.Direction, i int) (degrees []uint32, err error) {
	if s.old != nil {
		degrees, err = s.oldDegrees(dir, i)
	} else {
		degrees, err = s.degrees(dir, i)
	}
	if err != nil {
		return nil, s.ShardError(dir, i, err)
	}
	return degrees, nil
}

func (s *Store) degrees(dir shard.Direction, i int) ([]uint32, error) {
	info := &s.cat.Shards[i]
	if s.cat.Stored(dir) == shard.InRows {
		dir = shard.In
	}
	e, _ := s.side(dir, i)
	b := make([]byte, info.degrees[s.cat.Stored(dir)])
	if err := s.payload.read(Extent{e.end(), int64(len(b))}, b); err != nil {
		return nil, err
	}
	return openDegrees(b, info.Vertices, s.cat.SideEdges(dir, i), s.version)
}

// openDegrees decodes what lies in the payload of a store version.
func openDegrees(b []byte, vertices int, edges uint32, version int) ([]uint32, error) {
	stored := binary.LittleEndian.Uint32(b)
	b = b[degreesHead:]
	if got := shard.Checksum(b); got != stored {
		return nil, fmt.Errorf("%w: degrees: stored checksum %08x, computed %08x", ErrDamaged, stored, got)
	}
	if version > 2 {
		var err error
		if b, err = decompressor().DecodeAll(b, make([]byte, 0, varintBytes(vertices, edges))); err != nil {
			return nil, fmt.Errorf("%w: degrees: %w", ErrDamaged, err)
		}
	}
	degrees, sum := make([]uint32, vertices), uint64(0)
	for v := range degrees {
		d, n := binary.Uvarint(b)
		if n <= 0 || d > 1<<32-1 {
			return nil, fmt.Errorf("%w: the degrees end at vertex %d of the shard", ErrDamaged, v)
		}
		degrees[v], sum, b = uint32(d), sum+d, b[n:]
	}
	if len(b) > 0 || sum != uint64(edges) {
		return nil, fmt.Errorf("%w: the degrees add up to %d, with %d bytes left, of %d edges", ErrDamaged, sum, len(b), edges)
	}
	return degrees, nil
}

// oldDegrees are those of a graph of store version 1: differences of offsets.
func (s *Store) oldDegrees(dir shard.Direction, i int) ([]uint32, error) {
	head := make([]byte, rows.OffsetsSize(s.cat.Shards[i].Vertices))
	if err := s.readBlob(Extent{}, shardKey(dir, i), head); err != nil {
		return nil, err
	}
	h, off, err := rows.DecodeOffsets(head)
	if err == nil {
		err = s.Matches(dir, i, h)
	}
	if err != nil {
		return nil, err
	}
	degrees := make([]uint32, len(off)-1)
	for v := range degrees {
		degrees[v] = off[v+1] - off[v]
	}
	return degrees, nil
}

// checkDegrees compares the degrees that are stored beside a side with its edges.
func (s *Store) checkDegrees(dir shard.Direction, i int, side shard.Side) error {
	stored, err := s.Degrees(dir, i)
	if err != nil {
		return err
	}
	found := make([]uint32, len(stored))
	side.Degrees(found)
	for v := range found {
		if found[v] != stored[v] {
			err := fmt.Errorf("%w: vertex %d has %d edges, the degrees say %d", ErrDamaged, int(side.Header().First)+v, found[v], stored[v])
			return s.ShardError(dir, i, err)
		}
	}
	return nil
}
