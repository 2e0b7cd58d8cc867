package devicemath

import (
	"math"
	"math/bits"
)

const (
	log2e  = 1.44269504088896338700e+00
	ln2Hi  = 0x1.62e42feep-1 // 32 bits: its multiples by exponents are exact
	ln2Lo  = 0x1.a39ef35793c76p-33
	sqrt2  = 1.41421356237309504880
	tiny   = 0x1p-60
	expMax = 7.09782712893383973096e+02
	expMin = -7.45133219101941108420e+02
)

// Exp is eˣ within 2 units of the last place.
func Exp(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > expMax:
		return math.Inf(1)
	case x < expMin:
		return 0
	}
	p, k := expm1Reduced(x)
	// In two steps, for results below the normal numbers.
	half := k / 2
	return (p + 1) * power2(half) * power2(k-half)
}

// expm1Reduced returns p = eʳ - 1 and k with x = r + k·ln 2 and |r| ≤ ln 2 / 2.
// The polynomial is the series up to r¹³, whose next term is below 2⁻⁵⁷.
func expm1Reduced(x float64) (p float64, k int32) {
	n := math.Floor(x*log2e + 0.5)
	r := math.FMA(-n, ln2Lo, math.FMA(-n, ln2Hi, x))
	p = 1. / 6227020800
	p = math.FMA(p, r, 1./479001600)
	p = math.FMA(p, r, 1./39916800)
	p = math.FMA(p, r, 1./3628800)
	p = math.FMA(p, r, 1./362880)
	p = math.FMA(p, r, 1./40320)
	p = math.FMA(p, r, 1./5040)
	p = math.FMA(p, r, 1./720)
	p = math.FMA(p, r, 1./120)
	p = math.FMA(p, r, 1./24)
	p = math.FMA(p, r, 1./6)
	p = math.FMA(p, r, 1./2)
	return math.FMA(p*r, r, r), int32(n)
}

// power2 is 2ᵏ for the exponents of normal numbers.
func power2(k int32) float64 { return math.Float64frombits(uint64(k+1023) << 52) }

// Log is the natural logarithm within 2 units of the last place: with
// x = m·2ᵏ, √½ ≤ m < √2, and s = (m-1)/(m+1), it is k·ln 2 + 2·artanh s.
func Log(x float64) float64 {
	switch {
	case x != x || x > math.MaxFloat64:
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	u := math.Float64bits(x)
	k := int32(u>>52) - 1023
	if k == -1023 {
		shift := int32(bits.LeadingZeros64(u)) - 11
		u <<= uint32(shift)
		k = -1022 - shift
	}
	m := math.Float64frombits(u&mantissa | 1023<<52)
	if m > sqrt2 {
		m *= 0.5
		k++
	}
	f := m - 1
	s, _ := divide(f, m+1)
	z := s * s
	p := 1. / 23
	p = math.FMA(p, z, 1./21)
	p = math.FMA(p, z, 1./19)
	p = math.FMA(p, z, 1./17)
	p = math.FMA(p, z, 1./15)
	p = math.FMA(p, z, 1./13)
	p = math.FMA(p, z, 1./11)
	p = math.FMA(p, z, 1./9)
	p = math.FMA(p, z, 1./7)
	p = math.FMA(p, z, 1./5)
	p = math.FMA(p, z, 1./3)
	p *= 2 * z
	// 2s + s·p, where 2s = f - s·f without the rounding of s.
	n := float64(k)
	return math.FMA(n, ln2Hi, f-(s*(f-p)-n*ln2Lo))
}

// Tanh is the hyperbolic tangent within 4 units of the last place:
// (e²ˣ-1) / (e²ˣ+1), from e²ˣ-1, which keeps its precision near 0.
func Tanh(x float64) float64 {
	y := math.Abs(x)
	switch {
	case x != x || y < tiny:
		return x
	case y > 22:
		return math.Copysign(1, x)
	}
	p, k := expm1Reduced(2 * y)
	scale := power2(k)
	e := math.FMA(p, scale, scale-1)
	q, _ := divide(e, e+2)
	return math.Copysign(q, x)
}
