package gpuengine

import (
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
)

// emulator does what the kernels do, with the program's own methods: block by
// block, thread by thread where it matters, in the shape of the kernels.
type emulator[V, A any] struct {
	program    gas.Program[V, A]
	settleable gas.Settleable[V] // nil without the ability
	aggregable gas.Aggregable[V] // likewise
	slot       uintptr           // bytes of an accumulator
	size       int64             // bytes of a value
}

// emulation gives the kernels by name.
func (e *Engine[V, A]) emulation() map[string]func(device.Memory, device.Grid, []byte) error {
	var v V
	m := &emulator[V, A]{program: e.program, slot: uintptr(e.plan.slot), size: int64(unsafe.Sizeof(v))}
	m.settleable, _ = e.program.(gas.Settleable[V])
	m.aggregable, _ = e.program.(gas.Aggregable[V])
	return map[string]func(device.Memory, device.Grid, []byte) error{
		"zero":            guarded(m.zero, func(a *zeroArgs) device.Pointer { return a.Fault }),
		"expand":          guarded(m.expand, func(*expandArgs) device.Pointer { return 0 }),
		"pull_segmented":  guarded(m.pullSegmented, func(a *pullArgs) device.Pointer { return a.Fault }),
		"pull_replicated": guarded(m.pullReplicated, func(a *pullArgs) device.Pointer { return a.Fault }),
		"apply":           guarded(m.apply, func(a *applyArgs) device.Pointer { return a.Fault }),
	}
}

// guarded reads the arguments of a kernel. A panic of the program's becomes the
// fault that its fragment reports.
func guarded[T any](kernel func(device.Memory, device.Grid, *T) error, fault func(*T) device.Pointer) func(device.Memory, device.Grid, []byte) error {
	return func(m device.Memory, g device.Grid, args []byte) (err error) {
		var t T
		if len(args) != int(unsafe.Sizeof(t)) {
			return fmt.Errorf("%d bytes of arguments, expected %d", len(args), unsafe.Sizeof(t))
		}
		copy(bytesOf(&t), args)
		defer func() {
			r := recover()
			if r == nil {
				return
			}
			words, at := view[uint32](m, fault(&t), 1)
			if err = at; err == nil {
				m.Lock()
				defer m.Unlock()
				words[0] = max(words[0], uint32(faultOf(r)))
			}
		}()
		return kernel(m, g, &t)
	}
}

// faultOf is the fault that a panic is on a GPU.
func faultOf(r any) gas.Fault {
	e, ok := r.(runtime.Error)
	switch {
	case !ok:
		return gas.Panicked
	case strings.Contains(e.Error(), "divide by zero"):
		return gas.DivisionByZero
	case strings.Contains(e.Error(), "index out of range"):
		return gas.IndexOutOfRange
	case strings.Contains(e.Error(), "negative shift"):
		return gas.NegativeShift
	default:
		return gas.Panicked
	}
}

// view is n values in a device's memory.
func view[T any](m device.Memory, p device.Pointer, n int64) ([]T, error) {
	var t T
	b, err := m.Bytes(p, n*int64(unsafe.Sizeof(t)))
	if err != nil || n == 0 {
		return nil, err
	}
	if uintptr(unsafe.Pointer(&b[0]))%unsafe.Alignof(t) != 0 {
		return nil, fmt.Errorf("access at %#x, which is not aligned to %d bytes", uint64(p), unsafe.Alignof(t))
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n), nil
}

// slots are accumulators at the stride of the kernels.
type slots[A any] struct {
	memory []byte
	stride uintptr
}

func (s slots[A]) at(i uint32) *A {
	return (*A)(unsafe.Pointer(&s.memory[uintptr(i)*s.stride]))
}

func (k *emulator[V, A]) accumulators(m device.Memory, p device.Pointer, first, n uint32) (slots[A], error) {
	b, err := m.Bytes(p+device.Pointer(uintptr(first)*k.slot), int64(n)*int64(k.slot))
	return slots[A]{b, k.slot}, err
}

// zero: a thread per vertex, in strides of the grid.
func (k *emulator[V, A]) zero(m device.Memory, g device.Grid, a *zeroArgs) error {
	acc, err := k.accumulators(m, a.Acc, 0, a.N)
	if err != nil {
		return err
	}
	for v := range strided(g, a.N) {
		*acc.at(v) = k.program.Zero()
	}
	return nil
}

