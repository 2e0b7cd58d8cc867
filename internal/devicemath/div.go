package devicemath

import (
	"math"
	"math/bits"
)

// Div32 is a / b. The quotient in double precision, rounded again, is the one
// rounded once: a quotient of 24-bit numbers is never so close to the middle
// of two others (Figueroa, 1995).
func Div32(a, b float32) float32 {
	x, y := float64(a), float64(b)
	if x-x != 0 || y-y != 0 || x == 0 || y == 0 {
		return float32(special(x, y))
	}
	r := refined(y)
	q := x * r
	return float32(math.FMA(math.FMA(-y, q, x), r, q))
}

// special is a / b where one of them is 0, infinite or not a number.
func special(a, b float64) float64 {
	sign := (math.Float64bits(a) ^ math.Float64bits(b)) & signBit
	switch {
	case a != a || b != b:
		return a + b
	case a == 0 && b == 0 || a-a != 0 && b-b != 0:
		return math.NaN()
	case a == 0 || b-b != 0:
		return math.Float64frombits(sign)
	default:
		return math.Float64frombits(sign | infinity)
	}
}

// Div64 is a / b. Where no step can leave the normal numbers, that is [divide]'s quotient.
func Div64(a, b float64) float64 {
	const low, high = 520, 1526 // exponents, so that those of quotients and remainders are normal
	ea, eb := uint32(math.Float64bits(a)>>52)&0x7ff, uint32(math.Float64bits(b)>>52)&0x7ff
	if ea-low < high-low && eb-low < high-low {
		q, _ := divide(a, b)
		return q
	}
	return rare(a, b)
}

// divide returns a / b, rounded to nearest even, and the remainder a - q·b, exactly.
//
// The first step takes three terms of the series of 1/b from an estimate that is too large by
// at most 2⁻¹⁸ of it, and ends within one unit of the last place, and above 1/b where that is in
// the middle of two numbers but for the last bits, as for a mantissa of ones. The second step
// makes it the reciprocal to nearest, with which the quotient is so too (Markstein, Computation
// of elementary functions on the IBM RISC System/6000 processor, 1990).
func divide(a, b float64) (q, rest float64) {
	y := reciprocal(b) * (1 + 0x1p-19)
	e := math.FMA(-b, y, 1)
	y = math.FMA(y, math.FMA(e, e, e), y)
	y = math.FMA(y, math.FMA(-b, y, 1), y)
	q = a * y
	q = math.FMA(math.FMA(-b, q, a), y, q)
	return q, math.FMA(-b, q, a)
}

// rare is a / b for any a and b: the quotient of the mantissas, and the exponent apart. Below
// the normal numbers, it is rounded where their precision ends, with one bit more, and one
// that says on which side of it the exact quotient is.
func rare(a, b float64) float64 {
	if a-a != 0 || b-b != 0 || a == 0 || b == 0 {
		return special(a, b)
	}
	ma, ea := split(a)
	mb, eb := split(b)
	q, rest := divide(ma, mb)
	u := math.Float64bits(q)
	e := ea - eb + int32(u>>52) // biased
	sign := (math.Float64bits(a) ^ math.Float64bits(b)) & signBit
	switch {
	case e >= 0x7ff:
		return math.Float64frombits(sign | infinity)
	case e > 0:
		return math.Float64frombits(sign | uint64(e)<<52 | u&mantissa)
	}
	u = (u&mantissa | hidden) << 2
	if rest > 0 {
		u |= 1
	} else if rest < 0 {
		u--
	}
	return math.Float64frombits(sign | rounded(u, uint32(min(3-e, 60))))
}

// split is |x| = m·2ᵉ for 1 ≤ m < 2, for x that is neither 0 nor infinite.
func split(x float64) (m float64, e int32) {
	u := math.Float64bits(x) &^ signBit
	e = int32(u>>52) - 1023
	if e == -1023 {
		shift := int32(bits.LeadingZeros64(u)) - 11
		u <<= uint32(shift)
		e = -1022 - shift
	}
	return math.Float64frombits(u&mantissa | 1023<<52), e
}

// rounded is q / 2ˢ, to nearest even, for 0 < s < 64.
func rounded(q uint64, s uint32) uint64 {
	m := q >> s
	rest, half := q&(1<<s-1), uint64(1)<<(s-1)
	if rest > half || rest == half && m&1 == 1 {
		m++
	}
	return m
}

// DivU64 is a / b for b ≠ 0. The estimates of the quotient are never too large,
// so the remainders stay positive.
func DivU64(a, b uint64) uint64 {
	inverse := refined(float64(b)) * (1 - 0x1p-48)
	q := uint64(float64(a) * inverse)
	r := a - q*b
	more := uint64(float64(r) * inverse)
	q += more
	if r -= more * b; r >= b {
		q++
	}
	return q
}

// RemU64 is a % b for b ≠ 0.
func RemU64(a, b uint64) uint64 { return a - DivU64(a, b)*b }

// DivS64 is a / b for b ≠ 0, truncated; the least integer by -1 is itself.
func DivS64(a, b int64) int64 {
	q := int64(DivU64(magnitude(a), magnitude(b)))
	if (a < 0) != (b < 0) {
		return -q
	}
	return q
}

// RemS64 is a % b for b ≠ 0, with the sign of a.
func RemS64(a, b int64) int64 { return a - DivS64(a, b)*b }

func magnitude(a int64) uint64 {
	if a < 0 {
		return uint64(-a)
	}
	return uint64(a)
}
