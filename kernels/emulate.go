package kernels

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

func newEmulator[V, A any](p gas.Program[V, A], f gas.Fragments) *emulator[V, A] {
	var v V
	k := &emulator[V, A]{program: p, slot: uintptr(SlotBytes(f.Accumulator)), size: int64(unsafe.Sizeof(v))}
	k.settleable, _ = p.(gas.Settleable[V])
	k.aggregable, _ = p.(gas.Aggregable[V])
	return k
}

// emulation is what a kernel does on an emulated device.
type emulation = func(device.Memory, device.Grid, []byte) error

// guarded reads the arguments of a kernel. A panic of the program's becomes the
// fault that its fragment reports.
func guarded[T any](kernel func(device.Memory, device.Grid, *T) error, fault func(*T) device.Pointer) emulation {
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
