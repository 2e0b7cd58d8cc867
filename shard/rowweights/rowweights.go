// Package rowweights is the encoding of the weights of a side's rows: a code for each
// edge, in the order of the rows, in a blob of its own, which is read only if weights are
// needed. docs/format-packed-rows.md draws the bytes.
package rowweights

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/packedrows"
)

const (
	// Version of the encoding.
	Version = 4

	align = 16

	summed = 32 // flag, always set: there is an index with checksums of the runs of [packedrows]
)

func init() { shard.Register(Version, decode) }

// Side is the weights of one side of a shard.
type Side struct {
	header     shard.Header
	coding     packed.Coding
	dictionary []float32 // nil without
	index      []uint32  // the first edge of each run
	sums       []uint32  // checksums of the codes of runs
	codes      []byte
	blob       []byte
}

// Header returns the header of the blob.
func (s *Side) Header() shard.Header { return s.header }

// Blob returns the bytes that the weights were decoded from.
func (s *Side) Blob() []byte { return s.blob }

// Degrees does nothing: the rows have the degrees.
func (s *Side) Degrees([]uint32) {}

// CheckOrder compares the codes of runs with their checksums. The order is that of the
// rows.
func (s *Side) CheckOrder() error {
	for i := range s.sums {
		if err := s.checkSum(i); err != nil {
			return err
		}
	}
	return nil
}

// Fill writes weights of edges of the rows from one on, as many as there is room for.
func (s *Side) Fill(to shard.Plane, from int) {
	if to.Wide != nil {
		copy(to.Wide, shard.View[float64](s.codes, 0, int(s.header.Edges))[from:])
		return
	}
	s.Weights(to.Narrow, from)
}

// Weights writes the weights of len(to) edges of the rows from one on, which are not wide.
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
func (s *Side) CheckValues(uint32) error { return s.checkCodes(s.codes) }

// checkCodes is CheckValues for some of the codes.
func (s *Side) checkCodes(codes []byte) error {
	weights, most := shard.Plane{Narrow: s.dictionary}, uint16(0)
	switch s.coding {
	case packed.Bytes:
		for _, c := range codes {
			most = max(most, uint16(c))
		}
	case packed.Words:
		for i := 0; i < len(codes); i += 2 {
			most = max(most, binary.LittleEndian.Uint16(codes[i:]))
		}
	default:
		weights = shard.ViewPlane(codes, 0, len(codes)/s.CodeBytes(), s.header.WeightBytes())
	}
	if s.coding != packed.Floats && int(most) >= len(s.dictionary) {
		return fmt.Errorf("%w: a weight is entry %d of a dictionary of %d", shard.ErrInvalid, most, len(s.dictionary))
	}
	return weights.Check()
}

// layout is the content of the header of a blob.
type layout struct {
	shard.Header
	coding  packed.Coding
	entries int // of the dictionary
}

// sections returns the sizes of the sections behind the header: dictionary, index and codes.
func (h *layout) sections() [3]int {
	return [...]int{pad(4 * h.entries), pad(8 * packedrows.Runs(h.Vertices)), pad(int(h.Edges) * h.codeBytes())}
}

// codeBytes returns the size of the weight of an edge.
func (h *layout) codeBytes() int {
	if h.Wide {
		return 8
	}
	return h.coding.Bytes()
}

// sumAt is where the header has the checksums of the sections.
var sumAt = [...]int{32, 40, 36}

func (h *layout) size() int {
	n := h.sections()
	return shard.HeaderBytes + n[0] + n[1] + n[2]
}

func pad(n int) int { return (n + align - 1) &^ (align - 1) }

// MostBytes returns the most bytes that the weights of some edges use, with weights of a size.
func MostBytes(vertices int, edges uint32, weight int) int64 {
	return shard.HeaderBytes + 3*align + 8*int64(packedrows.Runs(vertices)) + int64(weight)*int64(edges)
}

// Packer packs weights. Its dictionary lasts from one side to the next.
type Packer struct{ dictionary packed.Dictionary }

