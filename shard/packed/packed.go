// Package packed is the encoding of one side of a shard in which edges are sorted by
// (source, local destination) and packed to a few bits: blocks of 256 slots, in which a
// slot is the distance to the source before, in a width of the block's own, and a
// destination, in the bits that the shard needs. An edge takes about 2.2 bytes, and pulls
// read values almost in sequence, with the accumulators of the shard in the second-level
// cache.
//
// A slot is an edge, or a dummy: a step within a gap that is too large for the width, or
// the rest of a block. Dummies have the destination Vertices, so that loops treat all
// slots alike and have an accumulator that is not read. docs/format-packed.md draws the
// bytes.
package packed

import (
	"encoding/binary"
	"fmt"

	"github.com/garaph/garaph/shard"
)

const (
	// Version of the encoding.
	Version = 2
	// MaxVertices leaves a 16-bit destination for dummies.
	MaxVertices = 1<<16 - 1

	align    = 32
	maxUnits = 1 << 26 // of 32 bytes: the largest place of a head
)

// Coding is the way in which the codes encode weights.
type Coding uint8

// The codings.
const (
	Floats Coding = iota // the weight itself, in 32 bits
	Bytes                // 8 bits: an entry of the dictionary
	Words                // 16 bits: an entry of the dictionary
)

// Bytes returns the size of a code.
func (c Coding) Bytes() int { return [...]int{4, 1, 2}[c] }

// CodeBytes returns the size of a code; wide weights are their own codes.
func (h *Layout) CodeBytes() int {
	if h.Wide {
		return 8
	}
	return h.Coding.Bytes()
}

// Layout is the content of the header of a blob.
type Layout struct {
	shard.Header
	Coding  Coding // of weights
	Blocks  int
	Entries int // of the dictionary
	Units   int // 32-byte units of the data section
	Bits    int // of a destination
}

// destinationBits returns the number of bits of a destination: one of two widths, which
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

// Width returns the number of bits of the block's deltas.
func (h Head) Width() int { return int(h.place & 63) }

// unit returns the first unit of the block's data.
func (h Head) unit() int { return int(h.place >> 6) }

// Side is one side of a shard. The slices are windows into the blob.
type Side struct {
	Layout     Layout
	Heads      []Head
	Dictionary []float32 // nil without
	data       []byte    // up to the end of the blob: loops read past the last block
	codes      []byte    // one code for each slot; nil without weights
	blob       []byte
}

// Header returns the header of the blob.
func (s *Side) Header() shard.Header { return s.Layout.Header }

// Blob returns the bytes that the side was decoded from.
func (s *Side) Blob() []byte { return s.blob }

// Weights describes the weights.
func (s *Side) Weights() shard.Weights {
	return shard.WeightsOf(s.plane())
}

// plane returns the dictionary or, without one, the weights of all slots.
func (s *Side) plane() shard.Plane {
	if s.Layout.Coding == Floats {
		return shard.ViewPlane(s.codes, 0, len(s.codes)/s.Layout.CodeBytes(), s.Layout.WeightBytes())
	}
	return shard.Plane{Narrow: s.Dictionary}
}

// Degrees counts the edges of each vertex.
func (s *Side) Degrees(degrees []uint32) {
	clear(degrees)
	for edges := range s.All() {
		for _, v := range edges.Dst {
			degrees[v]++
		}
	}
}

// CheckOrder looks whether edges of one source stand in the order of their
// destinations.
func (s *Side) CheckOrder() error {
	source, slot := uint32(0), uint16(0)
	for edges := range s.All() {
		for i, u := range edges.Nbr {
			if u == source && edges.Dst[i] < slot {
				return fmt.Errorf("%w: the edges of source %d are not in order", shard.ErrInvalid, u)
			}
			source, slot = u, edges.Dst[i]
		}
	}
	return nil
}

func init() {
	shard.Register(Version, func(blob []byte) (shard.Side, error) { return Decode(blob) })
}

// sections returns the sizes of the sections behind the header.
func (h *Layout) sections() (heads, data, dictionary, codes int64) {
	heads = pad(8 * int64(h.Blocks))
	data = align * int64(h.Units)
	if h.Weighted {
		dictionary = pad(4 * int64(h.Entries))
		codes = int64(h.Blocks) * BlockSlots * int64(h.CodeBytes())
	}
	return
}

// Places are where the sections begin in a blob.
type Places struct{ Heads, Data, Dictionary, Codes int64 }

// Places returns them.
func (h *Layout) Places() Places {
	heads, data, dictionary, _ := h.sections()
	p := Places{Heads: shard.HeaderBytes}
	p.Data = p.Heads + heads
	p.Dictionary = p.Data + data
	p.Codes = p.Dictionary + dictionary
	return p
}

