package kernels

import (
	"encoding/binary"
	"math"

	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/gpuengine/device"
)

// CheckPackedArgs holds the arguments of kernel check_packed, which writes to Result what it finds
// in the blocks of one side of a packed shard. The checksums must be right, and the blocks must lie
// in the data one after another.
type CheckPackedArgs struct {
	Heads    device.Pointer // const uint2 *: of all blocks
	Data     device.Pointer // const uint8_t *: 32 bytes more can be read
	Codes    device.Pointer // of all slots, or 0 without weights
	Result   device.Pointer // CheckPackedResult *: 0 before the launch
	Blocks   uint32         // how many, at least one
	N        uint32         // vertices of the graph
	Vertices uint32         // of the shard: destination of slots that are no edges
	Bits     uint32         // of a destination: 14 or 16
	Code     uint32         // bytes of a code: 1, 2, or 4 and 8, which are the weight; 0 without weights
	Entries  uint32         // of the dictionary
}

// CheckPackedResult is the result of a check.
type CheckPackedResult struct {
	Edges uint32
	Wrong uint32 // not 0: a source, a destination, a code or a weight is
}

// CheckPacked is kernel check_packed.
type CheckPacked struct{ f device.Function }

// LoadCheckPacked loads the kernel, which is the same for all programs.
func LoadCheckPacked(d device.Device) (k CheckPacked, err error) {
	k.f, err = load(d, "check_packed", compiled.Fragments{}, guarded(checkPackedBlock, nil))
	return k, err
}

// checkBlocks is the number of blocks of a side a warp checks, one after another.
const checkBlocks = 8

// Launch queues the kernel.
func (k CheckPacked) Launch(s device.Stream, a *CheckPackedArgs) error {
	const each = checkBlocks * Threads / 32
	return k.f.Launch(s, int((a.Blocks+each-1)/each), Threads, 0, bytesOf(a))
}

// checkPackedBlock checks packed blocks: each warp takes blocks, each lane a group of 8 slots, in strides of the grid.
func checkPackedBlock(m device.Memory, g device.Grid, a *CheckPackedArgs) error {
	x := access{memory: m}
	heads := view[[2]uint32](&x, a.Heads, int64(a.Blocks))
	result := view[CheckPackedResult](&x, a.Result, 1)
	var found CheckPackedResult
	for warps, at := g.Threads/32, g.Block*g.Threads/32; at < len(heads); at += g.Blocks * warps {
		for i := at; i < min(at+warps, len(heads)); i++ {
			a.block(&x, heads, i, &found)
		}
	}
	if x.err != nil {
		return x.err
	}
	m.Lock()
	defer m.Unlock()
	result[0].Edges += found.Edges
	result[0].Wrong |= found.Wrong
	return nil
}

// block checks block i.
func (a *CheckPackedArgs) block(x *access, heads [][2]uint32, i int, found *CheckPackedResult) {
	width := heads[i][1] & 63
	group := width + a.Bits
	data := x.bytes(a.Data+32*device.Pointer(heads[i][1]>>6), 32*int64(group)+32)
	var codes []byte
	if a.Code > 0 {
		size := BlockSlots * device.Pointer(a.Code)
		codes = x.bytes(a.Codes+device.Pointer(i)*size, int64(size))
	}
	if x.err != nil {
		return
	}
	last, wrong := uint64(heads[i][0]), false
	for slot := range uint32(BlockSlots) {
		from := data[slot/8*group:]
		last += uint64(field(from, slot%8*width, width))
		d := field(from[width:], slot%8*a.Bits, a.Bits)
		if d < a.Vertices {
			found.Edges++
		}
		wrong = wrong || d > a.Vertices || a.Code > 0 && a.wrongCode(codes[slot*a.Code:])
	}
	if wrong || last >= uint64(a.N) || i+1 < len(heads) && last > uint64(heads[i+1][0]) {
		found.Wrong = 1
	}
}

// wrongCode looks at the weight of a slot, or at its place in the dictionary.
func (a *CheckPackedArgs) wrongCode(code []byte) bool {
	switch a.Code {
	case 1:
		return uint32(code[0]) >= a.Entries
	case 2:
		return uint32(binary.LittleEndian.Uint16(code)) >= a.Entries
	}
	weight := float64(math.Float32frombits(binary.LittleEndian.Uint32(code)))
	if a.Code == 8 {
		weight = math.Float64frombits(binary.LittleEndian.Uint64(code))
	}
	return !(weight >= 0 && weight <= math.MaxFloat64) // not for an infinity either
}
