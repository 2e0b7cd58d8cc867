package gpuengine

import (
	"unsafe"

	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/shard/packed"
)

// packedSide is a side that is packed: its blob is copied as it is, and never cut, so
// that buffers have room for the largest. Its places are the beginning and the end.
type packedSide struct{ side *packed.Side }

// packedLimits bound a packed chunk.
type packedLimits struct {
	blocks int
	window int // vertices
	shared int // bytes of a window, with copies
}

// defaultBlocks are enough for the threads of a block to be worth its window.
const defaultBlocks = 768

// leastBlock is the least number of bytes of a block, with its head.
const leastBlock = 8 + packed.Groups*14

// maxPackedAccumulator is the largest accumulator that instructions fold in shared
// memory. Others would take a lock each, at 2 G edges/s on an H200: see [Encodings].
const maxPackedAccumulator = 8

// Encodings returns the encodings of in sides, besides plain rows, that programs with such
// accumulators can pull over.
func Encodings[A any]() []uint16 {
	var a A
	if unsafe.Sizeof(a) > maxPackedAccumulator {
		return nil
	}
	return []uint16{packed.Version}
}

// sumsFloats reports whether accumulators are floats that are added.
func sumsFloats(f compiled.Fragments) bool {
	k := f.Accumulator.Leaves
	return f.SumOp == compiled.SumAdd && len(k) > 0 && (k[0].Kind == compiled.Float32 || k[0].Kind == compiled.Float64)
}

// packedNeed returns the most that a blob takes, as its number of blocks is not known.
func packedNeed(bytes int64, vertices int, edges uint32, l limits) need {
	if edges == 0 {
		return need{}
	}
	chunks := int64(parts(int(bytes/leastBlock), l.packed.blocks) * parts(vertices, l.packed.window))
	n := need{bytes: bytes, chunks: chunks, lists: chunks * packedBytes}
	n.least = n.room()
	return n
}

// parts returns the number of parts of at most most that all is divided into.
func parts(all, most int) int { return (all + most - 1) / most }

func (s packedSide) need(l limits) need {
	return packedNeed(int64(len(s.side.Blob())), s.side.Layout.Vertices, s.side.Layout.Edges, l)
}
func (s packedSide) end() uint32 { return min(1, s.side.Layout.Edges) }

func (s packedSide) part(k *packer, b *batch, r *room, i int, at uint32) uint32 {
	if s.need(k.limits).room()+int64(b.chunks())*descriptorBytes > r.free() {
		return at
	}
	s.whole(k, b, r, i)
	return s.end()
}

// whole cuts the side into chunks of about as many blocks each, and those into windows
// of the vertices.
func (s packedSide) whole(k *packer, b *batch, r *room, i int) {
	if s.side.Layout.Edges == 0 {
		return
	}
	base := r.pointer(r.below(int64(len(s.side.Blob()))))
	b.copy(base, s.side.Blob())
	if k.checks != nil {
		k.checks.add(s.side, base, k.vertices)
	}
	at := s.side.Layout.Places()
	c := kernels.PackedChunk{Data: base + device.Pointer(at.Data), Bits: uint32(s.side.Layout.Bits)}
	if s.side.Layout.Weighted {
		c.Code = uint32(s.side.Layout.CodeBytes())
		c.Dictionary = base + device.Pointer(at.Dictionary)
	}
	n, windows := parts(s.side.Layout.Blocks, k.limits.packed.blocks),
		parts(s.side.Layout.Vertices, k.limits.packed.window)
	if n > 1 {
		c.Common = 1
	}
	if k.floats {
		all := n * windows
		c.Copies = copies(s.side.Layout.Edges/uint32(all), parts(s.side.Layout.Vertices, windows)+1,
			kernels.SlotBytes(k.accumulator),
			k.limits.packed.shared)
	}
	for p := range n * windows {
		from, to, w := s.side.Layout.Blocks*(p/windows)/n, s.side.Layout.Blocks*(p/windows+1)/n, p%windows
		c.Heads, c.Blocks = base+device.Pointer(at.Heads)+device.Pointer(8*from), uint32(to-from)
		if s.side.Layout.Weighted {
			c.Codes = base + device.Pointer(at.Codes) + device.Pointer(from*kernels.BlockSlots*int(c.Code))
		}
		c.From = uint32(s.side.Layout.Vertices * w / windows)
		c.First, c.Count = s.side.Layout.First+c.From, uint32(s.side.Layout.Vertices*(w+1)/windows)-c.From
		describe(b, key(i, packedWay), c, kernels.WindowBytes(k.accumulator, c.Count, c.Copies))
	}
	b.gathers(s.side.Layout.Edges, c.Copies)
}
