// Package packedrows is the encoding in which every vertex of a shard has its
// neighbours in a row, packed to a few bits each: the distance of the first one to that of
// the row before, and the gaps to the others in groups of eight, in a width of each group's own.
// An edge takes about 2 bytes, where plain rows (package rows) take 4 and more. One
// vertex's row is found by an index of every fourth, so that notifying can read the rows
// of active vertices alone. The index has a checksum of every four rows too, so that they
// can be read from disk without the others ([DecodeHead]). Weights have a blob of their
// own: package rowweights.
// docs/format-packed-rows.md draws the bytes.
package packedrows

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/garaph/garaph/shard"
)

const (
	// Version of the encoding.
	Version = 3

	align = 16
	group = 8  // gaps that share a width
	short = 7  // edges of the first row whose head is longer than a byte
	long  = 64 // edges of the first row that says how many bytes it has
	slack = 48 // zeros behind the rows, which unpacking a group may read

	// Flags of the index.
	summed = 4 // it has checksums of runs: always set
	narrow = 8 // its entries are narrow
)

func init() { shard.Register(Version, decode) }

// Side is one side of a shard.
type Side struct {
	header shard.Header
	index
	data []byte // the rows, and slack
	end  int    // of the rows in data
	blob []byte

	last uint64 // the largest neighbour
}

// Header returns the header of the blob.
func (s *Side) Header() shard.Header { return s.header }

// Blob returns the bytes that the side was decoded from.
func (s *Side) Blob() []byte { return s.blob }

// layout is the content of the header of a blob.
type layout struct {
	shard.Header
	bytes int // of the rows
}

// sections returns the sizes of the sections behind the header.
func (h *layout) sections() [2]int {
	return [...]int{h.indexBytes(), pad(h.bytes + slack)}
}

func (h *layout) size() int {
	n := h.sections()
	return shard.HeaderBytes + n[0] + n[1]
}

func pad(n int) int { return (n + align - 1) &^ (align - 1) }

// seal writes the header of a filled blob, with all checksums. That of the header
// identifies the content: it covers every byte of the blob but itself.
func (h *layout) seal(blob []byte) {
	h.Version = Version
	h.Header.Put(blob)
	le := binary.LittleEndian
	le.PutUint32(blob[28:], uint32(h.bytes))
	at := shard.HeaderBytes
	for i, n := range h.sections() {
		le.PutUint32(blob[32+4*i:], shard.Checksum(blob[at:at+n]))
		at += n
	}
	h.Checksum = shard.SealHeader(blob)
}

// decode checks all checksums and rows of a blob, so that no method of the side reads beyond it.
// [Side.CheckValues] checks neighbours and weights. The blob must be 4-byte aligned
// and stay alive and unchanged as long as the side is used.
func decode(blob []byte) (shard.Side, error) {
	s, err := open(blob)
	if err != nil {
		return nil, err
	}
	return s, s.walk()
}

// open checks every checksum of a blob.
func open(blob []byte) (*Side, error) {
	h, err := layoutOf(blob, int64(len(blob)))
	if err != nil {
		return nil, err
	}
	at := shard.HeaderBytes
	for i, n := range h.sections() {
		stored, name := binary.LittleEndian.Uint32(blob[32+4*i:]), [...]string{"index", "rows"}[i]
		if err := shard.CheckSection(blob[at:at+n], stored, name, int64(at)); err != nil {
			return nil, err
		}
		at += n
	}
	return h.windows(blob), nil
}

// windows returns the sections of a blob of the right size.
func (h *layout) windows(blob []byte) *Side {
	s := h.head(blob)
	return s.In(blob)
}

// head returns the index of a blob that begins with these bytes.
func (h *layout) head(blob []byte) *Side {
	return &Side{header: h.Header, index: h.index(blob), end: h.bytes}
}

// layoutOf reads the header of a blob of a size.
func layoutOf(blob []byte, size int64) (layout, error) {
	head, err := shard.DecodeHeader(blob)
	if err != nil {
		return layout{}, err
	}
	field := func(at int) int { return int(binary.LittleEndian.Uint32(blob[at:])) }
	h := layout{Header: head, bytes: field(28)}
	if h.Version != Version {
		return h, fmt.Errorf("%w: version %d, packed rows are version %d", shard.ErrFormat, h.Version, Version)
	}
	if h.Flags&^narrow != summed || h.Weighted || field(40)|field(44)|field(48)|field(52)|field(56) != 0 {
		return h, fmt.Errorf("%w: flags %#x, with weights: %v", shard.ErrInvalid, h.Flags, h.Weighted)
	}
	if want := h.size(); size != int64(want) {
		return h, fmt.Errorf("%w: %d bytes, the header promises %d", shard.ErrInvalid, size, want)
	}
	return h, nil
}

// MostBytes returns an upper bound of the size of a blob, and of the bytes that packing writes.
func MostBytes(vertices int, edges uint32) int64 {
	// A row has at most 17 bytes before its gaps; a gap has 32 bits, and an eighth of a
	// width's byte.
	n := int64(shard.HeaderBytes+2*align+slack) + int64(8*Runs(vertices)) + int64(vertices) + 16*min(int64(vertices),
		int64(edges)) + 5*int64(edges)
	return min(n, math.MaxUint32)
}
