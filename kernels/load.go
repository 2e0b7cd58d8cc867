package kernels

import (
	"fmt"
	"strings"
	"unsafe"

	"golang.org/x/sync/errgroup"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/gpuengine/device"
)

const (
	// Threads of a block, of every kernel.
	Threads = 256
	// BlockVertices is the number of vertices a block of apply or zero does.
	BlockVertices = 4 * Threads
)

// Blocks returns the number of blocks of apply or zero for vertices.
func Blocks(vertices uint32) int {
	return int((uint64(vertices) + BlockVertices - 1) / BlockVertices)
}

// Ways to gather, each a pull kernel.
const (
	Segmented = iota
	Replicated
	Ways
)

// Set holds the kernels of a program, loaded on a device. Launches read their arguments before they
// return, and do not allocate.
type Set struct {
	Zero   Zero
	Expand Expand
	Pull   [Ways]Pull
	Packed PullPacked
	Check  CheckPacked
	Apply  Apply
}

// Load assembles the kernels of a program from its fragments, and loads them. If wide is set,
// the pull kernels read weights as float64, and as float32 otherwise.
func Load[V, A any](d device.Device, p gas.Program[V, A], f compiled.Fragments, wide bool) (*Set, error) {
	k, s := newEmulator(p, f), &Set{}
	k.wide = wide
	packed, suffix := "pull_packed", ""
	if lines(f) > unrolledLines {
		packed = "pull_packed_rolled"
	}
	if wide {
		suffix = wideSuffix
	}
	var g errgroup.Group
	for _, x := range []struct {
		to      *device.Function
		name    string
		emulate emulation
	}{
		{&s.Zero.f, "zero", guarded(k.zero, func(a *ZeroArgs) device.Pointer { return a.Fault })},
		{&s.Expand.f, "expand", guarded(expandBlock, nil)},
		{&s.Pull[Segmented].f, "pull_segmented" + suffix, guarded(k.pull,
			func(a *PullArgs) device.Pointer { return a.Fault })},
		{&s.Pull[Replicated].f, "pull_replicated" + suffix, guarded(k.pull,
			func(a *PullArgs) device.Pointer { return a.Fault })},
		{&s.Packed.f, packed + suffix, guarded(k.pullPacked, func(a *PullArgs) device.Pointer { return a.Fault })},
		{&s.Apply.f, "apply", guarded(k.apply, func(a *ApplyArgs) device.Pointer { return a.Fault })},
	} {
		g.Go(func() (err error) { // a driver compiles one beside the other
			*x.to, err = load(d, x.name, f, x.emulate)
			return err
		})
	}
	g.Go(func() (err error) {
		s.Check, err = LoadCheckPacked(d)
		return err
	})
	if err := g.Wait(); err != nil {
		return nil, fmt.Errorf("program %T: %w", p, err)
	}
	return s, nil
}

// unrolledLines is up to how many instructions Gather and Sum may have together for the kernel
// that has them 8 times. With 273 of them, the kernel that has them once is as fast, and its code,
// which the driver compiles when a job starts, is an eighth.
const unrolledLines = 256

// lines returns the number of instructions of Gather and Sum.
func lines(f compiled.Fragments) int {
	return strings.Count(f.Gather.Text, ";") + strings.Count(f.Sum.Text, ";")
}

func load(d device.Device, name string, f compiled.Fragments, e emulation) (device.Function, error) {
	return d.Load(device.Kernel{Name: name, Entry: entry(name), Emulate: e,
		PTX: func() (string, error) { return Assemble(name, f) }})
}

// bytesOf returns the memory of an argument struct.
func bytesOf[T any](args *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(args)), unsafe.Sizeof(*args))
}
