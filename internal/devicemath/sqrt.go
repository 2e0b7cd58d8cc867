package devicemath

import (
	"math"
	"math/bits"
)

// Sqrt is √x: the integer root of the mantissa to 55 bits, with the remainder
// as a sticky bit, rounded.
func Sqrt(x float64) float64 {
	if x == 0 || x != x || x > math.MaxFloat64 {
		return x
	}
	if x < 0 {
		return math.NaN()
	}
	u := math.Float64bits(x)
	e, m := int32(u>>52), u&mantissa
	if e == 0 {
		shift := int32(bits.LeadingZeros64(m)) - 11
		m <<= uint32(shift)
		e = 1 - shift
	} else {
		m |= hidden
	}
	e -= 1075 // x = m·2ᵉ
	if e&1 != 0 {
		m <<= 1
		e--
	}

	// g → √m and h → 1/2√m (Goldschmidt), then s = ⌊√(m·2⁵⁶)⌋ with remainder r.
	y := reciprocalSqrt(float64(m))
	g, h := float64(m)*y, y*0.5
	for range 2 {
		d := math.FMA(-g, h, 0.5)
		g, h = math.FMA(g, d, g), math.FMA(h, d, h)
	}
	s := uint64(int64(g * (1 << 28)))
	r := int64(m<<56 - s*s)
	s += uint64(int64(float64(r) * h * 0x1p-28))
	r = int64(m<<56 - s*s)
	if r < 0 {
		s--
		r += int64(2*s + 1)
	}
	if r > int64(2*s) {
		r -= int64(2*s + 1)
		s++
	}
	s <<= 1
	if r != 0 {
		s |= 1
	}
	return math.Float64frombits(uint64(e/2+26+1023-1)<<52 + rounded(s, 3))
}
