package kernels

import (
	"fmt"
	"math"

	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/gpuengine/device"
)

// DivideArgs holds the arguments of kernel divide, which writes those edges of the rows of N vertices that lead to
// vertices in [From, End) as rows of all vertices. If ToOff is 0, or there are more than Room, it counts them only.
type DivideArgs struct {
	Off      device.Pointer // const uint64_t *: N+1 of them
	Edges    device.Pointer // uint32_t, or uint32_t and float where they have weights
	ToOff    device.Pointer // uint64_t *: N+1 of them
	To       device.Pointer // for Room edges
	State    device.Pointer // DivideState *: zero
	Room     uint64
	fraction uint64 // 2⁶⁴ over the number of blocks
	N        uint32
	From     uint32
	End      uint32
	Weighted uint32 // 1: edges have weights
}

// DivideState holds the results of a launch.
type DivideState struct {
	arrived uint32
	_       uint32
	Kept    uint64 // edges
	_       [mostBlocks]uint64
}

// Divide is kernel divide.
type Divide struct {
	f      device.Function
	blocks int
}

// LoadDivide loads the kernel, which is the same for all programs.
func LoadDivide(d device.Device) (k Divide, err error) {
	k.f, err = load(d, "divide", compiled.Fragments{}, guarded(divideTogether, nil))
	if err == nil {
		k.blocks, err = k.f.Together(advanceThreads, 0)
	}
	k.blocks = min(k.blocks, mostBlocks)
	return k, err
}

// Launch queues the kernel.
func (k Divide) Launch(s device.Stream, a *DivideArgs) error {
	a.fraction = math.MaxUint64 / uint64(k.blocks)
	return k.f.LaunchTogether(s, k.blocks, advanceThreads, 0, bytesOf(a))
}

// divideTogether is the kernel, edge by edge.
func divideTogether(m device.Memory, _ device.Grid, a *DivideArgs) error {
	x := access{memory: m}
	off := view[uint64](&x, a.Off, int64(a.N)+1)
	state := view[DivideState](&x, a.State, 1)
	if x.err != nil {
		return x.err
	}
	words := uint64(1 + a.Weighted)
	edges := view[uint32](&x, a.Edges, int64(words*off[a.N]))
	if x.err == nil && state[0].arrived != 0 {
		x.err = fmt.Errorf("%d blocks have arrived before the launch", state[0].arrived)
	}
	if x.err != nil {
		return x.err
	}
	keeps := func(e uint64) bool { return edges[words*e] >= a.From && edges[words*e] < a.End }
	state[0].Kept = 0
	for e := range off[a.N] {
		if keeps(e) {
			state[0].Kept++
		}
	}
	if a.ToOff == 0 || state[0].Kept > a.Room {
		return nil
	}
	toOff, to := view[uint64](&x, a.ToOff, int64(a.N)+1), view[uint32](&x, a.To, int64(words*state[0].Kept))
	if x.err != nil {
		return x.err
	}
	at := uint64(0)
	for v := range a.N {
		toOff[v] = at
		for e := off[v]; e < off[v+1]; e++ {
			if keeps(e) {
				copy(to[words*at:], edges[words*e:words*(e+1)])
				at++
			}
		}
	}
	toOff[a.N] = at
	return nil
}
