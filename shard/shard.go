// Package shard is the layout of one shard: the edges of one contiguous
// interval of vertices, as bytes that are the same on disk, in a page and on
// the bus to a device.
//
// A shard has two sides, each a blob of its own. The in side holds the in-edges
// (compressed sparse columns: sources by destination, ascending, with weights),
// the out side holds the out-neighbours (compressed sparse rows, without
// weights). docs/format-shard.md draws the bytes.
package shard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"unsafe"
)

const (
	// Version of the layout.
	Version = 1
	// HeaderBytes is the size of the header, after which the offsets begin.
	HeaderBytes = 64
	// MaxVertices keeps a destination within 16 bits inside its shard.
	MaxVertices = 1 << 16
	// DefaultVertices lets 48 KiB of shared memory hold a shard's 4-byte
	// accumulators (Garaph, section 4.2).
	DefaultVertices = 12288

	align = 16
)

var magic = [8]byte{'G', 'A', 'R', 'A', 'P', 'H', 'S', 'H'}

// Direction is the side of a shard.
type Direction uint8

// The two sides.
const (
	In  Direction = iota // sources of in-edges, by destination
	Out                  // destinations of out-edges, by source
)

func (d Direction) String() string { return [...]string{"in", "out"}[d] }

// Errors of a blob that is not a sound shard. Each is wrapped with what was
// found; the caller adds graph and shard.
var (
	ErrFormat   = errors.New("not a shard of this version")
	ErrChecksum = errors.New("checksum mismatch")
	ErrInvalid  = errors.New("contradicts itself")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Side is one side of a shard. The slices are windows into the blob.
type Side struct {
	Dir   Direction
	Index uint32 // number of the shard in its graph
	First uint32 // dense id of the first vertex of the interval
	// Off has one entry more than the interval has vertices: the neighbours of
	// vertex First+i are Nbr[Off[i]:Off[i+1]], in ascending order.
	Off []uint32
	Nbr []uint32
	// Weight goes with Nbr; nil without weights.
	Weight []float32
}

// Vertices is the length of the interval.
func (s *Side) Vertices() int { return len(s.Off) - 1 }

// Edges is the number of edges on this side.
func (s *Side) Edges() uint32 { return uint32(len(s.Nbr)) }

// Size is the number of bytes of a blob, a multiple of 16.
func Size(vertices int, edges uint32, weighted bool) int64 {
	o, n, w := sections(vertices, edges, weighted)
	return HeaderBytes + o + n + w
}

func sections(vertices int, edges uint32, weighted bool) (offsets, neighbours, weights int64) {
	offsets = pad(4 * (int64(vertices) + 1))
	neighbours = pad(4 * int64(edges))
	if weighted {
		weights = neighbours
	}
	return
}

func pad(n int64) int64 { return (n + align - 1) &^ (align - 1) }

// Layout writes the header of a shard into blob, which must have the exact Size
// and 4-byte alignment, and gives the side's arrays for the caller to fill.
// [Seal] completes the blob.
func Layout(blob []byte, dir Direction, index, first uint32, vertices int, edges uint32, weighted bool) Side {
	clear(blob[:HeaderBytes])
	copy(blob, magic[:])
	le := binary.LittleEndian
	le.PutUint16(blob[8:], Version)
	var flags uint16
	if weighted {
		flags |= 1
	}
	flags |= uint16(dir) << 1
	le.PutUint16(blob[10:], flags)
	le.PutUint32(blob[12:], index)
	le.PutUint32(blob[16:], first)
	le.PutUint32(blob[20:], uint32(vertices))
	le.PutUint32(blob[24:], edges)
	side := windows(blob, vertices, edges, weighted)
	side.Dir, side.Index, side.First = dir, index, first
	o, n, w := sections(vertices, edges, weighted)
	clear(blob[HeaderBytes+4*(vertices+1) : HeaderBytes+o])
	clear(blob[HeaderBytes+o+4*int64(edges) : HeaderBytes+o+n])
	if weighted {
		clear(blob[HeaderBytes+o+n+4*int64(edges) : HeaderBytes+o+n+w])
	}
	return side
}

// Seal computes the checksums of a filled blob. The result identifies the
// content: it covers every byte of the blob but itself.
func Seal(blob []byte) uint32 {
	le := binary.LittleEndian
	vertices, edges := int(le.Uint32(blob[20:])), le.Uint32(blob[24:])
	o, n, w := sections(vertices, edges, le.Uint16(blob[10:])&1 != 0)
	body := blob[HeaderBytes:]
	le.PutUint32(blob[32:], crc32.Checksum(body[:o], castagnoli))
	le.PutUint32(blob[36:], crc32.Checksum(body[o:o+n], castagnoli))
	le.PutUint32(blob[40:], crc32.Checksum(body[o+n:o+n+w], castagnoli))
	sum := crc32.Checksum(blob[:60], castagnoli)
	le.PutUint32(blob[60:], sum)
	return sum
}

// Header is what the first 64 bytes of a blob say.
type Header struct {
	Dir      Direction
	Index    uint32
	First    uint32
	Vertices int
	Edges    uint32
	Weighted bool
	Checksum uint32
}

// DecodeHeader checks and reads the header of a blob.
func DecodeHeader(blob []byte) (Header, error) {
	le := binary.LittleEndian
	if len(blob) < HeaderBytes {
		return Header{}, fmt.Errorf("%w: %d bytes are too few for a header", ErrFormat, len(blob))
	}
	if [8]byte(blob[:8]) != magic {
		return Header{}, fmt.Errorf("%w: it begins with %q", ErrFormat, blob[:8])
	}
	sum := le.Uint32(blob[60:])
	if got := crc32.Checksum(blob[:60], castagnoli); got != sum {
		return Header{}, fmt.Errorf("%w in the header (offset 0): stored %08x, computed %08x", ErrChecksum, sum, got)
	}
	if v := le.Uint16(blob[8:]); v != Version {
		return Header{}, fmt.Errorf("%w: version %d, this program reads version %d", ErrFormat, v, Version)
	}
	flags := le.Uint16(blob[10:])
	h := Header{
		Dir:      Direction(flags >> 1 & 1),
		Index:    le.Uint32(blob[12:]),
		First:    le.Uint32(blob[16:]),
		Vertices: int(le.Uint32(blob[20:])),
		Edges:    le.Uint32(blob[24:]),
		Weighted: flags&1 != 0,
		Checksum: sum,
	}
	if flags > 3 || h.Vertices == 0 || h.Vertices > MaxVertices || uint64(h.First)+uint64(h.Vertices) > math.MaxUint32 {
		return Header{}, fmt.Errorf("%w: flags %#x, %d vertices from %d", ErrInvalid, flags, h.Vertices, h.First)
	}
	return h, nil
}

// Decode checks every checksum of a blob and the order of its offsets, and
// gives the side. The blob must be 4-byte aligned and stay alive and unchanged
// as long as the side is used.
func Decode(blob []byte) (Side, error) {
	h, err := DecodeHeader(blob)
	if err != nil {
		return Side{}, err
	}
	if want := Size(h.Vertices, h.Edges, h.Weighted); int64(len(blob)) != want {
		return Side{}, fmt.Errorf("%w: %d bytes, the header promises %d", ErrInvalid, len(blob), want)
	}
	o, n, w := sections(h.Vertices, h.Edges, h.Weighted)
	le := binary.LittleEndian
	at := int64(HeaderBytes)
	for i, size := range [...]int64{o, n, w} {
		stored := le.Uint32(blob[32+4*i:])
		if got := crc32.Checksum(blob[at:at+size], castagnoli); got != stored {
			name := [...]string{"offsets", "neighbours", "weights"}[i]
			return Side{}, fmt.Errorf("%w in the %s (offset %d): stored %08x, computed %08x", ErrChecksum, name, at, stored, got)
		}
		at += size
	}
	s := windows(blob, h.Vertices, h.Edges, h.Weighted)
	s.Dir, s.Index, s.First = h.Dir, h.Index, h.First
	return s, checkOffsets(s.Off, h.Edges)
}

// OffsetsSize is how many bytes from the beginning of a blob [DecodeOffsets]
// needs.
func OffsetsSize(vertices int) int64 {
	o, _, _ := sections(vertices, 0, false)
	return HeaderBytes + o
}

// DecodeOffsets checks and reads header and offsets alone, without touching the
// rest of the blob; the neighbours of the result are nil. Same alignment as
// [Decode].
func DecodeOffsets(blob []byte) (Side, error) {
	h, err := DecodeHeader(blob)
	if err != nil {
		return Side{}, err
	}
	size := OffsetsSize(h.Vertices)
	if int64(len(blob)) < size {
		return Side{}, fmt.Errorf("%w: %d bytes, the offsets alone take %d", ErrInvalid, len(blob), size)
	}
	stored := binary.LittleEndian.Uint32(blob[32:])
	if got := crc32.Checksum(blob[HeaderBytes:size], castagnoli); got != stored {
		return Side{}, fmt.Errorf("%w in the offsets (offset %d): stored %08x, computed %08x", ErrChecksum, HeaderBytes, stored, got)
	}
	s := Side{Dir: h.Dir, Index: h.Index, First: h.First, Off: view[uint32](blob, HeaderBytes, h.Vertices+1)}
	return s, checkOffsets(s.Off, h.Edges)
}

func checkOffsets(off []uint32, edges uint32) error {
	if off[0] != 0 || off[len(off)-1] != edges {
		return fmt.Errorf("%w: offsets run from %d to %d, there are %d edges", ErrInvalid, off[0], off[len(off)-1], edges)
	}
	for i := 1; i < len(off); i++ {
		if off[i] < off[i-1] {
			return fmt.Errorf("%w: offset %d is %d, the one before it %d", ErrInvalid, i, off[i], off[i-1])
		}
	}
	return nil
}

func windows(blob []byte, vertices int, edges uint32, weighted bool) Side {
	o, n, _ := sections(vertices, edges, weighted)
	s := Side{
		Off: view[uint32](blob, HeaderBytes, vertices+1),
		Nbr: view[uint32](blob, HeaderBytes+o, int(edges)),
	}
	if weighted {
		s.Weight = view[float32](blob, HeaderBytes+o+n, int(edges))
	}
	return s
}

// view reinterprets bytes as numbers: the format is that of little-endian
// machines, the only ones that garaph is built for.
func view[T uint32 | float32](blob []byte, at int64, n int) []T {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&blob[at])), n)
}
