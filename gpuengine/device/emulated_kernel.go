package device

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
)

// emulatedFunction is a kernel on an emulated device.
type emulatedFunction struct {
	device *Emulated
	kernel Kernel
}

// Load takes a kernel.
func (d *Emulated) Load(k Kernel) (Function, error) {
	if err := d.check(FaultLoad); err != nil {
		return nil, fmt.Errorf("load kernel %s: %w", k.Name, err)
	}
	return &emulatedFunction{d, k}, nil
}

// Launch runs the kernel's blocks, in any order.
func (f *emulatedFunction) Launch(to Stream, blocks, threads, shared int, args []byte) error {
	d := f.device
	err := d.check(FaultLaunch)
	s, ok := to.(*emulatedStream)
	switch {
	case err != nil:
	case !ok || s.device != d:
		err = errors.New("the stream is of another device")
	case blocks <= 0, threads <= 0, threads > 1024, shared < 0, shared > d.opt.Shared:
		err = errors.New("invalid configuration")
	}
	if err != nil {
		return fmt.Errorf("launch kernel %s, %d blocks of %d threads, %d bytes of shared memory: %w", f.kernel.Name, blocks, threads, shared, err)
	}
	args = slices.Clone(args)
	return s.add(func() error {
		first := rand.IntN(blocks)
		for i := range blocks {
			g := Grid{Block: (first + i) % blocks, Blocks: blocks, Threads: threads, Shared: shared}
			if err := f.kernel.Emulate(d, g, args); err != nil {
				d.mu.Lock()
				d.lost = true // as on a real one, after such an error
				d.mu.Unlock()
				return fmt.Errorf("kernel %s, block %d: %w: %w", f.kernel.Name, g.Block, err, ErrLost)
			}
		}
		return nil
	})
}
