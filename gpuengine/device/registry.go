package device

import (
	"fmt"
	"strings"
	"sync"
)

// Driver opens devices of one kind. A build with CUDA registers its own from an
// init function.
type Driver struct {
	Name string // "cuda", "emulated"
	// List describes its devices.
	List func() ([]Listed, error)
	// Open opens the device of a name that List gives.
	Open func(name string) (Device, error)
}

// Listed is a device that can be opened.
type Listed struct {
	Name string // for --gpu: "0", "emulated"
	Info Info
}

// EmulatedName is the name of the emulated device.
const EmulatedName = "emulated"

var (
	driversMu sync.Mutex // guards drivers
	drivers   = []Driver{{Name: EmulatedName, List: listEmulated, Open: openEmulated}}
)

// Register adds a driver.
func Register(d Driver) {
	driversMu.Lock()
	defer driversMu.Unlock()
	drivers = append(drivers, d)
}

// Drivers are those of this build.
func Drivers() []Driver {
	driversMu.Lock()
	defer driversMu.Unlock()
	return append([]Driver(nil), drivers...)
}

// HasGPU tells whether this build has a driver of real devices.
func HasGPU() bool { return len(Drivers()) > 1 }

// Open opens a device by its name: "0", "1" … or "emulated".
func Open(name string) (Device, error) {
	emulated := strings.HasPrefix(name, EmulatedName)
	for _, d := range Drivers() {
		if (d.Name == EmulatedName) == emulated {
			return d.Open(name)
		}
	}
	return nil, fmt.Errorf("GPU %s: %w: this build of garaph has no driver for it", name, ErrNoDevice)
}
