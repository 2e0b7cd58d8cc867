package store

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/garaph/garaph/shard"
)

// Behind the blob of a side lie the degrees of its vertices on that side: a checksum,
// and a zstd frame with a varint for each vertex.
const (
	degreesHead = 4
	frameBytes  = 32 // of a frame, beside bytes that cannot be compressed
)

// varintBytes returns the most that the degrees of a side take as varints: seven bits of one
// in a byte, and five bytes for one.
func varintBytes(vertices int, edges uint32) int64 {
	return int64(vertices) + min(int64(edges)/128, 4*int64(vertices))
}

// degreesBytes returns the most bytes that the degrees of a side use.
func degreesBytes(vertices int, edges uint32) int64 {
	return degreesHead + varintBytes(vertices, edges) + frameBytes
}

// StoredBytes returns the most bytes that a side with a blob of a size uses in the store.
func StoredBytes(blob int64, vertices int, edges uint32) int64 {
	return blob + degreesBytes(vertices, edges)
}

// compressor and decompressor of degrees, from many goroutines. Degrees repeat nothing and
// are not uniform: only their entropy is coded.
var (
	compressor = sync.OnceValue(func() *zstd.Encoder {
		z, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithAllLitEntropyCompression(true),
			zstd.WithEncoderCRC(false), zstd.WithWindowSize(64<<10), zstd.WithLowerEncoderMem(true)) // no option can fail
		return z
	})
	decompressor = sync.OnceValue(func() *zstd.Decoder {
		z, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true),
			zstd.WithDecodeAllCapLimit(true)) // no option can fail
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
	return s.DegreesInto(nil, dir, i)
}

// DegreesInto is [Store.Degrees] into a buffer, where that has room for them.
func (s *Store) DegreesInto(buffer []uint32, dir shard.Direction, i int) (degrees []uint32, err error) {
	if degrees, err = s.degrees(buffer, dir, i); err != nil {
		return nil, s.ShardError(dir, i, err)
	}
	return degrees, nil
}

// degreesBuffers are pairs of buffers, of compressed bytes and of decompressed ones.
var degreesBuffers = sync.Pool{New: func() any { return new([2][]byte) }}

func (s *Store) degrees(buffer []uint32, dir shard.Direction, i int) ([]uint32, error) {
	info := &s.cat.Shards[i]
	if s.cat.Stored(dir) == shard.InRows {
		dir = shard.In
	}
	e, _ := s.cat.side(dir, i)
	bytes := degreesBuffers.Get().(*[2][]byte)
	defer degreesBuffers.Put(bytes)
	n := int(info.degrees[s.cat.Stored(dir)])
	bytes[0] = slices.Grow(bytes[0][:0], n)
	b := bytes[0][:n]
	if err := s.payload.read(Extent{e.end(), int64(len(b))}, b); err != nil {
		return nil, err
	}
	most := int(varintBytes(info.Vertices, s.cat.SideEdges(dir, i)))
	bytes[1] = slices.Grow(bytes[1][:0], most)
	buffer = slices.Grow(buffer[:0], info.Vertices)[:info.Vertices]
	return buffer, openDegrees(buffer, b, bytes[1][:0:most], s.cat.SideEdges(dir, i))
}

// openDegrees decodes the bytes of the payload, by way of a buffer whose capacity is the most
// that it may be.
func openDegrees(degrees []uint32, b, buffer []byte, edges uint32) error {
	stored := binary.LittleEndian.Uint32(b)
	b = b[degreesHead:]
	if got := shard.Checksum(b); got != stored {
		return fmt.Errorf("%w: degrees: stored checksum %08x, computed %08x", ErrDamaged, stored, got)
	}
	b, err := decompressor().DecodeAll(b, buffer)
	if err != nil {
		return fmt.Errorf("%w: degrees: %w", ErrDamaged, err)
	}
	sum := uint64(0)
	for v := 0; v < len(degrees); v++ {
		if v, b, sum = smallDegrees(degrees, b, v, sum); v == len(degrees) {
			break
		}
		d, n := binary.Uvarint(b)
		if n <= 0 || d > 1<<32-1 {
			return fmt.Errorf("%w: the degrees end at vertex %d of the shard", ErrDamaged, v)
		}
		degrees[v], sum, b = uint32(d), sum+d, b[n:]
	}
	if len(b) > 0 || sum != uint64(edges) {
		return fmt.Errorf("%w: the degrees add up to %d, with %d bytes left, of %d edges", ErrDamaged, sum, len(b), edges)
	}
	return nil
}

// smallDegrees decodes degrees from the v-th on while eight in a row have one byte each. It
// returns where they end, the bytes behind them, and their sum.
func smallDegrees(degrees []uint32, b []byte, v int, sum uint64) (int, []byte, uint64) {
	for v+8 <= len(degrees) && len(b) >= 8 {
		x := binary.LittleEndian.Uint64(b)
		if x&0x8080808080808080 != 0 {
			break
		}
		to := degrees[v : v+8 : v+8]
		for i := range to {
			to[i] = uint32(x >> (8 * i) & 0xff)
		}
		const pairs = 0x00ff00ff00ff00ff
		sum += (x&pairs + x>>8&pairs) * 0x0001000100010001 >> 48
		v, b = v+8, b[8:]
	}
	return v, b, sum
}

// checkDegrees compares the degrees that are stored beside a side with its edges.
func checkDegrees(s *Store, dir shard.Direction, i int, side shard.Side) error {
	stored, err := s.Degrees(dir, i)
	if err != nil {
		return err
	}
	found := make([]uint32, len(stored))
	side.Degrees(found)
	for v := range found {
		if found[v] != stored[v] {
			err := fmt.Errorf("%w: vertex %d has %d edges, the degrees say %d", ErrDamaged, int(side.Header().First)+v,
				found[v], stored[v])
			return s.ShardError(dir, i, err)
		}
	}
	return nil
}
