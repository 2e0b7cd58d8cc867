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
	if k.Emulate == nil {
		return nil, fmt.Errorf("load kernel %s: it is not emulated", k.Name)
	}
	return &emulatedFunction{d, k}, nil
}

// emulatedBlocks are launched together at most: few, so that a kernel for many is
// tried with less work than one pass.
const emulatedBlocks = 4

// Together is the number of blocks that run at once.
func (f *emulatedFunction) Together(_, _ int) (int, error) { return emulatedBlocks, nil }

// LaunchTogether runs the blocks in one call.
func (f *emulatedFunction) LaunchTogether(to Stream, blocks, threads, shared int, args []byte) error {
	if blocks > emulatedBlocks {
		return fmt.Errorf("launch kernel %s, %d blocks together: %d can be", f.kernel.Name, blocks, emulatedBlocks)
	}
	return f.launch(to, Grid{Blocks: blocks, Threads: threads, Shared: shared}, args,
		func(run func(block int) error) error { return run(0) })
}

// Launch runs the kernel's blocks, in any order.
func (f *emulatedFunction) Launch(to Stream, blocks, threads, shared int, args []byte) error {
	return f.launch(to, Grid{Blocks: blocks, Threads: threads, Shared: shared}, args,
		func(run func(block int) error) error {
			first := rand.IntN(blocks)
			for i := range blocks {
				if err := run((first + i) % blocks); err != nil {
					return err
				}
			}
			return nil
		})
}

func (f *emulatedFunction) launch(to Stream, g Grid, args []byte, all func(run func(block int) error) error) error {
	d := f.device
	err := d.check(FaultLaunch)
	s, ok := to.(*emulatedStream)
	switch {
	case err != nil:
	case !ok || s.device != d:
		err = errors.New("the stream is of another device")
	case g.Blocks <= 0, g.Threads <= 0, g.Threads > 1024, g.Shared < 0, g.Shared > d.opt.Shared:
		err = errors.New("invalid configuration")
	}
	if err != nil {
		return fmt.Errorf("launch kernel %s, %d blocks of %d threads, %d bytes of shared memory: %w", f.kernel.Name, g.Blocks,
			g.Threads, g.Shared, err)
	}
	args = slices.Clone(args)
	return s.add(func() error {
		return all(func(block int) error {
			g.Block = block
			err := f.kernel.Emulate(d, g, args)
			if err == nil {
				return nil
			}
			d.mu.Lock()
			d.lost = true // as on a real one, after such an error
			d.mu.Unlock()
			return fmt.Errorf("kernel %s, block %d: %w: %w", f.kernel.Name, block, err, ErrLost)
		})
	})
}