// Size returns the number of bytes of the blob, a multiple of 32.
func (h *Layout) Size() int64 {
	heads, data, dictionary, codes := h.sections()
	return shard.HeaderBytes + heads + data + dictionary + codes + align
}

// MostBytes returns more than the size of any blob of a number of edges, with weights of a size.
func MostBytes(edges uint32, weight int) int64 {
	blocks := int64(edges)/BlockSlots + 2
	block := int64(8 + Groups*(32+16)) // without dummies, which no block has that they make larger
	block += int64(weight) * BlockSlots
	return shard.HeaderBytes + 4*align + blocks*block
}

func pad(n int64) int64 { return (n + align - 1) &^ (align - 1) }

// put writes the header into blob, but for checksums.
func (h *Layout) put(blob []byte) {
	h.Version, h.Flags = Version, uint16(h.Coding)<<2
	h.Header.Put(blob)
	le := binary.LittleEndian
	le.PutUint32(blob[28:], uint32(h.Blocks))
	for i, field := range []int{h.Entries, h.Units, h.Bits} {
		le.PutUint32(blob[44+4*i:], uint32(field))
	}
}

// seal writes the checksums. The result identifies the content: it covers every
// byte of the blob but itself.
func (h *Layout) seal(blob []byte) uint32 {
	for i, section := range h.parts(blob) {
		binary.LittleEndian.PutUint32(blob[32+4*i:], shard.Checksum(section))
	}
	h.Checksum = shard.SealHeader(blob)
	return h.Checksum
}

// parts returns the bytes that have a checksum each: heads, data, and the rest.
func (h *Layout) parts(blob []byte) [3][]byte {
	heads, data, _, _ := h.sections()
	body := blob[shard.HeaderBytes:]
	return [...][]byte{body[:heads], body[heads : heads+data], body[heads+data:]}
}

// layout reads the header of a blob.
func layout(blob []byte) (Layout, error) {
	head, err := shard.DecodeHeader(blob)
	if err != nil {
		return Layout{}, err
	}
	field := func(at int) int { return int(binary.LittleEndian.Uint32(blob[at:])) }
	h := Layout{Header: head, Coding: Coding(head.Flags >> 2), Blocks: field(28), Entries: field(44), Units: field(48),
		Bits: field(52)}
	if h.Version != Version {
		return h, fmt.Errorf("%w: version %d, packed shards have version %d", shard.ErrFormat, h.Version, Version)
	}
	if h.Vertices > MaxVertices || h.Coding > Words || (!h.Weighted || h.Wide) && h.Coding != 0 || field(56) != 0 {
		return h, fmt.Errorf("%w: flags %#x, %d vertices from %d", shard.ErrInvalid, h.Flags, h.Vertices, h.First)
	}
	if h.Bits != destinationBits(h.Vertices) || (h.Edges == 0) != (h.Blocks == 0) ||
		int64(h.Edges) > BlockSlots*int64(h.Blocks) ||
		h.Units > maxUnits || (h.Entries > 0) != (h.Coding != Floats && h.Blocks > 0) ||
		h.Entries > 1<<(8*h.Coding.Bytes()&31) {
		return h,
			fmt.Errorf("%w: %d edges in %d blocks, %d units of data, %d bits of a destination, %d entries of a dictionary",
				shard.ErrInvalid, h.Edges, h.Blocks, h.Units, h.Bits, h.Entries)
	}
	return h, nil
}

// Decode checks every checksum of a blob, and that its blocks have widths of the
// format and lie one after another in the data, and gives the side. No more than
// the blob is read by whatever is done with the side; [Side.CheckValues] looks whether
// sources, destinations and weights are sound too. The blob must be 4-byte aligned
// and stay alive and unchanged as long as the side is used.
func Decode(blob []byte) (*Side, error) {
	h, err := layout(blob)
	if err != nil {
		return nil, err
	}
	if want := h.Size(); int64(len(blob)) != want {
		return nil, fmt.Errorf("%w: %d bytes, the header promises %d", shard.ErrInvalid, len(blob), want)
	}
	return h.open(blob, 3)
}

// checkHeads proves that no block leads out of the data.
func (s *Side) checkHeads() error {
	units, err := s.Layout.units(s.Heads, 0)
	if err == nil && units != s.Layout.Units {
		err = fmt.Errorf("%w: blocks have %d units of data, the header says %d", shard.ErrInvalid, units, s.Layout.Units)
	}
	return err
}

// windows returns the sections of a blob of the right size.
func (h *Layout) windows(blob []byte) *Side {
	heads, data, dictionary, codes := h.sections()
	s := &Side{Layout: *h, blob: blob}
	s.Heads = shard.View[Head](blob, shard.HeaderBytes, h.Blocks)
	s.data = blob[shard.HeaderBytes+heads:]
	s.Dictionary = shard.View[float32](s.data, data, h.Entries)
	if h.Weighted {
		s.codes = s.data[data+dictionary:][:codes]
	}
	return s
}
