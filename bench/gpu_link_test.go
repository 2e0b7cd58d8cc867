package bench

import (
	"testing"

	"github.com/garaph/garaph/gpuengine/device"
)

// TestMeasureLink: both directions, and both at once, have a speed, and nothing is kept.
func TestMeasureLink(t *testing.T) {
	d := device.NewEmulated(device.EmulatedOptions{Memory: 16 << 20})
	link, err := MeasureLink(d)
	if err != nil || link.To <= 0 || link.From <= 0 || link.Both <= 0 {
		t.Errorf("%+v, error %v", link, err)
	}
	if left := d.InUse(); left != (device.InUse{}) {
		t.Errorf("left: %+v", left)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
