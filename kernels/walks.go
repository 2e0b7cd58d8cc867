package kernels

import (
	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/walk"
)

// WalksArgs holds the arguments of kernel walks, which makes Count walks, of Walks from each source.
type WalksArgs struct {
	Off     device.Pointer // const uint64_t *: N+1 of them
	Edges   device.Pointer // const void *: the bytes of [frontier.Rows]
	Sums    device.Pointer // const double *: M of them; if 0, there are no weights
	Sources device.Pointer // const uint32_t *: if 0, walk i is from vertex i / Walks
	To      device.Pointer // uint32_t *: Count of them after each step

	Seed, First uint64  // the state of all random numbers, the first walk
	Back, Far   float64 // as in [walk.Graph]
	M           uint64

	N, Count, Walks, Length uint32
	Weight                  uint32 // its bytes
	_                       uint32
}

// Walks is kernel walks.
type Walks struct{ f device.Function }

// LoadWalks loads the kernel, which is the same for all programs.
func LoadWalks(d device.Device) (k Walks, err error) {
	k.f, err = load(d, "walks", compiled.Fragments{}, guarded(walksBlock, nil))
	return k, err
}

// Launch queues the walks.
func (k Walks) Launch(s device.Stream, a *WalksArgs) error {
	return k.f.Launch(s, int((a.Count-1)/Threads)+1, Threads, 0, bytesOf(a))
}

// walksBlock makes the walks of a block.
func walksBlock(m device.Memory, grid device.Grid, a *WalksArgs) error {
	x, edges := access{memory: m}, int64(a.M)
	last := int64((a.First + uint64(a.Count) - 1) / uint64(a.Walks))
	var sources []uint32
	if a.Sources != 0 {
		sources = view[uint32](&x, a.Sources, last+1)
	}
	to := view[uint32](&x, a.To, int64(a.Length)*int64(a.Count))
	g := walk.Graph{Rows: &frontier.Rows{Off: view[uint64](&x, a.Off, int64(a.N)+1)}, Back: a.Back, Far: a.Far}
	switch a.Weight {
	case 0:
		g.Rows.Nbr = view[uint32](&x, a.Edges, edges)
	case 4:
		g.Rows.Arcs = view[frontier.Arc](&x, a.Edges, edges)
	default:
		g.Rows.Wide = view[float64](&x, a.Edges, edges)
		g.Rows.Nbr = view[uint32](&x, a.Edges+device.Pointer(8*edges), edges)
	}
	if a.Sums != 0 {
		g.Sums = view[float64](&x, a.Sums, edges)
	}
	for i := grid.Block * Threads; i < min((grid.Block+1)*Threads, int(a.Count)) && x.err == nil; i++ {
		at := a.First + uint64(i)
		v, before := uint32(at/uint64(a.Walks)), uint32(0)
		if sources != nil {
			v = sources[v]
		}
		random := (uint64(v)*uint64(a.Walks) + at%uint64(a.Walks)) * uint64(a.Length)
		for step := range uint64(a.Length) {
			own := walk.Mixed(a.Seed + (random+step+1)*walk.Gamma)
			from := v
			if step > 0 && (a.Back != 1 || a.Far != 1) {
				v = g.BiasedStep(v, before, own)
			} else {
				v = g.Step(v, own)
			}
			before = from
			to[step*uint64(a.Count)+uint64(i)] = v
		}
	}
	return x.err
}
