package kernels

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
)

// BlockSlots is the number of slots of a block of a packed shard.
const BlockSlots = 256

// PackedChunk is consecutive blocks of one side of a packed shard, of whose edges those
// count whose destinations lie in a window of its vertices: all of them, where their
// accumulators fit into the shared memory of one block.
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
	Code       uint32         // bytes of a code: 1, 2, or 4, which is the weight; 0 without weights
	Copies     uint32         // log2 of the copies of each accumulator, at most 5
	Common     uint32         // 1: other chunks add to the same vertices
}

// PullPackedArgs: Acc[v] = Sum(Acc[v], Gather along the chunk's edges); one block
// for each chunk.
type PullPackedArgs struct {
	Chunks     device.Pointer // const PackedChunk *
	Values     device.Pointer // const V *: of all vertices
	Acc        device.Pointer // A *: of all vertices, at a stride of kernels.SlotBytes
	Parameters device.Pointer // the program's fields
	Fault      device.Pointer // uint32_t *
}

// PullPacked is kernel pull_packed, or pull_packed_rolled.
type PullPacked struct{ f device.Function }

// Launch queues it for so many chunks, whose windows take so many bytes of shared
// memory at most: [WindowBytes]. What windows leave of a processor's memory is its
// cache, on which gathering depends: the fewer there are of large ones, the more
// threads has each.
func (k PullPacked) Launch(s device.Stream, chunks, shared int, a *PullPackedArgs) error {
	threads := 512
	if shared > 64<<10 {
		threads = 1024
	}
	return k.launch(s, chunks, threads, shared, a)
}

func (k PullPacked) launch(s device.Stream, chunks, threads, shared int, a *PullPackedArgs) error {
	return k.f.Launch(s, chunks, threads, shared, bytesOf(a))
}

// packing is a block of kernel pull_packed: its chunk, and the arrays of it.
type packing[V, A any] struct {
	gathering[V, A]
	chunk *PackedChunk
	heads [][2]uint32
	codes []byte
}

// pullPacked: each warp takes blocks, each lane a slot of 32 consecutive ones.
func (k *emulator[V, A]) pullPacked(m device.Memory, g device.Grid, a *PullPackedArgs) error {
	x := access{memory: m}
	chunks := view[PackedChunk](&x, a.Chunks, int64(g.Blocks))
	if x.err != nil {
		return x.err
	}
	c := &chunks[g.Block]
	b := packing[V, A]{chunk: c, heads: view[[2]uint32](&x, c.Heads, int64(c.Blocks))}
	b.program = k.program
	b.window = view[V](&x, a.Values+device.Pointer(c.First)*k.size, int64(c.Count))
	if c.Code != 0 {
		b.codes = x.bytes(c.Codes, int64(c.Blocks)*BlockSlots*int64(c.Code))
	}
	acc := k.accumulators(&x, a.Acc, c.First, c.Count)
	if x.err != nil {
		return x.err
	}
	need := k.slot * (uintptr(c.Count) + 1) << c.Copies
	if need > uintptr(g.Shared) {
		return fmt.Errorf("accumulators of %d bytes, %d are shared", need, g.Shared)
	}
	words := make([]uint64, need/8+1)
	b.shared = slots[A]{unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), need), k.slot}
	for i := range (c.Count + 1) << c.Copies {
		*b.shared.at(i) = k.program.Zero()
	}
	for i := range b.heads {
		if err := k.pullBlock(&x, a, &b, i); err != nil {
			return err
		}
	}
	for i := range c.Count {
		sum := *b.shared.at(i << c.Copies)
		for copied := uint32(1); copied < 1<<c.Copies; copied++ {
			sum = k.program.Sum(sum, *b.shared.at(i<<c.Copies + copied))
		}
		if c.Common != 0 {
			k.swap(m, acc.at(i), sum)
			continue
		}
		*acc.at(i) = k.program.Sum(*acc.at(i), sum)
	}
	return nil
}

// pullBlock adds what the slots of block i contribute that are edges.
func (k *emulator[V, A]) pullBlock(x *access, a *PullPackedArgs, b *packing[V, A], i int) error {
	c := b.chunk
	c.each(x, b.heads[i], func(slot, u, d uint32) {
		if d -= c.From; d >= c.Count { // below 0 too
			return
		}
		src := view[V](x, a.Values+device.Pointer(u)*k.size, 1)
		weight := b.weight(x, uint32(BlockSlots*i)+slot)
		if x.err == nil {
			edge := k.program.Gather(src[0], gas.Edge{Weight: weight}, b.window[d])
			b.add(d<<c.Copies+slot%32&(1<<c.Copies-1), edge)
		}
	})
	return x.err
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

// weight is that of a slot of the chunk.
func (b *packing[V, A]) weight(x *access, slot uint32) float32 {
	var code uint32
	switch b.chunk.Code {
	case 0:
		return 1
	case 1:
		code = uint32(b.codes[slot])
	case 2:
		code = uint32(binary.LittleEndian.Uint16(b.codes[2*slot:]))
	default:
		return math.Float32frombits(binary.LittleEndian.Uint32(b.codes[4*slot:]))
	}
	w := view[float32](x, b.chunk.Dictionary+4*device.Pointer(code), 1)
	if x.err != nil {
		return 0
	}
	return w[0]
}

// field is the number of so many bits, at most 32, that begins at a bit.
func field(b []byte, at, width uint32) uint32 {
	return uint32(binary.LittleEndian.Uint64(b[at/8:]) >> (at % 8) & (1<<width - 1))
}
