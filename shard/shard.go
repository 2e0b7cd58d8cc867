// Package shard has the parts that all encodings of a shard share. A shard is the edges of
// one contiguous interval of vertices, as bytes that are the same on disk, in a page
// and on the bus to a device.
//
// A shard has two sides, each a blob of its own: the in side holds the in-edges, with
// weights, the out side the out-edges. How edges lie in a blob is its encoding: a
// package below this one, which registers itself ([Register]).
package shard

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"
	"unsafe"
)

const (
	// HeaderBytes is the size of the header of every blob.
	HeaderBytes = 64
	// MaxVertices keeps a destination within 16 bits inside its shard.
	MaxVertices = 1 << 16
	// DefaultVertices lets 48 KiB of shared memory hold a shard's 4-byte
	// accumulators (Garaph, section 4.2).
	DefaultVertices = 12288
)

var magic = [8]byte{'G', 'A', 'R', 'A', 'P', 'H', 'S', 'H'}

// Direction is the side of a shard.
type Direction uint8

// The sides. From InRows on they are sides of a stored graph, not of a header: their
// blobs say In or Out.
const (
	In         Direction = iota // sources of in-edges, by destination
	Out                         // destinations of out-edges, by source
	InRows                      // In as rows, beside an in side in another encoding
	OutWeights                  // weights of the rows of Out
	InWeights                   // weights of InRows
	Sides                       // how many there are
)

func (d Direction) String() string {
	return [...]string{"in", "out", "in-rows", "out-weights", "in-weights"}[d]
}

