// Package packed is the layout of one side of a shard whose edges are sorted by
// (source, local destination) and packed to a few bits: blocks of 256 slots, in
// which a slot is the distance to the source before, in a width of the block's
// own, and a destination, in the bits that the shard needs. An edge takes about
// 2.2 bytes, and pulls read values almost in sequence, with the accumulators of
// the shard in the second-level cache.
//
// A slot is an edge, or a dummy: a step within a gap that is too large for the
// width, or the rest of the last block. Dummies have the destination Vertices, so
// that loops treat all slots alike and have an accumulator that nobody reads.
// docs/format-packed.md draws the bytes.
package packed

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"unsafe"

	"github.com/garaph/garaph/shard"
)

const (
	// Version of the layout, in the place where that of package shard stands.
	Version = 2
	// HeaderBytes is the size of the header.
	HeaderBytes = 64
	// MaxVertices leaves a 16-bit destination for dummies.
	MaxVertices = 1<<16 - 1

	align    = 32
	maxUnits = 1 << 26 // of 32 bytes: what a head's place can say
)

var (
	magic      = [8]byte{'G', 'A', 'R', 'A', 'P', 'H', 'S', 'H'}
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// Coding says what stands for a weight in the codes.
type Coding uint8

// The codings.
const (
	Floats Coding = iota // the weight itself, in 32 bits
	Bytes                // 8 bits: an entry of the dictionary
	Words                // 16 bits: an entry of the dictionary
)

// bytes is the size of a code.
func (c Coding) bytes() int { return [...]int{4, 1, 2}[c] }

// Header is what the first 64 bytes of a blob say.
type Header struct {
	shard.Header
	Coding  Coding // of weights
	Blocks  int
	Entries int // of the dictionary
	Units   int // 32-byte units of the data section
	Bits    int // of a destination
}

// destinationBits is how many bits a destination takes: one of two widths, which
// lets loops have constants and four begin at a byte.
func destinationBits(vertices int) int {
	if vertices < 1<<14 {
		return 14
	}
	return 16
}

// Head is where a block begins.
type Head struct {
	Source uint32 // of slot 0
	place  uint32 // 32-byte unit of the data section << 6 | width
}

// Width is the number of bits of the block's deltas.
func (h Head) Width() int { return int(h.place & 63) }

// unit is the first of the block's data.
func (h Head) unit() int { return int(h.place >> 6) }

// Side is one side of a shard. The slices are windows into the blob.
type Side struct {
	Header
	Heads      []Head
	Dictionary []float32 // nil without
	data       []byte    // up to the end of the blob: loops read past the last block
	codes      []byte    // one code for each slot; nil without weights
}

// sections are the sizes of what follows the header.
func (h *Header) sections() (heads, data, dictionary, codes int64) {
	heads = pad(8 * int64(h.Blocks))
	data = align * int64(h.Units)
	if h.Weighted {
		dictionary = pad(4 * int64(h.Entries))
		codes = int64(h.Blocks) * BlockSlots * int64(h.Coding.bytes())
	}
	return
}

// Size is the number of bytes of the blob, a multiple of 32.
func (h *Header) Size() int64 {
	heads, data, dictionary, codes := h.sections()
	return HeaderBytes + heads + data + dictionary + codes + align
}

func pad(n int64) int64 { return (n + align - 1) &^ (align - 1) }

// put writes the header into blob, but for checksums.
func (h *Header) put(blob []byte) {
	clear(blob[:HeaderBytes])
	copy(blob, magic[:])
	le := binary.LittleEndian
	le.PutUint16(blob[8:], Version)
	flags := uint16(h.Dir)<<1 | uint16(h.Coding)<<2
	if h.Weighted {
		flags |= 1
	}
	le.PutUint16(blob[10:], flags)
	for i, field := range []uint32{h.Index, h.First, uint32(h.Vertices), h.Edges, uint32(h.Blocks)} {
		le.PutUint32(blob[12+4*i:], field)
	}
	for i, field := range []int{h.Entries, h.Units, h.Bits} {
		le.PutUint32(blob[44+4*i:], uint32(field))
	}
}

// seal writes the checksums. The result identifies the content: it covers every
// byte of the blob but itself.
func (h *Header) seal(blob []byte) uint32 {
	le := binary.LittleEndian
	for i, section := range h.parts(blob) {
		le.PutUint32(blob[32+4*i:], crc32.Checksum(section, castagnoli))
	}
	h.Checksum = crc32.Checksum(blob[:60], castagnoli)
	le.PutUint32(blob[60:], h.Checksum)
	return h.Checksum
}

// parts are the bytes that have a checksum each: heads, data, and the rest.
func (h *Header) parts(blob []byte) [3][]byte {
	heads, data, _, _ := h.sections()
	body := blob[HeaderBytes:]
	return [...][]byte{body[:heads], body[heads : heads+data], body[heads+data:]}
}

// DecodeHeader checks and reads the header of a blob.
func DecodeHeader(blob []byte) (Header, error) {
	le := binary.LittleEndian
	if len(blob) < HeaderBytes {
		return Header{}, fmt.Errorf("%w: %d bytes are too few for a header", shard.ErrFormat, len(blob))
	}
	if [8]byte(blob[:8]) != magic {
		return Header{}, fmt.Errorf("%w: it begins with %q", shard.ErrFormat, blob[:8])
	}
	sum := le.Uint32(blob[60:])
	if got := crc32.Checksum(blob[:60], castagnoli); got != sum {
		return Header{}, fmt.Errorf("%w in the header (offset 0): stored %08x, computed %08x", shard.ErrChecksum, sum, got)
	}
	if v := le.Uint16(blob[8:]); v != Version {
		return Header{}, fmt.Errorf("%w: version %d, packed shards have version %d", shard.ErrFormat, v, Version)
	}
	flags := le.Uint16(blob[10:])
	field := func(at int) int { return int(le.Uint32(blob[at:])) }
	h := Header{
		Header: shard.Header{
			Dir:      shard.Direction(flags >> 1 & 1),
			Index:    le.Uint32(blob[12:]),
			First:    le.Uint32(blob[16:]),
			Vertices: field(20),
			Edges:    le.Uint32(blob[24:]),
			Weighted: flags&1 != 0,
			Checksum: sum,
		},
		Coding: Coding(flags >> 2), Blocks: field(28), Entries: field(44), Units: field(48), Bits: field(52),
	}
	if h.Vertices == 0 || h.Vertices > MaxVertices || uint64(h.First)+uint64(h.Vertices) > math.MaxUint32 ||
		h.Coding > Words || !h.Weighted && h.Coding != 0 || field(56) != 0 {
		return Header{}, fmt.Errorf("%w: flags %#x, %d vertices from %d", shard.ErrInvalid, flags, h.Vertices, h.First)
	}
	if h.Bits != destinationBits(h.Vertices) || (h.Edges == 0) != (h.Blocks == 0) || int64(h.Edges) > BlockSlots*int64(h.Blocks) ||
		h.Units > maxUnits || (h.Entries > 0) != (h.Coding != Floats && h.Blocks > 0) || h.Entries > 1<<(8*h.Coding.bytes()&31) {
		return Header{}, fmt.Errorf("%w: %d edges in %d blocks, %d units of data, %d bits of a destination, %d entries of a dictionary",
			shard.ErrInvalid, h.Edges, h.Blocks, h.Units, h.Bits, h.Entries)
	}
	return h, nil
}

// Decode checks every checksum of a blob, and that its blocks have widths of the
// format and lie one after another in the data, and gives the side. No more than
// the blob is read by whatever is done with the side; [Side.Check] looks whether
// sources, destinations and weights are sound too. The blob must be 4-byte aligned
// and stay alive and unchanged as long as the side is used.
func Decode(blob []byte) (Side, error) {
	h, err := DecodeHeader(blob)
	if err != nil {
		return Side{}, err
	}
	if want := h.Size(); int64(len(blob)) != want {
		return Side{}, fmt.Errorf("%w: %d bytes, the header promises %d", shard.ErrInvalid, len(blob), want)
	}
	at := HeaderBytes
	for i, section := range h.parts(blob) {
		stored := binary.LittleEndian.Uint32(blob[32+4*i:])
		if got := crc32.Checksum(section, castagnoli); got != stored {
			name := [...]string{"heads", "data", "weights"}[i]
			return Side{}, fmt.Errorf("%w in the %s (offset %d): stored %08x, computed %08x", shard.ErrChecksum, name, at, stored, got)
		}
		at += len(section)
	}
	s := h.windows(blob)
	return s, s.checkHeads()
}

// checkHeads proves that no block leads out of the data.
func (s *Side) checkHeads() error {
	unit := 0
	for i, head := range s.Heads {
		if !allowed(head.Width()) || head.unit() != unit {
			return fmt.Errorf("%w: block %d has width %d and begins at unit %d, not %d", shard.ErrInvalid, i, head.Width(), head.unit(), unit)
		}
		unit += head.Width() + s.Bits
	}
	if unit != s.Units {
		return fmt.Errorf("%w: blocks have %d units of data, the header says %d", shard.ErrInvalid, unit, s.Units)
	}
	return nil
}

// windows gives the sections of a blob of the right size.
func (h *Header) windows(blob []byte) Side {
	heads, data, dictionary, codes := h.sections()
	s := Side{Header: *h}
	s.Heads = view[Head](blob[HeaderBytes:], h.Blocks)
	s.data = blob[HeaderBytes+heads:]
	s.Dictionary = view[float32](s.data[data:], h.Entries)
	if h.Weighted {
		s.codes = s.data[data+dictionary:][:codes]
	}
	return s
}

// view reinterprets bytes as numbers: the format is that of little-endian
// machines, the only ones that garaph is built for.
func view[T Head | float32 | uint16](blob []byte, n int) []T {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&blob[0])), n)
}
