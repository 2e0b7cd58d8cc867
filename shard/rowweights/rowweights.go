// Package rowweights is the encoding of the weights of a side's rows: a code for each
// edge, in the order of the rows, in a blob of its own, so that whoever needs no weights
// reads none. docs/format-packed-rows.md draws the bytes.
package rowweights

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
)

const (
	// Version of the encoding.
	Version = 4

	align = 16
)

func init() {
	shard.Register(shard.Encoding{Version: Version, Name: "weights of rows", Decode: func(blob []byte, h shard.Header) (shard.Side, error) {
		return decode(blob, h)
	}})
}

// Side is the weights of one side of a shard.
type Side struct {
	header     shard.Header
	coding     packed.Coding
	dictionary []float32 // nil without
	codes      []byte
	blob       []byte
}

// Header is that of the blob.
func (s *Side) Header() shard.Header { return s.header }

// Blob is the bytes that the weights were decoded from.
func (s *Side) Blob() []byte { return s.blob }

// Degrees does nothing: the rows have the degrees.
func (s *Side) Degrees([]uint32) {}

// CheckOrder has nothing to look at: the order is that of the rows.
func (s *Side) CheckOrder() error { return nil }

// Weights writes the weights of len(to) edges of the rows from one on.
func (s *Side) Weights(to []float32, from int) {
	codes := s.codes[from*s.coding.Bytes():]
	switch s.coding {
	case packed.Bytes:
		for i, c := range codes[:len(to)] {
			to[i] = s.dictionary[c]
		}
	case packed.Words:
		for i := range to {
			to[i] = s.dictionary[binary.LittleEndian.Uint16(codes[2*i:])]
		}
	default:
		copy(to, shard.View[float32](codes, 0, len(codes)/4))
	}
}

// CheckValues looks whether codes are in the dictionary, and weights finite and not
// negative.
func (s *Side) CheckValues(uint32) error {
	weights, most := s.dictionary, uint16(0)
	switch s.coding {
	case packed.Bytes:
		for _, c := range s.codes {
			most = max(most, uint16(c))
		}
	case packed.Words:
		for i := 0; i < len(s.codes); i += 2 {
			most = max(most, binary.LittleEndian.Uint16(s.codes[i:]))
		}
	default:
		weights = shard.View[float32](s.codes, 0, len(s.codes)/4)
	}
	if s.coding != packed.Floats && int(most) >= len(s.dictionary) {
		return fmt.Errorf("%w: a weight is entry %d of a dictionary of %d", shard.ErrInvalid, most, len(s.dictionary))
	}
	if shard.WeightsSound(weights) {
		return nil
	}
	for _, w := range weights {
		if !(w >= 0) || math.IsInf(float64(w), 1) {
			return fmt.Errorf("%w: weight %v is not a finite number ≥ 0", shard.ErrInvalid, w)
		}
	}
	return nil
}

// layout is what the header of a blob says.
type layout struct {
	shard.Header
	coding  packed.Coding
	entries int // of the dictionary
}

// sections are the sizes of what follows the header.
func (h *layout) sections() [2]int {
	return [...]int{pad(4 * h.entries), pad(int(h.Edges) * h.coding.Bytes())}
}

func (h *layout) size() int {
	n := h.sections()
	return shard.HeaderBytes + n[0] + n[1]
}

func pad(n int) int { return (n + align - 1) &^ (align - 1) }

// MostBytes is the most that the weights of so many edges take.
func MostBytes(edges uint32) int64 { return shard.HeaderBytes + 2*align + 4*int64(edges) }

// Packer packs weights. Its dictionary lasts from one side to the next.
type Packer struct{ dictionary packed.Dictionary }

// Side writes the weights of the rows with a header to the beginning of a buffer, which
// has [MostBytes] and 4-byte alignment, and returns them there.
func (p *Packer) Side(of shard.Header, weights []float32, buffer []byte) *Side {
	h := layout{Header: of}
	h.coding = p.dictionary.Make(weights, len(weights))
	h.entries = len(p.dictionary.List)
	h.Version, h.Weighted, h.Flags = Version, true, uint16(h.coding)<<2
	blob := buffer[:h.size()]
	clear(blob)
	h.Put(blob)
	s := h.windows(blob)
	copy(s.dictionary, p.dictionary.List)
	le := binary.LittleEndian
	for i, w := range weights {
		switch s.coding {
		case packed.Bytes:
			s.codes[i] = byte(p.dictionary.Code(w))
		case packed.Words:
			le.PutUint16(s.codes[2*i:], uint16(p.dictionary.Code(w)))
		default:
			le.PutUint32(s.codes[4*i:], math.Float32bits(w))
		}
	}
	h.seal(blob)
	s.header.Checksum = h.Checksum
	return s
}

// seal completes the header of a filled blob.
func (h *layout) seal(blob []byte) {
	at := shard.HeaderBytes
	for i, n := range h.sections() {
		binary.LittleEndian.PutUint32(blob[32+4*i:], shard.Checksum(blob[at:at+n]))
		at += n
	}
	binary.LittleEndian.PutUint32(blob[44:], uint32(h.entries))
	h.Checksum = shard.SealHeader(blob)
}

// windows gives the sections of a blob of the right size.
func (h *layout) windows(blob []byte) *Side {
	at := shard.HeaderBytes + h.sections()[0]
	return &Side{
		header: h.Header, coding: h.coding, blob: blob, codes: blob[at : at+int(h.Edges)*h.coding.Bytes()],
		dictionary: shard.View[float32](blob, shard.HeaderBytes, h.entries),
	}
}

func decode(blob []byte, head shard.Header) (*Side, error) {
	le := binary.LittleEndian
	h := layout{Header: head, coding: packed.Coding(head.Flags >> 2), entries: int(le.Uint32(blob[44:]))}
	rest := uint32(0)
	for _, at := range []int{28, 40, 48, 52, 56} {
		rest |= le.Uint32(blob[at:])
	}
	if h.coding > packed.Words || !h.Weighted || rest != 0 {
		return nil, fmt.Errorf("%w: flags %#x", shard.ErrInvalid, h.Flags)
	}
	if (h.entries > 0) != (h.coding != packed.Floats) || h.entries > 1<<(8*h.coding.Bytes()&31) {
		return nil, fmt.Errorf("%w: a dictionary of %d entries, with coding %d", shard.ErrInvalid, h.entries, h.coding)
	}
	if want := h.size(); len(blob) != want {
		return nil, fmt.Errorf("%w: %d bytes, the header promises %d", shard.ErrInvalid, len(blob), want)
	}
	at := shard.HeaderBytes
	for i, n := range h.sections() {
		if err := shard.CheckSection(blob[at:at+n], le.Uint32(blob[32+4*i:]), [...]string{"dictionary", "codes"}[i], int64(at)); err != nil {
			return nil, err
		}
		at += n
	}
	return h.windows(blob), nil
}
