// Package device is the contract with a GPU: memory, streams, events and kernels.
// One device is CUDA's, behind the build tag cuda. The other is emulated: it runs
// the same kernels' arithmetic on the CPU, and fails on demand. The package knows
// no graph.
package device

import "sync"

// Pointer is an address in a device's memory; 0 is none.
type Pointer uint64

// Info describes a device.
type Info struct {
	Name        string
	Driver      string // version of the driver
	Memory      int64  // bytes in all
	Free        int64  // bytes that were free when the device was opened
	Processors  int    // streaming multiprocessors
	SharedBlock int    // bytes of shared memory that one block can have
	Capability  int    // 70, 80, 90 ...
}

// Alignment is that of allocations, in bytes.
const Alignment = 256

// Device is a GPU, opened for one job. Every method may be called from any
// goroutine. Errors name the call and what the driver said; after [ErrLost] the
// device is of no use any more, and Close still returns what the host holds.
type Device interface {
	Info() Info
	// Alloc returns n bytes of device memory, aligned to [Alignment], with any
	// content.
	Alloc(n int64) (Pointer, error)
	// Free returns it, when the work that is queued is done.
	Free(p Pointer) error
	// Pin returns n zeroed bytes of host memory from which copies run at the full
	// speed of the link, and beside the caller. The host can use them until Unpin,
	// also after the device was lost. Nothing that was pinned follows it in memory: what
	// lies side by side there is of one piece, as a copy must be.
	Pin(n int64) ([]byte, error)
	Unpin(b []byte) error
	// Register pins memory that the caller has, of package hostmem, until Unregister.
	Register(b []byte) error
	Unregister(b []byte) error
	// Mapped is where kernels read memory that Pin has returned, over the link.
	Mapped(b []byte) (Pointer, error)
	// Reach lets copies to a peer take the shortest way, and reports whether that is the direct
	// one. Otherwise they go through the host's memory.
	Reach(peer Device) (direct bool, err error)
	NewStream(Priority) (Stream, error)
	NewEvent() (Event, error)
	// Load compiles a kernel for this device.
	Load(Kernel) (Function, error)
	// Close waits for all work and frees all that is left.
	Close() error
}

// pinnedBytes is memory that a device has pinned.
type pinnedBytes struct {
	bytes []byte
	own   bool // the device frees it
}

// Priority is that of a stream's kernels: blocks of urgent ones run before those of
// others that have not begun.
type Priority int

// The priorities.
const (
	Normal Priority = iota
	Urgent
)

// Stream is a queue of work on a device: what is queued in one stream runs in
// order, streams run beside each other. Calls return before the work is done,
// but for Sync.
type Stream interface {
	// ToDevice and ToHost copy between pinned memory and the device.
	ToDevice(dst Pointer, src []byte) error
	ToHost(dst []byte, src Pointer) error
	// Copy copies n bytes on the device; the ranges do not overlap.
	Copy(dst, src Pointer, n int64) error
	// ToPeer copies n bytes to another device of the same driver.
	ToPeer(peer Device, dst, src Pointer, n int64) error
	// Fill sets n bytes to b.
	Fill(dst Pointer, b byte, n int64) error
	// Record makes e happen when everything queued before it is done. Wait makes
	// what is queued after it wait for e, recorded in any stream.
	Record(e Event) error
	Wait(e Event) error
	// Sync waits until everything queued is done, as shortly as can be, and returns
	// the first error of any of it.
	Sync() error
	Close() error
}

// Event is a point in a stream.
type Event interface {
	// Sync waits for it, as shortly as can be, and returns the first error of what was
	// queued before it in its stream.
	Sync() error
	// Done reports whether it has happened, or will not any more.
	Done() bool
	// Since is the time on the device from an earlier event to this one; both
	// have happened.
	Since(earlier Event) (seconds float64, err error)
	Close() error
}

// Function is a kernel that a device has loaded.
type Function interface {
	// Launch queues it in a stream of the device, with the given numbers of blocks, of
	// threads of a block and of bytes of shared memory of a block. args is the kernel's
	// argument struct, as bytes in the layout of C; it is read before Launch returns.
	// Package kernels has a typed launch for each kernel.
	Launch(s Stream, blocks, threads, shared int, args []byte) error
	// Together is the number of blocks that run on the device at once.
	Together(threads, shared int) (blocks int, err error)
	// LaunchTogether is Launch of no more blocks than that, which may wait for each other.
	LaunchTogether(s Stream, blocks, threads, shared int, args []byte) error
}

// Kernel is one kernel, for either device.
type Kernel struct {
	Name  string
	Entry string // its function in the PTX
	// PTX assembles it. An emulated device does not ask.
	PTX func() (string, error)
	// Emulate does what one block does, on the memory of an emulated device; where blocks
	// are launched together, what all of them do, in one call for block 0. If nil, no emulated
	// device runs it.
	Emulate func(m Memory, g Grid, args []byte) error
}

// Grid is a block's place in its launch.
type Grid struct {
	Block, Blocks, Threads int
	Shared                 int // bytes
}

// Memory reads and writes the memory of an emulated device. Its lock stands for
// the atomic operations of a real one.
type Memory interface {
	// Bytes is the memory [p, p+n); an error if it was not allocated.
	Bytes(p Pointer, n int64) ([]byte, error)
	sync.Locker
}
