package decimal

import (
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		x    float64
		bits int
		want string
	}{
		{0, 32, "0"}, {math.Copysign(0, -1), 32, "-0"}, {-3, 64, "-3"}, {float64(float32(0.1)), 32, "0.1"}, {0.1, 64, "0.1"},
		{1073741824, 32, "1073741824"}, {1 << 52, 32, "4503599627370496"}, {1e300, 64, "1e+300"}, {1e-40, 64, "1e-40"},
		{1<<53 - 1, 64, "9007199254740991"}, {0x1p60, 32, "1.1529215e+18"},
	} {
		if got := Format(c.x, c.bits); got != c.want {
			t.Errorf("%v, %d bits: got %s, want %s", c.x, c.bits, got, c.want)
		}
	}
}

// TestReadBack checks that whole numbers of 32 bits are read as themselves with 64 bits, and all
// numbers with their own.
func TestReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := float64(rapid.Float32().Draw(t, "x"))
		bits := 32
		if x == math.Trunc(x) && math.Abs(x) < 1<<53 {
			bits = 64
		}
		if got, err := strconv.ParseFloat(Format(x, 32), bits); err != nil || got != x {
			t.Errorf("%v is read as %v: %v", x, got, err)
		}
		y := rapid.Float64().Draw(t, "y")
		if got, err := strconv.ParseFloat(Format(y, 64), 64); err != nil || got != y {
			t.Errorf("%v is read as %v: %v", y, got, err)
		}
	})
}
