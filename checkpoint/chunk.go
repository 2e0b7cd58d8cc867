package checkpoint

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
)

// A chunk is the state of consecutive vertices. The file of values has the values of all vertices, where they lie as in
// memory, then a bit for each vertex, set if it is active, and then a checksum for each chunk, of its number, values
// and bits.

// DefaultChunk is the number of vertices of a chunk.
const DefaultChunk = 1 << 16

const checksumBytes = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// buffer is for one chunk in use.
type buffer struct {
	values []byte
	bits   []byte
	active []uint64
}

// seal encodes the active vertices of chunk i, and returns the checksum of the chunk.
func (b *buffer) seal(i int) []byte {
	b.bits = b.bits[:0]
	for _, w := range b.active {
		b.bits = binary.LittleEndian.AppendUint64(b.bits, w)
	}
	sum := crc32.Update(crc32.Checksum(binary.LittleEndian.AppendUint32(nil, uint32(i)), castagnoli), castagnoli, b.values)
	return binary.LittleEndian.AppendUint32(nil, crc32.Update(sum, castagnoli, b.bits))
}

// writeChunk writes chunk i, of the vertices from one on.
func writeChunk(f chunkFile, c *commit, i int, from uint32, b *buffer) error {
	sum := b.seal(i)
	for _, part := range []struct {
		bytes []byte
		at    int64
	}{{b.values, int64(from) * int64(c.ValueBytes)}, {b.bits, c.bitsAt() + int64(from/8)}, {sum,
		c.sumsAt() + int64(i)*checksumBytes}} {
		if _, err := f.WriteAt(part.bytes, part.at); err != nil {
			return err
		}
	}
	return nil
}

// readChunk reads chunk i, of the vertices [from, to).
func readChunk(f *os.File, c *commit, i int, from, to uint32, b *buffer) error {
	b.bits = b.bits[:8*len(b.active)]
	var sum [checksumBytes]byte
	for _, part := range []struct {
		bytes []byte
		at    int64
	}{{b.values, int64(from) * int64(c.ValueBytes)}, {b.bits, c.bitsAt() + int64(from/8)}, {sum[:],
		c.sumsAt() + int64(i)*checksumBytes}} {
		if _, err := f.ReadAt(part.bytes, part.at); err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
	for k := range b.active {
		b.active[k] = binary.LittleEndian.Uint64(b.bits[8*k:])
	}
	if n := (to - from) % 64; [checksumBytes]byte(b.seal(i)) != sum || n > 0 && b.active[len(b.active)-1]>>n != 0 {
		return fmt.Errorf("%w: the values of vertices %d to %d are not those that were written", ErrDamaged, from, to-1)
	}
	return nil
}
