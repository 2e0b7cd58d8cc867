package kernels

import (
	"errors"
	"math"

	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/gpuengine/device"
)

// GatherPackedArgs holds the arguments of kernel gather_packed, which decodes blocks and only
// gathers the values of their sources, Width bytes each: a ceiling for every pull over packed
// shards. One block for each chunk.
type GatherPackedArgs struct {
	Chunks device.Pointer // const PackedChunk *
	Values device.Pointer
	Sink   device.Pointer
	Width  uint64
}

// GatherPacked is kernel gather_packed.
type GatherPacked struct{ f device.Function }

// LoadGatherPacked loads the kernel, which is the same for all programs.
func LoadGatherPacked(d device.Device) (k GatherPacked, err error) {
	k.f, err = load(d, "gather_packed", compiled.Fragments{}, guarded(gatherPackedBlock, nil))
	return k, err
}

// Launch queues the kernel for chunks.
func (k GatherPacked) Launch(s device.Stream, chunks int, a *GatherPackedArgs) error {
	return k.f.Launch(s, chunks, 2*Threads, 0, bytesOf(a))
}

func gatherPackedBlock(m device.Memory, g device.Grid, a *GatherPackedArgs) error {
	x := access{memory: m}
	chunks := view[PackedChunk](&x, a.Chunks, int64(g.Blocks))
	if x.err != nil {
		return x.err
	}
	c, sum := &chunks[g.Block], 0
	for _, head := range view[[2]uint32](&x, c.Heads, int64(c.Blocks)) {
		c.each(&x, head, func(_, u, d uint32) {
			if value := x.bytes(a.Values+device.Pointer(a.Width)*device.Pointer(u), int64(a.Width)); x.err == nil {
				sum += int(value[0]) + int(d)
			}
		})
	}
	if x.err == nil && sum == math.MaxInt {
		return errors.New("invalid sum")
	}
	return x.err
}
