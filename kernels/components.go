package kernels

import (
	"errors"

	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/gpuengine/device"
)

// ComponentsArgs holds the arguments of kernel components, which sets Parent[v] to the least vertex
// of the weakly connected component of v, for all N vertices of a graph whose rows are on the
// device.
type ComponentsArgs struct {
	Off       device.Pointer // const uint64_t *: N+1 of them
	Nbr       device.Pointer // const uint32_t *: each is below N
	Parent    device.Pointer // uint32_t *: N of them, with any content
	Arrived   device.Pointer // uint32_t *: how many blocks came to barriers, 0 before the launch
	N         uint32
	Symmetric uint32 // not 0: rows have both directions of every edge
}

// Components is kernel components.
type Components struct {
	f      device.Function
	blocks int
}

const componentsThreads = 4 * Threads // of a block, as components.cu has it

// LoadComponents loads the kernel, which is the same for all programs.
func LoadComponents(d device.Device) (k Components, err error) {
	k.f, err = load(d, "components", compiled.Fragments{}, guarded(componentsTogether, nil))
	if err == nil {
		k.blocks, err = k.f.Together(componentsThreads, 0)
	}
	return k, err
}

// Launch queues the kernel.
func (k Components) Launch(s device.Stream, a *ComponentsArgs) error {
	return k.f.LaunchTogether(s, k.blocks, componentsThreads, 0, bytesOf(a))
}

// componentsTogether is the kernel, edge by edge.
func componentsTogether(m device.Memory, g device.Grid, a *ComponentsArgs) error {
	x := access{memory: m}
	off := view[uint64](&x, a.Off, int64(a.N)+1)
	parent := view[uint32](&x, a.Parent, int64(a.N))
	arrived := view[uint32](&x, a.Arrived, 1)
	if x.err != nil {
		return x.err
	}
	nbr := view[uint32](&x, a.Nbr, int64(off[a.N]))
	if x.err == nil && arrived[0] != 0 {
		x.err = errors.New("blocks have arrived before the launch")
	}
	if x.err != nil {
		return x.err
	}
	arrived[0] = uint32(6 * g.Blocks)
	unite(parent, off, nbr)
	return nil
}

// unite sets the parent of each vertex to the least vertex of its component.
func unite(parent []uint32, off []uint64, nbr []uint32) {
	for v := range parent {
		parent[v] = uint32(v)
	}
	root := func(v uint32) uint32 {
		for parent[v] != v {
			parent[v] = parent[parent[v]]
			v = parent[v]
		}
		return v
	}
	for v := range parent {
		for _, u := range nbr[off[v]:off[v+1]] {
			a, b := root(u), root(uint32(v))
			parent[max(a, b)] = min(a, b)
		}
	}
	for v := range parent {
		parent[v] = root(uint32(v))
	}
}
