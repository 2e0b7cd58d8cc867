package kernels

import (
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/gpuengine/device"
)

// emulator does what the kernels do, with the program's own methods: block by
// block, thread by thread where it matters, in the shape of the kernels.
type emulator[V, A any] struct {
	program    gas.Program[V, A]
	settleable gas.Settleable[V] // nil without the ability
	aggregable gas.Aggregable[V] // nil without the ability
	slot       uintptr           // bytes of an accumulator
	size       device.Pointer    // bytes of a value
	wide       bool              // weights are float64
}

func newEmulator[V, A any](p gas.Program[V, A], f compiled.Fragments) *emulator[V, A] {
	var v V
	k := &emulator[V, A]{program: p, slot: uintptr(SlotBytes(f.Accumulator)), size: device.Pointer(unsafe.Sizeof(v))}
	k.settleable, _ = p.(gas.Settleable[V])
	k.aggregable, _ = p.(gas.Aggregable[V])
	return k
}

// emulation runs a kernel on an emulated device.
type emulation = func(device.Memory, device.Grid, []byte) error

// guarded reads the arguments of a kernel. A panic of the program's becomes the
// fault that its fragment reports; fault is nil for kernels without a program. Inlined, every
// program would have code of its own for it.
//
//go:noinline
func guarded[T any](kernel func(device.Memory, device.Grid, *T) error, fault func(*T) device.Pointer) emulation {
	return func(m device.Memory, g device.Grid, args []byte) (err error) {
		var t T
		if len(args) != int(unsafe.Sizeof(t)) {
			return fmt.Errorf("%d bytes of arguments, expected %d", len(args), unsafe.Sizeof(t))
		}
		copy(bytesOf(&t), args)
		defer func() {
			if fault == nil {
				return
			}
			r := recover()
			if r == nil {
				return
			}
			x := access{memory: m}
			words := view[uint32](&x, fault(&t), 1)
			if err = x.err; err == nil {
				m.Lock()
				defer m.Unlock()
				words[0] = max(words[0], uint32(FaultOf(r)))
			}
		}()
		return kernel(m, g, &t)
	}
}

// FaultOf returns the fault that a GPU reports where Go panics with r.
func FaultOf(r any) compiled.Fault {
	e, ok := r.(runtime.Error)
	switch {
	case !ok:
		return compiled.Panicked
	case strings.Contains(e.Error(), "divide by zero"):
		return compiled.DivisionByZero
	case strings.Contains(e.Error(), "index out of range"):
		return compiled.IndexOutOfRange
	case strings.Contains(e.Error(), "negative shift"):
		return compiled.NegativeShift
	default:
		return compiled.Panicked
	}
}

// access is to a device's memory.
type access struct {
	memory device.Memory
	err    error // the first one
}

// view returns n values in a device's memory, or nil after an error.
func view[T any](x *access, p device.Pointer, n int64) []T {
	var t T
	b := x.bytes(p, n*int64(unsafe.Sizeof(t)))
	if len(b) == 0 {
		return nil
	}
	if uintptr(unsafe.Pointer(&b[0]))%unsafe.Alignof(t) != 0 {
		x.err = fmt.Errorf("access at %#x, which is not aligned to %d bytes", uint64(p), unsafe.Alignof(t))
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n)
}

// rowsView are rows of neighbours in a device's memory; without offsets, all are empty.
type rowsView struct {
	off []uint64
	nbr []uint32
}

func viewRows(x *access, off, nbr device.Pointer, n int64) (r rowsView) {
	if off == 0 {
		return r
	}
	r.off = view[uint64](x, off, n+1)
	if x.err == nil {
		r.nbr = view[uint32](x, nbr, int64(r.off[n]))
	}
	return r
}

func (r rowsView) row(v uint32) []uint32 {
	if r.off == nil {
		return nil
	}
	return r.nbr[r.off[v]:r.off[v+1]]
}

func (x *access) bytes(p device.Pointer, n int64) (b []byte) {
	if x.err == nil {
		b, x.err = x.memory.Bytes(p, n)
	}
	return b
}

// slots are accumulators at the stride of the kernels.
type slots[A any] struct {
	memory []byte
	stride uintptr
}

func (s slots[A]) at(i uint32) *A {
	return (*A)(unsafe.Pointer(&s.memory[uintptr(i)*s.stride]))
}

func (k *emulator[V, A]) accumulators(x *access, p device.Pointer, first, n uint32) slots[A] {
	return slots[A]{x.bytes(p+device.Pointer(uintptr(first)*k.slot), int64(n)*int64(k.slot)), k.slot}
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
