package kernels

import (
	"fmt"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/shard"
)

// MaxAccumulator is the largest accumulator that the kernels fold, in bytes.
const MaxAccumulator = 16

// Chunk is consecutive edges of one side whose destinations lie in a small window, so
// that one block can hold its accumulators in shared memory; the first and the last
// destination may have edges in other chunks as well. The sources and destinations of a
// shard begin at multiples of 16 and of 32 bytes, so that edge e of it has an address
// that determines e mod 16.
type Chunk struct {
	Nbr    device.Pointer // const uint32_t *: sources, of the edges from Edge on
	Weight device.Pointer // const weight_t *: their weights, or 0
	Dst    device.Pointer // const uint16_t *: their destinations, less First
	Edges  uint32         // how many
	First  uint32         // vertex of window position 0
	Count  uint32         // vertices of the window
	Copies uint32         // replicated gather: log2 of the copies of each accumulator
	Head   uint32         // 1: the first vertex has edges in other chunks too
	Tail   uint32         // 1: the last one
}

// PullArgs holds the arguments of kernels pull_replicated and pull_segmented: Acc[v] = Sum(Acc[v],
// Gather along the chunk's edges); one block for each chunk.
type PullArgs struct {
	Chunks     device.Pointer // const chunk *
	Values     device.Pointer // const V *: of all vertices
	Acc        device.Pointer // A *: of all vertices, at a stride of kernels.SlotBytes
	Parameters device.Pointer // the program's fields
	Fault      device.Pointer // uint32_t *
}

// Run is the number of consecutive edges that a thread of pull_segmented folds in registers.
const Run = 16

// Pull is a pull kernel: pull_segmented or pull_replicated.
type Pull struct{ f device.Function }

// Launch queues the kernel for chunks, whose accumulators take at most shared bytes of shared
// memory.
func (k Pull) Launch(s device.Stream, chunks, shared int, a *PullArgs) error {
	return k.f.Launch(s, chunks, Threads, shared, bytesOf(a))
}

// pulled is a block of a pull kernel on an emulated device: a window of vertices, and what was
// gathered for them, edge by edge. How threads share the edges, and copies of accumulators, is not
// emulated.
type pulled[V, A any] struct {
	*emulator[V, A]
	*access
	values device.Pointer
	acc    slots[A]
	window []V
	sums   []A
}

// enter prepares a block, whose accumulators take some bytes of shared memory.
func (k *emulator[V, A]) enter(x *access, g device.Grid, a *PullArgs, first, count uint32,
	shared uintptr) *pulled[V, A] {
	b := &pulled[V, A]{emulator: k, access: x, values: a.Values, sums: make([]A, count)}
	b.window = view[V](x, a.Values+device.Pointer(first)*k.size, int64(count))
	b.acc = k.accumulators(x, a.Acc, first, count)
	if x.err == nil && shared > uintptr(g.Shared) {
		x.err = fmt.Errorf("accumulators of %d bytes, %d are shared", shared, g.Shared)
	}
	for i := range b.sums {
		b.sums[i] = k.program.Zero()
	}
	return b
}

// add gathers along an edge from u to a vertex of the window.
func (b *pulled[V, A]) add(u uint32, weight float64, d uint32) {
	if src := view[V](b.access, b.values+device.Pointer(u)*b.size, 1); b.err == nil {
		b.sums[d] = b.program.Sum(b.sums[d], b.program.Gather(src[0], gas.Edge{Weight: weight}, b.window[d]))
	}
}

// leave adds what was gathered to the accumulators of the vertices, as other blocks do.
func (b *pulled[V, A]) leave() error {
	b.memory.Lock()
	defer b.memory.Unlock()
	for i := range b.sums {
		if b.err == nil {
			at := b.acc.at(uint32(i))
			*at = b.program.Sum(*at, b.sums[i])
		}
	}
	return b.err
}

// pull is pull_segmented and pull_replicated.
func (k *emulator[V, A]) pull(m device.Memory, g device.Grid, a *PullArgs) error {
	x := access{memory: m}
	chunks := view[Chunk](&x, a.Chunks, int64(g.Blocks))
	if x.err != nil {
		return x.err
	}
	c := &chunks[g.Block]
	nbr, dst := view[uint32](&x, c.Nbr, int64(c.Edges)), view[uint16](&x, c.Dst, int64(c.Edges))
	var weights shard.Plane
	switch {
	case c.Weight == 0:
	case k.wide:
		weights.Wide = view[float64](&x, c.Weight, int64(c.Edges))
	default:
		weights.Narrow = view[float32](&x, c.Weight, int64(c.Edges))
	}
	b := k.enter(&x, g, a, c.First, c.Count, uintptr(c.Count)*k.slot<<c.Copies)
	for e := 0; e < len(nbr) && x.err == nil; e++ {
		b.add(nbr[e], weights.At(e), uint32(dst[e]))
	}
	return b.leave()
}
