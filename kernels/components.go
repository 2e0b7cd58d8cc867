package kernels

import (
	"errors"

	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/gpuengine/device"
)

// ComponentsArgs: Parent[v] becomes the least vertex of the weakly connected component of v,
// for all N vertices of a graph whose rows lie on the device.
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

// What components.cu has, too: of sparseVertices, one is linked with its second neighbour.
const (
	componentsThreads = 4 * Threads // of a block
	sparseVertices    = 4
)

// LoadComponents loads it; it is the same for all programs.
func LoadComponents(d device.Device) (k Components, err error) {
	k.f, err = load(d, "components", compiled.Fragments{}, guarded(componentsTogether, func(*ComponentsArgs) device.Pointer { return 0 }))
	if err == nil {
		k.blocks, err = k.f.Together(componentsThreads, 0)
	}
	return k, err
}

// Launch queues it.
func (k Components) Launch(s device.Stream, a *ComponentsArgs) error {
	return k.f.LaunchTogether(s, k.blocks, componentsThreads, 0, bytesOf(a))
}

// componentsTogether goes the way of the kernel's blocks, vertex by vertex.
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
	f := emulatedForest(parent)
	for v := range a.N {
		parent[v] = v
		if row := nbr[off[v]:off[v+1]]; len(row) > 0 {
			parent[v] = min(v, row[0])
		}
	}
	f.compress()
	for v := range a.N {
		if row := nbr[off[v]:off[v+1]]; len(row) > 1 && v/32%sparseVertices == 0 {
			f.link(v, row[1])
		}
	}
	f.compress()
	common := f.commonRoot(nbr)
	for v := range a.N {
		if a.Symmetric == 0 || parent[v] != common {
			for _, u := range nbr[off[v]:off[v+1]] {
				f.link(v, u)
			}
		}
	}
	f.compress()
	return nil
}

// emulatedForest has the parent of each vertex, which is not above it.
type emulatedForest []uint32

func (f emulatedForest) root(v uint32) uint32 {
	for f[v] != v {
		v = f[v]
	}
	return v
}

func (f emulatedForest) link(u, v uint32) {
	a, b := f.root(u), f.root(v)
	f[max(a, b)] = min(a, b)
}

func (f emulatedForest) compress() {
	for v := range f {
		f[v] = f[f[v]]
	}
}

// commonRoot is that of most of some edges.
func (f emulatedForest) commonRoot(nbr []uint32) (root uint32) {
	const samples = 256
	counts := map[uint32]int{}
	for i := range min(samples, len(nbr)) {
		r := f[nbr[len(nbr)*i/samples]]
		if counts[r]++; counts[r] > counts[root] || counts[r] == counts[root] && r > root {
			root = r
		}
	}
	return root
}