// Errors of a blob that is not a sound shard. Each is wrapped with the bytes that were
// found; the caller adds graph and shard.
var (
	ErrFormat   = errors.New("not a shard of this version")
	ErrChecksum = errors.New("checksum mismatch")
	ErrInvalid  = errors.New("contradicts itself")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Side is one side of a shard, decoded: windows into its blob, which must stay alive
// and unchanged as long as the side is used.
type Side interface {
	Header() Header
	// Blob is the bytes as they lie in the store.
	Blob() []byte
	// Degrees counts the edges of each vertex of the interval in degrees.
	Degrees(degrees []uint32)
	// CheckValues checks the conditions that engines rely on and checksums do not cover: that
	// neighbours exist in a graph of n vertices, that weights are finite and not
	// negative, and whatever loops over the encoding do not check themselves. It is
	// called for a blob that is read for the first time.
	CheckValues(n uint32) error
	// CheckOrder looks whether the edges stand in the order of the encoding.
	CheckOrder() error
}

// Rows is a side that has the neighbours of each vertex in a row of its own.
type Rows interface {
	Side
	// Row gives the neighbours of local vertex v, in ascending order: a window into
	// the side, or a list in the buffer that lasts until the buffer is used again.
	Row(v int, b *Buffer) []uint32
}

// Scanned is a side in which nothing says where the edges of one vertex are.
type Scanned interface {
	Side
	// Scan goes over the edges of the local vertices that are wanted, and gives their
	// other ends, some at a time, in a list that lasts until f returns.
	Scan(wanted *[MaxVertices]bool, f func(neighbours []uint32))
}

// A Buffer holds the state of [Rows] between rows. Each goroutine has its own, for
// rows of any sides.
type Buffer struct {
	List       []uint32
	Side       Side   // whose row was read last
	From       int    // where that row begins, if it is packed
	Before     int    // edges of its run before it
	Behind     int    // the same behind it
	Vertex, At int    // behind that row: the next vertex, and where its row begins
	Base       uint32 // the base of the next row
}

var decoders = map[uint16]func(blob []byte) (Side, error){} // by version

// Register adds an encoding, by the version in the headers of its blobs. decode checks every checksum of a blob and
// that its sections agree. The blob must be 4-byte aligned. Packages call Register as they are initialised.
func Register(version uint16, decode func(blob []byte) (Side, error)) { decoders[version] = decode }

// Decode checks and decodes a blob in whatever encoding it has.
func Decode(blob []byte) (Side, error) {
	h, err := DecodeHeader(blob)
	if err != nil {
		return nil, err
	}
	decode := decoders[h.Version]
	if decode == nil {
		return nil, fmt.Errorf("%w: version %d is none that this program reads", ErrFormat, h.Version)
	}
	return decode(blob)
}

// Header is the content of the first 64 bytes of a blob in every encoding.
type Header struct {
	Version  uint16
	Dir      Direction
	Index    uint32 // number of the shard in its graph
	First    uint32 // dense id of the first vertex of the interval
	Vertices int    // length of the interval
	Edges    uint32
	Weighted bool
	Wide     bool   // weights are float64
	Flags    uint16 // those of the encoding: bits 2 to 14
	Checksum uint32 // of the header, which has the checksums of all sections
}

// wide is the flag of [Header.Wide].
const wide = 1 << 15

// WeightBytes returns the size of a weight, or 0 without weights.
func (h Header) WeightBytes() int { return WeightBytes(h.Weighted, h.Wide) }

// WeightBytes returns the size of a weight: that of float32, or of float64 if weights are wide, or 0 without weights.
func WeightBytes(weighted, wide bool) int {
	switch {
	case !weighted:
		return 0
	case wide:
		return 8
	}
	return 4
}

// Put writes the header into blob, where the encoding finds room for its own
// fields in bytes 28 to 59. [SealHeader] completes it.
func (h Header) Put(blob []byte) {
	clear(blob[:HeaderBytes])
	copy(blob, magic[:])
	le := binary.LittleEndian
	le.PutUint16(blob[8:], h.Version)
	flags := h.Flags | uint16(h.Dir)<<1
	if h.Weighted {
		flags |= 1
		if h.Wide {
			flags |= wide
		}
	}
	le.PutUint16(blob[10:], flags)
	le.PutUint32(blob[12:], h.Index)
	le.PutUint32(blob[16:], h.First)
	le.PutUint32(blob[20:], uint32(h.Vertices))
	le.PutUint32(blob[24:], h.Edges)
}

// SealHeader writes the checksum of the header, when the others are in it. It
// identifies the content: it covers every byte of the blob but itself.
func SealHeader(blob []byte) uint32 {
	sum := Checksum(blob[:60])
	binary.LittleEndian.PutUint32(blob[60:], sum)
	return sum
}

// Checksum returns the CRC-32C of a section.
func Checksum(section []byte) uint32 { return crc32.Checksum(section, castagnoli) }

// AddChecksum returns the checksum of bytes with the given checksum, followed by a section.
func AddChecksum(sum uint32, section []byte) uint32 { return crc32.Update(sum, castagnoli, section) }

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
	if got := Checksum(blob[:60]); got != sum {
		return Header{}, fmt.Errorf("%w in the header (offset 0): stored %08x, computed %08x", ErrChecksum, sum, got)
	}
	flags := le.Uint16(blob[10:])
	h := Header{
		Version:  le.Uint16(blob[8:]),
		Dir:      Direction(flags >> 1 & 1),
		Index:    le.Uint32(blob[12:]),
		First:    le.Uint32(blob[16:]),
		Vertices: int(le.Uint32(blob[20:])),
		Edges:    le.Uint32(blob[24:]),
		Weighted: flags&1 != 0,
		Wide:     flags&wide != 0,
		Flags:    flags &^ (3 | wide),
		Checksum: sum,
	}
	if h.Wide && !h.Weighted {
		return Header{}, fmt.Errorf("%w: flags %#x", ErrInvalid, flags)
	}
	if h.Vertices == 0 || h.Vertices > MaxVertices || uint64(h.First)+uint64(h.Vertices) > math.MaxUint32 {
		return Header{}, fmt.Errorf("%w: %d vertices from %d", ErrInvalid, h.Vertices, h.First)
	}
	return h, nil
}

// CheckSection compares a section, which begins at byte at of its blob, with its
// checksum.
func CheckSection(section []byte, stored uint32, name string, at int64) error {
	if got := Checksum(section); got != stored {
		return fmt.Errorf("%w in the %s (offset %d): stored %08x, computed %08x", ErrChecksum, name, at, stored, got)
	}
	return nil
}

// View reinterprets n numbers, or structs of numbers, from byte at of a blob on: the format is that of
// little-endian machines, the only ones that garaph is built for.
func View[T any](blob []byte, at int64, n int) []T {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&blob[at])), n)
}

// Plane is the weights of some edges: Narrow or, where float32 does not hold them, Wide. Both are nil
// without weights.
type Plane struct {
	Narrow []float32
	Wide   []float64
}

// None reports whether there are no weights.
func (p Plane) None() bool { return p.Narrow == nil && p.Wide == nil }

// At is weight i, 1 without weights.
func (p Plane) At(i int) float64 {
	switch {
	case p.Wide != nil:
		return p.Wide[i]
	case p.Narrow != nil:
		return float64(p.Narrow[i])
	}
	return 1
}

