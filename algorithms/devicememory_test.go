package algorithms

import (
	"testing"
	"time"

	"github.com/garaph/garaph/gpuengine/device"
)

// TestDeviceMemoryClose checks that what was queued when a call failed may still run when all is closed,
// and finds its memory. The emulated device unmaps what is freed, so that an access to it would end the test.
func TestDeviceMemoryClose(t *testing.T) {
	d := device.NewEmulated(device.EmulatedOptions{})
	for i := range 20 {
		m, err := NewDeviceMemory(d, 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.Alloc("a copy", stagingBytes)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			if err := m.Stream.ToDevice(p, m.staging); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Duration(i) * 100 * time.Microsecond) // some copies have begun
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if u := d.InUse(); u != (device.InUse{}) {
		t.Errorf("left in use: %+v", u)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
