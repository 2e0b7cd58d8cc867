package kernels

import (
	"encoding/binary"
	"math"

	"github.com/garaph/garaph/gpuengine/device"
)

// BlockSlots is the number of slots of a block of a packed shard.
const BlockSlots = 256

// PackedChunk is consecutive blocks of one side of a packed shard. Only edges count whose
// destinations lie in a window of its vertices, which is all of them if their accumulators fit into
// the shared memory of one block.
type PackedChunk struct {
	Heads      device.Pointer // const uint2 *: of the chunk's blocks
	Data       device.Pointer // const uint8_t *: of the side, from which the heads count; 32 bytes more can be read
	Codes      device.Pointer // of the chunk's slots, or 0 without weights
	Dictionary device.Pointer // const float *: that codes of 1 and 2 bytes index
	Blocks     uint32         // how many
	First      uint32         // vertex of window position 0
	Count      uint32         // vertices of the window
	From       uint32         // destination of window position 0, in the shard
	Bits       uint32         // of a destination, at most 16
	Code       uint32         // bytes of a code: 1, 2, or 4 and 8, which are the weight; 0 without weights
	Copies     uint32         // log2 of the copies of each accumulator, at most 5
	Common     uint32         // 1: other chunks add to the same vertices
}

// PullPacked is kernel pull_packed, or pull_packed_rolled.
type PullPacked struct{ f device.Function }

// Launch queues it for chunks whose windows take at most the given bytes of shared
// memory: [WindowBytes]. What windows leave of a processor's memory is its
// cache, on which gathering depends: the fewer there are of large ones, the more
// threads has each.
func (k PullPacked) Launch(s device.Stream, chunks, shared int, a *PullArgs) error {
	threads := 512
	if shared > 64<<10 {
		threads = 1024
	}
	return k.launch(s, chunks, threads, shared, a)
}

func (k PullPacked) launch(s device.Stream, chunks, threads, shared int, a *PullArgs) error {
	return k.f.Launch(s, chunks, threads, shared, bytesOf(a))
}

// pullPacked is pull_packed and pull_packed_rolled.
func (k *emulator[V, A]) pullPacked(m device.Memory, g device.Grid, a *PullArgs) error {
	x := access{memory: m}
	chunks := view[PackedChunk](&x, a.Chunks, int64(g.Blocks))
	if x.err != nil {
		return x.err
	}
	c := &chunks[g.Block]
	heads := view[[2]uint32](&x, c.Heads, int64(c.Blocks))
	var codes []byte
	if c.Code != 0 {
		codes = x.bytes(c.Codes, int64(c.Blocks)*BlockSlots*int64(c.Code))
	}
	b := k.enter(&x, g, a, c.First, c.Count, k.slot*(uintptr(c.Count)+1)<<c.Copies)
	for i := range heads {
		c.each(&x, heads[i], func(slot, u, d uint32) {
			if d -= c.From; d < c.Count { // not below 0 either
				b.add(u, c.weight(&x, codes, uint32(BlockSlots*i)+slot), d)
			}
		})
	}
	return b.leave()
}

// each calls do with the slots of a block, their sources and their destinations in the
// shard, until an access fails.
func (c *PackedChunk) each(x *access, head [2]uint32, do func(slot, u, d uint32)) {
	width := head[1] & 63
	group := width + c.Bits
	data := x.bytes(c.Data+32*device.Pointer(head[1]>>6), 32*int64(group)+32)
	u := head[0]
	for slot := range uint32(BlockSlots) {
		if x.err != nil {
			return
		}
		from := data[slot/8*group:]
		u += field(from, slot%8*width, width)
		do(slot, u, field(from[width:], slot%8*c.Bits, c.Bits))
	}
}

// weight returns the weight of a slot of the chunk.
func (c *PackedChunk) weight(x *access, codes []byte, slot uint32) float64 {
	var code uint32
	switch c.Code {
	case 0:
		return 1
	case 1:
		code = uint32(codes[slot])
	case 2:
		code = uint32(binary.LittleEndian.Uint16(codes[2*slot:]))
	case 4:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(codes[4*slot:])))
	default:
		return math.Float64frombits(binary.LittleEndian.Uint64(codes[8*slot:]))
	}
	w := view[float32](x, c.Dictionary+4*device.Pointer(code), 1)
	if x.err != nil {
		return 0
	}
	return float64(w[0])
}

// field returns the number of width bits, at most 32, that begins at a bit.
func field(b []byte, at, width uint32) uint32 {
	return uint32(binary.LittleEndian.Uint64(b[at/8:]) >> (at % 8) & (1<<width - 1))
}
