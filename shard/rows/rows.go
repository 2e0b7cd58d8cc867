// Package rows is the encoding in which every vertex of a shard has its neighbours
// in a row (compressed sparse columns on the in side, rows on the out side):
// neighbours by vertex, ascending, with weights on the in side. Rows can be read
// alone, for notifying, for pulls of a few vertices and for algorithms.
// docs/format-shard.md draws the bytes.
package rows

import (
	"encoding/binary"
	"fmt"

	"github.com/garaph/garaph/shard"
)

const (
	// Version of the layout.
	Version = 1

	align = 16
)

func init() { shard.Register(Version, decode) }

// Side is one side of a shard. The slices are windows into the blob.
type Side struct {
	Dir   shard.Direction
	Index uint32 // number of the shard in its graph
	First uint32 // dense id of the first vertex of the interval
	// Off has one entry more than the interval has vertices: the neighbours of
	// vertex First+i are Nbr[Off[i]:Off[i+1]], in ascending order.
	Off []uint32
	Nbr []uint32
	// Weight goes with Nbr, or Wide, where weights are wide; both are nil without weights.
	Weight []float32
	Wide   []float64

	blob []byte
}

// Vertices returns the length of the interval.
func (s *Side) Vertices() int { return len(s.Off) - 1 }

// Edges returns the number of edges on this side.
func (s *Side) Edges() uint32 { return uint32(len(s.Nbr)) }

// Row returns the neighbours of local vertex v: a window, which needs no buffer.
func (s *Side) Row(v int, _ *shard.Buffer) []uint32 { return s.Nbr[s.Off[v]:s.Off[v+1]] }

// Header returns the header of the blob.
func (s *Side) Header() shard.Header {
	h := shard.Header{
		Version: Version, Dir: s.Dir, Index: s.Index, First: s.First, Vertices: s.Vertices(), Edges: s.Edges(),
		Weighted: !s.Plane().None(), Wide: s.Wide != nil,
	}
	if s.blob != nil {
		flags := binary.LittleEndian.Uint16(s.blob[10:])
		h.Weighted, h.Wide = flags&1 != 0, flags>>15 != 0 // without edges too
		h.Checksum = binary.LittleEndian.Uint32(s.blob[60:])
	}
	return h
}

// Plane returns the weights.
func (s *Side) Plane() shard.Plane { return shard.Plane{Narrow: s.Weight, Wide: s.Wide} }

// Weights describes the weights.
func (s *Side) Weights() shard.Weights { return shard.WeightsOf(s.Plane()) }

// Blob returns the bytes that the side was decoded from, or laid out in.
func (s *Side) Blob() []byte { return s.blob }

// Degrees counts the edges of each vertex.
func (s *Side) Degrees(degrees []uint32) {
	for v := range s.Vertices() {
		degrees[v] = s.Off[v+1] - s.Off[v]
	}
}

// Size returns the number of bytes of a blob, a multiple of 16, with weights of a size.
func Size(vertices int, edges uint32, weight int) int64 {
	o, n, w := sections(vertices, edges, weight)
	return shard.HeaderBytes + o + n + w
}

func sections(vertices int, edges uint32, weight int) (offsets, neighbours, weights int64) {
	return pad(4 * (int64(vertices) + 1)), pad(4 * int64(edges)), pad(int64(weight) * int64(edges))
}

func pad(n int64) int64 { return (n + align - 1) &^ (align - 1) }

// Layout writes the header of a shard into blob, which must have the exact Size
// and 4-byte alignment, and returns the side's arrays for the caller to fill.
// [Seal] completes the blob.
func Layout(blob []byte, dir shard.Direction, index, first uint32, vertices int, edges uint32, weight int) *Side {
	h := shard.Header{Version: Version, Dir: dir, Index: index, First: first, Vertices: vertices, Edges: edges,
		Weighted: weight > 0, Wide: weight == 8}
	h.Put(blob)
	o, n, w := sections(vertices, edges, weight)
	clear(blob[shard.HeaderBytes+4*(vertices+1) : shard.HeaderBytes+o])
	clear(blob[shard.HeaderBytes+o+4*int64(edges) : shard.HeaderBytes+o+n])
	clear(blob[shard.HeaderBytes+o+n+int64(weight)*int64(edges) : shard.HeaderBytes+o+n+w])
	s := windows(blob, vertices, edges, weight)
	s.Dir, s.Index, s.First = dir, index, first
	return s
}

// Seal computes the checksums of a filled blob. The result identifies the
// content: it covers every byte of the blob but itself.
func Seal(blob []byte) uint32 {
	le := binary.LittleEndian
	at := int64(shard.HeaderBytes)
	flags := le.Uint16(blob[10:])
	o, n, w := sections(int(le.Uint32(blob[20:])), le.Uint32(blob[24:]), shard.WeightBytes(flags&1 != 0, flags>>15 != 0))
	for i, size := range [...]int64{o, n, w} {
		le.PutUint32(blob[32+4*i:], shard.Checksum(blob[at:at+size]))
		at += size
	}
	return shard.SealHeader(blob)
}

// Of returns the rows of a side in this encoding: an engine that works on rows has
// asked for them.
func Of(s shard.Side) *Side { return s.(*Side) }

// decode checks every checksum of a blob and the order of its offsets, and
// returns the side. The blob must be 4-byte aligned and stay alive and unchanged
// as long as the side is used.
func decode(blob []byte) (shard.Side, error) {
	h, err := shard.DecodeHeader(blob)
	if err != nil {
		return nil, err
	}
	if h.Flags != 0 {
		return nil, fmt.Errorf("%w: flags %#x", shard.ErrInvalid, h.Flags)
	}
	if want := Size(h.Vertices, h.Edges, h.WeightBytes()); int64(len(blob)) != want {
		return nil, fmt.Errorf("%w: %d bytes, the header promises %d", shard.ErrInvalid, len(blob), want)
	}
	o, n, w := sections(h.Vertices, h.Edges, h.WeightBytes())
	at := int64(shard.HeaderBytes)
	for i, size := range [...]int64{o, n, w} {
		name := [...]string{"offsets", "neighbours", "weights"}[i]
		if err := shard.CheckSection(blob[at:at+size], binary.LittleEndian.Uint32(blob[32+4*i:]), name, at); err != nil {
			return nil, err
		}
		at += size
	}
	s := windows(blob, h.Vertices, h.Edges, h.WeightBytes())
	s.Dir, s.Index, s.First = h.Dir, h.Index, h.First
	return s, checkOffsets(s.Off, h.Edges)
}

func checkOffsets(off []uint32, edges uint32) error {
	if off[0] != 0 || off[len(off)-1] != edges {
		return fmt.Errorf("%w: offsets run from %d to %d, there are %d edges", shard.ErrInvalid, off[0], off[len(off)-1],
			edges)
	}
	for i := 1; i < len(off); i++ {
		if off[i] < off[i-1] {
			return fmt.Errorf("%w: offset %d is %d, the one before it %d", shard.ErrInvalid, i, off[i], off[i-1])
		}
	}
	return nil
}

func windows(blob []byte, vertices int, edges uint32, weight int) *Side {
	o, n, _ := sections(vertices, edges, weight)
	s := &Side{
		Off:  shard.View[uint32](blob, shard.HeaderBytes, vertices+1),
		Nbr:  shard.View[uint32](blob, shard.HeaderBytes+o, int(edges)),
		blob: blob,
	}
	p := shard.ViewPlane(blob, shard.HeaderBytes+o+n, int(edges), weight)
	s.Weight, s.Wide = p.Narrow, p.Wide
	return s
}
