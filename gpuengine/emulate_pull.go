package gpuengine

import (
	"bytes"
	"fmt"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
)

// run is how many consecutive edges a thread folds in registers.
const run = 16

// gathering is a block of a pull kernel: its chunk, and the arrays of it.
type gathering[V, A any] struct {
	program gas.Program[V, A]
	chunk   *chunk
	nbr     []uint32
	weight  []float32
	dst     []uint16
	values  []V // of as many vertices as the neighbours reach
	window  []V
	shared  slots[A]
}

// enter prepares a block, its accumulators at zero.
func (k *emulator[V, A]) enter(m device.Memory, g device.Grid, a *pullArgs) (*gathering[V, A], error) {
	chunks, err := view[chunk](m, a.Chunks, int64(g.Blocks))
	if err != nil {
		return nil, err
	}
	c := &chunks[g.Block]
	b := &gathering[V, A]{program: k.program, chunk: c}
	if b.nbr, err = view[uint32](m, c.Nbr, int64(c.Edges)); err != nil {
		return nil, err
	}
	if b.dst, err = view[uint16](m, c.Dst, int64(c.Edges)); err != nil {
		return nil, err
	}
	if c.Weight != 0 {
		if b.weight, err = view[float32](m, c.Weight, int64(c.Edges)); err != nil {
			return nil, err
		}
	}
	most := uint32(0)
	for _, u := range b.nbr {
		most = max(most, u)
	}
	if b.values, err = view[V](m, a.Values, int64(most)+1); err != nil {
		return nil, err
	}
	if b.window, err = view[V](m, a.Values+device.Pointer(int64(c.First)*k.size), int64(c.Count)); err != nil {
		return nil, err
	}
	need := uintptr(c.Count) * k.slot << c.Copies
	if need > uintptr(g.Shared) {
		return nil, fmt.Errorf("accumulators of %d bytes, %d are shared", need, g.Shared)
	}
	b.shared = slots[A]{bytesOfSlice(make([]uint64, (need+7)/8)), k.slot}
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

// pullSegmented: each thread folds runs of consecutive edges, and adds to the
// block's accumulators where the destination changes.
func (k *emulator[V, A]) pullSegmented(m device.Memory, g device.Grid, a *pullArgs) error {
	b, err := k.enter(m, g, a)
	if err != nil {
		return err
	}
	n := len(b.nbr)
	for first := 0; first < n; first += run * g.Threads {
		for t := range g.Threads {
			from, to := min(first+run*t, n), min(first+run*(t+1), n)
			if from == to {
				break
			}
			at, acc := b.dst[from], b.edge(from)
			for e := from + 1; e < to; e++ {
				x := b.edge(e)
				if b.dst[e] != at {
					b.add(uint32(at), acc)
					at, acc = b.dst[e], x
					continue
				}
				acc = k.program.Sum(acc, x)
			}
			b.add(uint32(at), acc)
		}
	}
	return k.leave(m, a, b)
}

// pullReplicated: a thread per edge adds to its copy of the accumulator; then
// the copies are added up as a tree (Garaph, section 4.3).
func (k *emulator[V, A]) pullReplicated(m device.Memory, g device.Grid, a *pullArgs) error {
	b, err := k.enter(m, g, a)
	if err != nil {
		return err
	}
	r := uint32(1) << b.chunk.Copies
	for e := range b.nbr {
		t := uint32(e % g.Threads)
		b.add(uint32(b.dst[e])*r+t%r, b.edge(e))
	}
	for half := r / 2; half > 0; half /= 2 {
		for i := range b.chunk.Count {
			for j := range half {
				b.add(i*r+j, *b.shared.at(i*r + j + half))
			}
		}
	}
	for i := uint32(1); i < b.chunk.Count; i++ {
		*b.shared.at(i) = *b.shared.at(i * r)
	}
	return k.leave(m, a, b)
}

// leave adds the block's accumulators to those of the vertices: atomically where
// other chunks add too.
func (k *emulator[V, A]) leave(m device.Memory, a *pullArgs, b *gathering[V, A]) error {
	c := b.chunk
	acc, err := k.accumulators(m, a.Acc, c.First, c.Count)
	if err != nil {
		return err
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
	var had [maxAccumulator]byte
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
