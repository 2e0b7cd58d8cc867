package checkpoint

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/RoaringBitmap/roaring/v2"
)

// A chunk is the state of consecutive vertices. Their values are a part of the
// epoch's file of values, where they lie as in memory. Its record in Badger is the
// active ones among them, as a roaring bitmap counted from the first, and a
// checksum of key, values and bitmap.

// DefaultChunk is the number of vertices of a chunk, one container of a roaring
// bitmap.
const DefaultChunk = 1 << 16

const checksumBytes = 4

// maxActiveBytes is the most that the bitmap of a chunk of DefaultChunk vertices
// takes: a container of bits, and headers.
const maxActiveBytes = 8<<10 + 64

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const commitKey = "commit"

func chunkKey(i int) []byte { return binary.BigEndian.AppendUint32([]byte("chunk/"), uint32(i)) }

func checksum(key, values, record []byte) uint32 {
	sum := crc32.Update(crc32.Checksum(key, castagnoli), castagnoli, values)
	return crc32.Update(sum, castagnoli, record)
}

// seal appends the checksum of key, values and b.
func seal(key, values, b []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, checksum(key, values, b))
}

// unseal returns what seal got.
func unseal(key, values, b []byte) ([]byte, error) {
	n := len(b) - checksumBytes
	if n < 0 || checksum(key, values, b[:n]) != binary.LittleEndian.Uint32(b[n:]) {
		return nil, fmt.Errorf("%w: %q is not what was written", ErrDamaged, key)
	}
	return b[:n], nil
}

// appendActive appends the bitmap of bits, whose length is a multiple of 1024
// words.
func appendActive(b []byte, bits []uint64) ([]byte, error) {
	set := roaring.FromDense(bits, true)
	set.RunOptimize()
	w := bytes.NewBuffer(b)
	_, err := set.WriteTo(w)
	return w.Bytes(), err
}

// readActive fills bits, for n vertices, from a bitmap.
func readActive(b []byte, n uint32, bits []uint64) error {
	clear(bits)
	set := roaring.New()
	read, err := set.ReadFrom(bytes.NewReader(b))
	if err == nil {
		err = set.Validate()
	}
	if err == nil && (read != int64(len(b)) || !set.IsEmpty() && set.Maximum() >= n) {
		err = fmt.Errorf("%d of %d bytes are a bitmap of %d vertices", read, len(b), n)
	}
	if err != nil {
		return fmt.Errorf("%w: the active set: %w", ErrDamaged, err)
	}
	for it := set.Iterator(); it.HasNext(); {
		v := it.Next()
		bits[v>>6] |= 1 << (v & 63)
	}
	return nil
}

// words is the length of the bits of n vertices, whole containers.
func words(n uint32) int { return int((uint64(n)+65535)/65536) * 1024 }
