package kernels

import (
	"bytes"
	"fmt"
	"unsafe"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
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
	Weight device.Pointer // const float *: their weights, or 0
	Dst    device.Pointer // const uint16_t *: their destinations, less First
	Edges  uint32         // how many
	First  uint32         // vertex of window position 0
	Count  uint32         // vertices of the window
	Copies uint32         // replicated gather: log2 of the copies of each accumulator
	Head   uint32         // 1: the first vertex has edges in other chunks too
	Tail   uint32         // 1: the last one
}

// PullArgs: Acc[v] = Sum(Acc[v], Gather along the chunk's edges); one block
// for each chunk. Kernels pull_replicated and pull_segmented.
type PullArgs struct {
	Chunks     device.Pointer // const chunk *
	Values     device.Pointer // const V *: of all vertices
	Acc        device.Pointer // A *: of all vertices, at a stride of kernels.SlotBytes
	Parameters device.Pointer // the program's fields
	Fault      device.Pointer // uint32_t *
}

// Pull is a pull kernel: pull_segmented or pull_replicated.
type Pull struct{ f device.Function }

// Launch queues it for so many chunks, whose accumulators take so many bytes of
// shared memory at most.
func (k Pull) Launch(s device.Stream, chunks, shared int, a *PullArgs) error {
	return k.f.Launch(s, chunks, Threads, shared, bytesOf(a))
}

// gathering is a block of a pull kernel: its chunk, and the arrays of it.
type gathering[V, A any] struct {
	program gas.Program[V, A]
	chunk   *Chunk
	nbr     []uint32
	weight  []float32
	dst     []uint16
	values  []V // of as many vertices as the neighbours reach
	window  []V
	shared  slots[A]
}

// enter prepares a block, its accumulators at zero.
func (k *emulator[V, A]) enter(m device.Memory, g device.Grid, a *PullArgs) (*gathering[V, A], error) {
	x := access{memory: m}
	chunks := view[Chunk](&x, a.Chunks, int64(g.Blocks))
	if x.err != nil {
		return nil, x.err
	}
	c := &chunks[g.Block]
	b := &gathering[V, A]{program: k.program, chunk: c, nbr: view[uint32](&x, c.Nbr, int64(c.Edges)), dst: view[uint16](&x, c.Dst, int64(c.Edges))}
	if c.Weight != 0 {
		b.weight = view[float32](&x, c.Weight, int64(c.Edges))
	}
	most := uint32(0)
	for _, u := range b.nbr {
		most = max(most, u)
	}
	b.values = view[V](&x, a.Values, int64(most)+1)
	b.window = view[V](&x, a.Values+device.Pointer(c.First)*k.size, int64(c.Count))
	if x.err != nil {
		return nil, x.err
	}
	need := uintptr(c.Count) * k.slot << c.Copies
	if need > uintptr(g.Shared) {
		return nil, fmt.Errorf("accumulators of %d bytes, %d are shared", need, g.Shared)
	}
	words := make([]uint64, need/8+1)
	shared := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))
	b.shared = slots[A]{shared[:need:need], k.slot}
	for i := range c.Count << c.Copies {
		*b.shared.at(i) = k.program.Zero()
	}
	return b, nil
}

// edge is what the e-th edge contributes.
func (b *gathering[V, A]) edge(e int) A {
	edge := gas.Edge{Weight: 1}
	if b.weight != nil {
		edge.Weight = b.weight[e]
	}
	return b.program.Gather(b.values[b.nbr[e]], edge, b.window[b.dst[e]])
}

// add folds into an accumulator of the block.
func (b *gathering[V, A]) add(slot uint32, x A) {
	s := b.shared.at(slot)
	*s = b.program.Sum(*s, x)
}

// leave adds the block's accumulators to those of the vertices: atomically where
// other chunks add too.
func (k *emulator[V, A]) leave(m device.Memory, a *PullArgs, b *gathering[V, A]) error {
	c := b.chunk
	x := access{memory: m}
	acc := k.accumulators(&x, a.Acc, c.First, c.Count)
	if x.err != nil {
		return x.err
	}
	for i := range c.Count {
		if i == 0 && c.Head != 0 || i == c.Count-1 && c.Tail != 0 {
			k.swap(m, acc.at(i), *b.shared.at(i))
			continue
		}
		s := acc.at(i)
		*s = k.program.Sum(*s, *b.shared.at(i))
	}
	return nil
}

// swap folds x into memory to which others add: reads, folds, and writes if
// nobody came between. All bytes count, those between fields too.
func (k *emulator[V, A]) swap(m device.Memory, to *A, x A) {
	memory := bytesOf(to)
	var had [MaxAccumulator]byte
	m.Lock()
	n := copy(had[:], memory)
	m.Unlock()
	for {
		var seen A
		copy(bytesOf(&seen), had[:n])
		sum := k.program.Sum(seen, x)
		m.Lock()
		same := bytes.Equal(memory, had[:n])
		if same {
			*to = sum
		}
		copy(had[:], memory)
		m.Unlock()
		if same {
			return
		}
	}
}
