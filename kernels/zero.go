package kernels

import "github.com/garaph/garaph/gpuengine/device"

// ZeroArgs holds the arguments of kernel zero: Acc[v] = Zero for all N vertices.
type ZeroArgs struct {
	Acc        device.Pointer
	Parameters device.Pointer
	Fault      device.Pointer
	N          uint32
	_          uint32
}

// Zero is kernel zero.
type Zero struct{ f device.Function }

// Launch queues the kernel.
func (k Zero) Launch(s device.Stream, a *ZeroArgs) error {
	return k.f.Launch(s, Blocks(a.N), Threads, 0, bytesOf(a))
}

// zero: a thread per vertex, in strides of the grid.
func (k *emulator[V, A]) zero(m device.Memory, g device.Grid, a *ZeroArgs) error {
	x := access{memory: m}
	acc := k.accumulators(&x, a.Acc, 0, a.N)
	if x.err != nil {
		return x.err
	}
	for v := range strided(g, a.N) {
		*acc.at(v) = k.program.Zero()
	}
	return nil
}