// expand: a thread per vertex of the window writes the places of its edges.
func (k *emulator[V, A]) expand(m device.Memory, g device.Grid, a *expandArgs) error {
	chunks, err := view[chunk](m, a.Chunks, int64(g.Blocks))
	if err != nil {
		return err
	}
	ranges, err := view[expandRange](m, a.Ranges, int64(g.Blocks))
	if err != nil {
		return err
	}
	c, r := &chunks[g.Block], &ranges[g.Block]
	off, err := view[uint32](m, r.Off, int64(c.Count)+1)
	if err != nil {
		return err
	}
	dst, err := view[uint16](m, c.Dst, int64(c.Edges))
	if err != nil {
		return err
	}
	for v := range c.Count {
		for e := max(off[v], r.Edge); e < min(off[v+1], r.Edge+c.Edges); e++ {
			dst[e-r.Edge] = uint16(v)
		}
	}
	return nil
}

// apply: a thread per vertex, in strides of the grid; the block's share of the
// aggregate in the order of its vertices.
func (k *emulator[V, A]) apply(m device.Memory, g device.Grid, a *applyArgs) error {
	acc, err := k.accumulators(m, a.Acc, a.First, a.Count)
	if err != nil {
		return err
	}
	at := device.Pointer(int64(a.First) * k.size)
	cur, err := view[V](m, a.Values+at, int64(a.Count))
	if err != nil {
		return err
	}
	next, err := view[V](m, a.Next+at, int64(a.Count))
	if err != nil {
		return err
	}
	var in, out, degree []uint32
	for _, d := range []struct {
		p device.Pointer
		s *[]uint32
	}{{a.In, &in}, {a.Out, &out}, {a.Degree, &degree}} {
		if d.p == 0 {
			continue
		}
		if *d.s, err = view[uint32](m, d.p+4*device.Pointer(a.First), int64(a.Count)); err != nil {
			return err
		}
	}
	from := a.First &^ 31
	bits, err := view[uint32](m, a.Active+device.Pointer(from/8), int64(a.First+a.Count-from+31)/32)
	if err != nil {
		return err
	}
	step := gas.Step{Iteration: int(a.Iteration), Aggregate: a.Aggregate}
	var t totals
	var sum float64
	for i := range strided(g, a.Count) {
		v := gas.Vertex{ID: a.First + i, N: a.N}
		if in != nil {
			v.In = in[i]
		}
		if out != nil {
			v.Out = out[i]
		}
		old := cur[i]
		now := old
		if k.settleable == nil || !k.settleable.Settled(old, step) {
			now = k.program.Apply(v, old, *acc.at(i), step)
			t.Applied++
			if k.program.Activate(v, old, now) {
				t.Activated++
				t.Degrees += uint64(degree[i])
				m.Lock()
				bits[(v.ID-from)/32] |= 1 << (v.ID % 32)
				m.Unlock()
			}
		}
		next[i] = now
		*acc.at(i) = k.program.Zero()
		if k.aggregable != nil {
			sum += k.aggregable.Aggregate(v, now)
		}
	}
	return k.finish(m, g, a, t, sum)
}

// finish adds what a block counted.
func (k *emulator[V, A]) finish(m device.Memory, g device.Grid, a *applyArgs, t totals, sum float64) error {
	all, err := view[totals](m, a.Totals, 1)
	if err != nil {
		return err
	}
	m.Lock()
	all[0].Activated += t.Activated
	all[0].Degrees += t.Degrees
	all[0].Applied += t.Applied
	m.Unlock()
	if a.Sums == 0 {
		return nil
	}
	sums, err := view[float64](m, a.Sums, int64(g.Blocks))
	if err == nil {
		sums[g.Block] = sum
	}
	return err
}

// strided are those of n elements that a block's threads go over.
func strided(g device.Grid, n uint32) func(yield func(uint32) bool) {
	return func(yield func(uint32) bool) {
		for t := range g.Threads {
			for i := uint64(g.Block*g.Threads + t); i < uint64(n); i += uint64(g.Blocks * g.Threads) {
				if !yield(uint32(i)) {
					return
				}
			}
		}
	}
}
