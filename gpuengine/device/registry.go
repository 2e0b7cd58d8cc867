package device

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Driver opens devices of one kind.
type Driver struct {
	Name string // "cuda", "emulated"
	// List describes its devices.
	List func() ([]Listed, error)
	// Names lists the names of its devices; nil for an emulated one.
	Names func() ([]string, error)
	// Open opens the device of a name that List returns.
	Open func(name string) (Device, error)
}

// Listed is a device that can be opened.
type Listed struct {
	Name  string // for --gpu: "0", "emulated"
	Info  Info
	Peers []string // names of devices to which it copies directly
}

// Wrapped is a device that another one wraps.
type Wrapped interface{ Unwrap() Device }

// under returns the device beneath its wrappers.
func under(d Device) Device {
	for {
		w, ok := d.(Wrapped)
		if !ok {
			return d
		}
		d = w.Unwrap()
	}
}

// EmulatedName is the name of the emulated device.
const EmulatedName = "emulated"

// drivers are those of this build that work; init functions add to them.
var drivers = []Driver{{Name: EmulatedName, List: listEmulated, Open: openEmulated}}

// absent is why this build has no driver of real devices at work, though it was built with one.
var absent error

// Drivers are those of this build that work.
func Drivers() []Driver { return slices.Clone(drivers) }

// Names lists the real devices, without opening them.
func Names() (names []string, err error) {
	for _, d := range drivers {
		if d.Names != nil {
			names, err = d.Names()
		}
	}
	if err == nil && len(names) == 0 {
		err = cmp.Or(absent, ErrNoDevice)
	}
	return names, err
}

// All is the name that stands for all real devices.
const All = "all"

// Split returns the names in a list: "0", "0,1", or [All]. The empty one is that of the first real device.
func Split(list string) ([]string, error) {
	if list == All {
		return Names()
	}
	return strings.Split(cmp.Or(list, "0"), ","), nil
}

// HasGPU reports whether this build has a driver of real devices that works.
func HasGPU() bool { return len(drivers) > 1 }

// Absent is why a build with a driver of real devices works without; nil for another build.
func Absent() error { return absent }

// Open opens a device by its name: "0", "1" … or "emulated".
func Open(name string) (Device, error) {
	emulated := strings.HasPrefix(name, EmulatedName)
	for _, d := range drivers {
		if (d.Name == EmulatedName) == emulated {
			return d.Open(name)
		}
	}
	if absent != nil {
		return nil, fmt.Errorf("GPU %s: %w: %w", name, ErrNoDevice, absent)
	}
	return nil, fmt.Errorf("GPU %s: %w: this build of garaph has no driver for it", name, ErrNoDevice)
}
