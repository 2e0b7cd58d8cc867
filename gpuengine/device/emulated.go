package device

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/garaph/garaph/internal/hostmem"
)

// EmulatedOptions describe an emulated device.
type EmulatedOptions struct {
	Memory int64 // bytes; if 0, 4 GiB
	Shared int   // bytes of shared memory a block; if 0, 48 KiB
	Faults []EmulatedFault
}

// Emulated is a device that runs kernels on the CPU, block after block. Its
// streams are goroutines, so that work in different ones interleaves in any
// order. A caller that reads or writes memory that was not allocated, or copies from
// memory that is not pinned, gets an error. It fails on demand.
type Emulated struct {
	opt     EmulatedOptions
	atomics sync.Mutex // stands for the atomic operations of kernels

	mu      sync.Mutex // guards what follows
	next    Pointer    // where the next allocation goes
	memory  []region   // by address
	used    int64
	peak    int64
	pinned  map[*byte]pinnedBytes
	streams map[*emulatedStream]bool
	events  int
	counts  [faultOps]int
	lost    bool
}

// region is an allocation.
type region struct {
	at    Pointer
	bytes []byte
}

// NewEmulated opens an emulated device.
func NewEmulated(o EmulatedOptions) *Emulated {
	if o.Memory == 0 {
		o.Memory = 4 << 30
	}
	if o.Shared == 0 {
		o.Shared = 48 << 10
	}
	return &Emulated{opt: o, streams: map[*emulatedStream]bool{}, pinned: map[*byte]pinnedBytes{}, next: 1 << 20}
}

func openEmulated(name string) (Device, error) {
	if name != EmulatedName {
		return nil, fmt.Errorf("GPU %s: %w: the emulated one is called %s", name, ErrNoDevice, EmulatedName)
	}
	return NewEmulated(EmulatedOptions{}), nil
}

func listEmulated() ([]Listed, error) {
	return []Listed{{Name: EmulatedName, Info: NewEmulated(EmulatedOptions{}).Info()}}, nil
}

// Info describes the device.
func (d *Emulated) Info() Info {
	d.mu.Lock()
	defer d.mu.Unlock()
	return Info{
		Name: "emulated on the CPU", Driver: runtime.Version(), Memory: d.opt.Memory, Free: d.opt.Memory - d.used,
		Processors: 1, SharedBlock: d.opt.Shared, Capability: 70,
	}
}

// InUse is what was taken of the device and not returned.
type InUse struct {
	Device, Pinned  int64 // bytes
	Streams, Events int
}

// InUse reports what was taken and not returned.
func (d *Emulated) InUse() InUse {
	d.mu.Lock()
	defer d.mu.Unlock()
	u := InUse{Device: d.used, Streams: len(d.streams), Events: d.events}
	for _, b := range d.pinned {
		u.Pinned += int64(len(b.bytes))
	}
	return u
}

// Peak is the most device memory that was in use at a time.
func (d *Emulated) Peak() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.peak
}

// Alloc returns device memory, filled with rubbish.
func (d *Emulated) Alloc(n int64) (Pointer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.fault(FaultAlloc); err != nil {
		return 0, fmt.Errorf("allocate %d bytes on the device: %w", n, err)
	}
	size := (max(n, 1) + Alignment - 1) &^ (Alignment - 1)
	if n < 0 || size > d.opt.Memory-d.used {
		return 0, fmt.Errorf("allocate %d bytes on the device: %w: %d are left", n, ErrMemory, d.opt.Memory-d.used)
	}
	b, err := hostmem.Bytes(size)
	if err != nil {
		return 0, err
	}
	for i := range b[:min(size, 1<<20)] {
		b[i] = 0xcd
	}
	p := d.next
	d.next += Pointer(size) + Alignment // the gap belongs to no allocation
	d.memory = append(d.memory, region{p, b[:n]})
	d.used += size
	d.peak = max(d.peak, d.used)
	return p, nil
}

// Free returns what Alloc gave, when all that is queued is done, as on a GPU: a kernel that
// somebody has given up may still be at work.
func (d *Emulated) Free(p Pointer) error {
	d.idle()
	d.mu.Lock()
	defer d.mu.Unlock()
	i, ok := slices.BinarySearchFunc(d.memory, p, func(r region, p Pointer) int { return cmp.Compare(r.at, p) })
	if !ok {
		return fmt.Errorf("free %#x: it was not allocated", uint64(p))
	}
	b := d.memory[i].bytes
	b = b[:cap(b)]
	d.used -= int64(len(b))
	hostmem.FreeBytes(b)
	d.memory = slices.Delete(d.memory, i, i+1)
	return nil
}

// idle waits for what is queued on all streams.
func (d *Emulated) idle() {
	d.mu.Lock()
	streams := slices.Collect(maps.Keys(d.streams))
	d.mu.Unlock()
	for _, s := range streams {
		s.idle()
	}
}

