package gpuengine

import (
	"testing"

	"github.com/garaph/garaph/gpuengine/device"
)

// TestReserve checks that an engine never plans with all that is free; a smaller budget holds
// as it is.
func TestReserve(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct{ asked, free, want int64 }{
		{0, 8 * gib, 8*gib - 256<<20},
		{0, 140 * gib, 140*gib - maxReserve},
		{9 * gib, 8 * gib, 8*gib - 256<<20},
		{8 * gib, 8 * gib, 8*gib - 256<<20},
		{4 * gib, 8 * gib, 4 * gib},
	} {
		o := Options{Memory: c.asked}
		if o.complete(device.Info{Free: c.free}); o.Memory != c.want {
			t.Errorf("%d of %d bytes: a budget of %d, want %d", c.asked, c.free, o.Memory, c.want)
		}
	}
}