// Slice returns the weights from one up to another.
func (p Plane) Slice(from, to int) Plane {
	switch {
	case p.Wide != nil:
		return Plane{Wide: p.Wide[from:to]}
	case p.Narrow != nil:
		return Plane{Narrow: p.Narrow[from:to]}
	}
	return p
}

// Copy copies weights of the same kind.
func (p Plane) Copy(from Plane) {
	copy(p.Narrow, from.Narrow)
	copy(p.Wide, from.Wide)
}

// ViewPlane returns the n weights of a size from byte at of a blob on.
func ViewPlane(blob []byte, at int64, n, bytes int) (p Plane) {
	switch bytes {
	case 4:
		p.Narrow = View[float32](blob, at, n)
	case 8:
		p.Wide = View[float64](blob, at, n)
	}
	return p
}

// Check looks whether weights are finite and not negative.
func (p Plane) Check() error {
	if narrowSound(p.Narrow) && wideSound(p.Wide) {
		return nil
	}
	for i := range max(len(p.Narrow), len(p.Wide)) { // -0 is one that has come here
		if w := p.At(i); !(w >= 0) || math.IsInf(w, 1) {
			return fmt.Errorf("%w: weight %v, number %d, is not a finite number ≥ 0", ErrInvalid, w, i)
		}
	}
	return nil
}

// narrowSound reports whether weights are finite and not negative. What it
// refuses may still be a -0, which is sound.
func narrowSound(weights []float32) bool {
	bits := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(weights))), len(weights))
	return Below(bits, math.Float32bits(float32(math.Inf(1))))
}

// wideSound is narrowSound of wide weights.
func wideSound(weights []float64) bool {
	most := uint64(0)
	for _, w := range weights {
		most = max(most, math.Float64bits(w))
	}
	return most < math.Float64bits(math.Inf(1))
}

// Weights says of some weights that all are multiples of 2^Unit, and none is above Max or, if they are wide, above
// WideMax.
type Weights struct {
	Unit    int     `json:"unit"` // 0 if there is no other weight than 0
	Max     float32 `json:"max"`
	WideMax float64 `json:"wide_max,omitzero"`
}

// Most returns the largest weight.
func (w Weights) Most() float64 { return max(float64(w.Max), w.WideMax) }

// WeightsOf returns the largest unit of weights, and their maximum.
func WeightsOf(p Plane) Weights {
	if p.Wide != nil {
		return wideWeights(p.Wide)
	}
	return narrowWeights(p.Narrow)
}

func wideWeights(weights []float64) (all Weights) {
	unit := math.MaxInt
	for _, w := range weights {
		if w != 0 {
			fraction, exponent := math.Frexp(w)
			unit = min(unit, exponent-53+bits.TrailingZeros64(uint64(fraction*(1<<53))))
			all.WideMax = max(all.WideMax, w)
		}
	}
	if all.WideMax > 0 {
		all.Unit = unit
	}
	return all
}

func narrowWeights(weights []float32) Weights {
	most, unit := uint32(0), math.MaxInt
	for _, w := range weights {
		b := math.Float32bits(w)
		most = max(most, b)
		exponent, fraction := int(b>>23), b&(1<<23-1)|1<<23
		if exponent == 0 {
			exponent, fraction = 1, b
		}
		if b != 0 {
			unit = min(unit, exponent-150+bits.TrailingZeros32(fraction))
		}
	}
	if most == 0 {
		unit = 0
	}
	return Weights{Unit: unit, Max: math.Float32frombits(most)}
}

// Join adds others.
func (w *Weights) Join(others Weights) {
	switch {
	case w.Most() == 0:
		*w = others
	case others.Most() != 0:
		*w = Weights{min(w.Unit, others.Unit), max(w.Max, others.Max), max(w.WideMax, others.WideMax)}
	}
}

// Below reports whether all numbers of a list are below n. Four maxima at once
// don't wait for each other.
func Below(list []uint32, n uint32) bool {
	var a, b, c, d uint32
	i := 0
	for ; i+4 <= len(list); i += 4 {
		four := list[i : i+4 : i+4]
		a, b, c, d = max(a, four[0]), max(b, four[1]), max(c, four[2]), max(d, four[3])
	}
	for ; i < len(list); i++ {
		a = max(a, list[i])
	}
	return len(list) == 0 || max(a, b, c, d) < n
}
