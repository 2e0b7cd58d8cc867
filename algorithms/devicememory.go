package algorithms

import (
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
)

// stagingBytes are pinned, for all copies.
const stagingBytes = 4 << 20

// DeviceMemory is the memory of a device that a run may take, and a stream for its kernels and
// copies, which go through pinned memory. It belongs to one goroutine.
type DeviceMemory struct {
	Device device.Device
	Stream device.Stream
	Budget int64 // bytes
	Used   int64

	staging []byte
	owned   map[device.Pointer]int64 // bytes of what was allocated
}

// NewDeviceMemory takes some of the memory of a device, which stays the caller's.
func NewDeviceMemory(d device.Device, budget int64) (m *DeviceMemory, err error) {
	m = &DeviceMemory{Device: d, Budget: budget, owned: map[device.Pointer]int64{}}
	if m.Stream, err = d.NewStream(device.Normal); err == nil {
		m.staging, err = d.Pin(stagingBytes)
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// Close frees all that was allocated, once the stream has ended: after an error, what was queued
// before may still use it.
func (m *DeviceMemory) Close() error {
	var err error
	if m.Stream != nil {
		err = m.Stream.Close()
	}
	err = errors.Join(err, m.FreeAll())
	if m.staging != nil {
		err = errors.Join(err, m.Device.Unpin(m.staging))
	}
	return err
}

// Left returns the number of bytes that may still be allocated.
func (m *DeviceMemory) Left() int64 { return max(0, m.Budget-m.Used) }

// allocated returns the number of bytes of the budget an array takes, one at least.
func allocated(bytes int64) int64 {
	return (max(1, bytes) + device.Alignment - 1) &^ (device.Alignment - 1)
}

// Alloc allocates an array, if there is room for it.
func (m *DeviceMemory) Alloc(what string, bytes int64) (device.Pointer, error) {
	bytes = allocated(bytes)
	if bytes > m.Left() {
		return 0, fmt.Errorf("%w on the GPU: %s take %s, and %s are left of %s: give more with --gpu-memory, or "+
			"compute on the CPU",
			hostmem.ErrBudget, what, humanize.IBytes(uint64(bytes)), humanize.IBytes(uint64(m.Left())),
			humanize.IBytes(uint64(m.Budget)))
	}
	p, err := m.Device.Alloc(bytes)
	if err == nil {
		m.owned[p] = bytes
		m.Used += bytes
	}
	return p, err
}

// Free frees an array.
func (m *DeviceMemory) Free(p device.Pointer) error {
	m.Used -= m.owned[p]
	delete(m.owned, p)
	return m.Device.Free(p)
}

// FreeAll frees all arrays. Nothing that is queued may use them.
func (m *DeviceMemory) FreeAll() (err error) {
	for p := range m.owned {
		err = errors.Join(err, m.Free(p))
	}
	return err
}

// Synced waits for what was queued, unless that failed.
func (m *DeviceMemory) Synced(err error) error {
	if err == nil {
		err = m.Stream.Sync()
	}
	return err
}

// ToDevice copies values of a type without pointers. They are there when it returns.
func ToDevice[E any](m *DeviceMemory, dst device.Pointer, src []E) error {
	for b := hostmem.AsBytes(src); len(b) > 0; {
		n := copy(m.staging, b)
		if err := m.Synced(m.Stream.ToDevice(dst, m.staging[:n])); err != nil {
			return err
		}
		b, dst = b[n:], dst+device.Pointer(n)
	}
	return nil
}

// ToHost copies them back.
func ToHost[E any](m *DeviceMemory, dst []E, src device.Pointer) error {
	for b := hostmem.AsBytes(dst); len(b) > 0; {
		n := min(len(b), len(m.staging))
		if err := m.Synced(m.Stream.ToHost(m.staging[:n], src)); err != nil {
			return err
		}
		copy(b, m.staging[:n])
		b, src = b[n:], src+device.Pointer(n)
	}
	return nil
}