// mappedFrom is where mapped memory begins: what is allocated lies below.
const mappedFrom Pointer = 1 << 60

// Mapped is where kernels read what was pinned.
func (d *Emulated) Mapped(b []byte) (Pointer, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if !isPinned(b) {
		return 0, fmt.Errorf("map %d bytes: they were not pinned", len(b))
	}
	return mappedFrom + Pointer(uintptr(unsafe.Pointer(&b[0]))), nil
}

// mapped is pinned memory at p.
func (d *Emulated) mapped(p Pointer, n int64) ([]byte, error) {
	for first, pinned := range d.pinned {
		b, at := pinned.bytes, int64(p-mappedFrom-Pointer(uintptr(unsafe.Pointer(first))))
		if at >= 0 && n >= 0 && at <= int64(len(b))-n {
			return b[at : at+n : at+n], nil
		}
	}
	return nil, fmt.Errorf("access to %d bytes at %#x, which are not mapped", n, uint64(p))
}

// Bytes is the memory [p, p+n), for kernels.
func (d *Emulated) Bytes(p Pointer, n int64) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if p >= mappedFrom {
		return d.mapped(p, n)
	}
	i, ok := slices.BinarySearchFunc(d.memory, p, func(r region, p Pointer) int { return cmp.Compare(r.at, p) })
	if !ok {
		i--
	}
	if i < 0 || n < 0 || int64(p-d.memory[i].at) > int64(len(d.memory[i].bytes))-n {
		return nil, fmt.Errorf("access to %d bytes at %#x, which are not allocated", n, uint64(p))
	}
	at := int64(p - d.memory[i].at)
	return d.memory[i].bytes[at : at+n : at+n], nil
}

// Lock begins an atomic operation of a kernel.
func (d *Emulated) Lock() { d.atomics.Lock() }

// Unlock ends it.
func (d *Emulated) Unlock() { d.atomics.Unlock() }

// Reach reports that copies to other emulated devices are direct.
func (d *Emulated) Reach(Device) (bool, error) {
	if err := d.check(FaultPeer); err != nil {
		return false, fmt.Errorf("reach a peer: %w", err)
	}
	return true, nil
}

// Pin returns host memory.
func (d *Emulated) Pin(n int64) ([]byte, error) {
	b, err := hostmem.Apart(n)
	if err == nil {
		err = d.register(b, true)
	}
	if err != nil {
		hostmem.FreeBytes(b)
		return nil, err
	}
	return b, nil
}

func (d *Emulated) register(b []byte, own bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.fault(FaultAlloc); err != nil {
		return fmt.Errorf("pin %d bytes: %w", len(b), err)
	}
	if len(b) > 0 {
		d.pinned[&b[0]] = pinnedBytes{b, own}
		pinned.Store(&b[0], len(b))
	}
	return nil
}

// Unpin returns what Pin gave.
func (d *Emulated) Unpin(b []byte) error {
	err := d.Unregister(b)
	if err == nil {
		hostmem.FreeBytes(b)
	}
	return err
}

// Register pins memory of the caller's.
func (d *Emulated) Register(b []byte) error { return d.register(b, false) }

// Unregister ends that, when all that is queued is done.
func (d *Emulated) Unregister(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	d.idle()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.pinned[&b[0]].bytes) != len(b) {
		return fmt.Errorf("unpin %d bytes: they were not pinned", len(b))
	}
	pinned.Delete(&b[0])
	delete(d.pinned, &b[0])
	return nil
}

// pinned has what emulated devices have pinned, by its first byte: as with CUDA, one of
// them copies from what another one pinned.
var pinned sync.Map // *byte to int

// isPinned reports whether all of b is.
func isPinned(b []byte) (yes bool) {
	from := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	pinned.Range(func(first, n any) bool {
		begin := uintptr(unsafe.Pointer(first.(*byte)))
		yes = begin <= from && from+uintptr(len(b)) <= begin+uintptr(n.(int))
		return !yes
	})
	return yes
}

// Close ends the streams and frees all that is left.
func (d *Emulated) Close() error {
	d.mu.Lock()
	open := make([]*emulatedStream, 0, len(d.streams))
	for s := range d.streams {
		open = append(open, s)
	}
	d.mu.Unlock()
	var errs []error
	for _, s := range open {
		errs = append(errs, s.Close())
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.memory {
		hostmem.FreeBytes(r.bytes[:cap(r.bytes)])
	}
	for first, b := range d.pinned {
		pinned.Delete(first)
		if b.own {
			hostmem.FreeBytes(b.bytes)
		}
	}
	clear(d.pinned)
	d.memory, d.used, d.events = nil, 0, 0
	return errors.Join(errs...)
}