// Side writes the weights, of a size, of the rows with a header, which begin at off, to the beginning
// of a buffer, which has [MostBytes] and 4-byte alignment, and returns them there.
func (p *Packer) Side(of shard.Header, off []uint32, weights shard.Plane, bytes int, buffer []byte) *Side {
	h := layout{Header: of}
	if h.Wide = bytes == 8; !h.Wide {
		h.coding = p.dictionary.Make(weights.Narrow, len(weights.Narrow))
		h.entries = len(p.dictionary.List)
	}
	h.Version, h.Weighted, h.Flags = Version, true, uint16(h.coding)<<2|summed
	blob := buffer[:h.size()]
	clear(blob)
	h.Put(blob)
	s := h.windows(blob)
	copy(s.dictionary, p.dictionary.List[:h.entries])
	le := binary.LittleEndian
	for i, w := range weights.Wide {
		le.PutUint64(s.codes[8*i:], math.Float64bits(w))
	}
	for i, w := range weights.Narrow {
		switch s.coding {
		case packed.Bytes:
			s.codes[i] = byte(p.dictionary.Code(w))
		case packed.Words:
			le.PutUint16(s.codes[2*i:], uint16(p.dictionary.Code(w)))
		default:
			le.PutUint32(s.codes[4*i:], math.Float32bits(w))
		}
	}
	for i := range s.index {
		s.index[i] = off[i*packedrows.RunVertices]
	}
	for i := range s.sums {
		s.sums[i] = shard.Checksum(s.run(i))
	}
	h.seal(blob)
	s.header.Checksum = h.Checksum
	return s
}

// seal completes the header of a filled blob.
func (h *layout) seal(blob []byte) {
	at := shard.HeaderBytes
	for i, n := range h.sections() {
		binary.LittleEndian.PutUint32(blob[sumAt[i]:], shard.Checksum(blob[at:at+n]))
		at += n
	}
	binary.LittleEndian.PutUint32(blob[44:], uint32(h.entries))
	h.Checksum = shard.SealHeader(blob)
}

// windows returns the sections of a blob of the right size.
func (h *layout) windows(blob []byte) *Side { return h.head(blob).In(blob) }

// head returns the dictionary and the index of a blob that begins with these bytes.
func (h *layout) head(blob []byte) *Side {
	at, runs := int64(shard.HeaderBytes), packedrows.Runs(h.Vertices)
	s := &Side{header: h.Header, coding: h.coding, dictionary: shard.View[float32](blob, at, h.entries)}
	at += int64(h.sections()[0])
	s.index, s.sums = shard.View[uint32](blob, at, runs), shard.View[uint32](blob, at+int64(4*runs), runs)
	return s
}

// layoutOf reads the header of a blob of a size.
func layoutOf(blob []byte, size int64) (layout, error) {
	head, err := shard.DecodeHeader(blob)
	if err != nil {
		return layout{}, err
	}
	le := binary.LittleEndian
	h := layout{Header: head, coding: packed.Coding(head.Flags &^ summed >> 2), entries: int(le.Uint32(blob[44:]))}
	rest := uint32(0)
	for _, at := range []int{28, 48, 52, 56} {
		rest |= le.Uint32(blob[at:])
	}
	if h.Flags&summed == 0 || h.coding > packed.Words || h.Wide && h.coding != packed.Floats || !h.Weighted || rest != 0 {
		return h, fmt.Errorf("%w: flags %#x", shard.ErrInvalid, h.Flags)
	}
	if (h.entries > 0) != (h.coding != packed.Floats) || h.entries > 1<<(8*h.coding.Bytes()&31) {
		return h, fmt.Errorf("%w: a dictionary of %d entries, with coding %d", shard.ErrInvalid, h.entries, h.coding)
	}
	if want := h.size(); size != int64(want) {
		return h, fmt.Errorf("%w: %d bytes, the header promises %d", shard.ErrInvalid, size, want)
	}
	return h, nil
}

// check compares the first sections of a blob with their checksums.
func (h *layout) check(blob []byte, sections int) error {
	at, sizes := shard.HeaderBytes, h.sections()
	for i, n := range sizes[:sections] {
		stored := binary.LittleEndian.Uint32(blob[sumAt[i]:])
		if err := shard.CheckSection(blob[at:at+n], stored, [...]string{"dictionary", "index", "codes"}[i],
			int64(at)); err != nil {
			return err
		}
		at += n
	}
	return nil
}

func decode(blob []byte) (shard.Side, error) {
	h, err := layoutOf(blob, int64(len(blob)))
	if err == nil {
		err = h.check(blob, len(sumAt))
	}
	if err != nil {
		return nil, err
	}
	s := h.windows(blob)
	return s, s.checkIndex()
}

// checkIndex looks whether runs follow each other.
func (s *Side) checkIndex() error {
	last := uint32(0)
	for i, at := range s.index {
		if at < last || at > s.header.Edges || i == 0 && at != 0 {
			return fmt.Errorf("%w: run %d begins with edge %d, behind %d, of %d", shard.ErrInvalid, i, at, last, s.header.Edges)
		}
		last = at
	}
	return nil
}
