package kernels

import (
	"errors"
	"math"

	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/gpuengine/device"
)

// GatherArgs: nothing but the values of the sources, Width bytes each, is
// gathered; the ceiling of every pull.
type GatherArgs struct {
	Nbr    device.Pointer
	Values device.Pointer
	Sink   device.Pointer
	Edges  uint64 // a multiple of Run
	Width  uint64
}

// Gather is kernel gather.
type Gather struct{ f device.Function }

// LoadGather loads it; it is the same for all programs.
func LoadGather(d device.Device) (k Gather, err error) {
	k.f, err = load(d, "gather", compiled.Fragments{}, guarded(gatherBlock, nil))
	return k, err
}

// Launch queues it in some blocks.
func (k Gather) Launch(s device.Stream, blocks int, a *GatherArgs) error {
	return k.f.Launch(s, blocks, Threads, 0, bytesOf(a))
}

// gatherBlock: the blocks share the edges.
func gatherBlock(m device.Memory, g device.Grid, a *GatherArgs) error {
	x := access{memory: m}
	nbr := view[uint32](&x, a.Nbr, int64(a.Edges))
	most := uint32(0)
	for _, u := range nbr {
		most = max(most, u)
	}
	values := x.bytes(a.Values, int64(a.Width)*(int64(most)+1))
	if x.err != nil {
		return x.err
	}
	sum := 0
	for i := g.Block; i < len(nbr)/Run; i += g.Blocks {
		for _, u := range nbr[Run*i:][:Run] {
			sum += int(values[uint64(u)*a.Width])
		}
	}
	if sum == math.MaxInt {
		return errors.New("a sum that cannot be")
	}
	return nil
}
