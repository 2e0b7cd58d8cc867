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

// Div64 is a / b: the integer quotient of the mantissas to 56 bits, with the
// remainder as a sticky bit, rounded where the result's precision ends.
func Div64(a, b float64) float64 {
	if a-a != 0 || b-b != 0 || a == 0 || b == 0 {
		return special(a, b)
	}
	ua, ub := math.Float64bits(a), math.Float64bits(b)
	ea, eb := int32(ua>>52&0x7ff), int32(ub>>52&0x7ff)
	ma, mb := ua&mantissa, ub&mantissa
	if ea == 0 {
		shift := int32(bits.LeadingZeros64(ma)) - 11
		ma <<= uint32(shift)
		ea = 1 - shift
	} else {
		ma |= hidden
	}
	if eb == 0 {
		shift := int32(bits.LeadingZeros64(mb)) - 11
		mb <<= uint32(shift)
		eb = 1 - shift
	} else {
		mb |= hidden
	}

	// q = ⌊ma·2⁵⁵ / mb⌋ and its remainder r. The estimate is off by so little
	// that the remainder fits into 64 bits although the product does not.
	inverse := refined(float64(mb))
	q := uint64(int64(float64(ma) * inverse * (1 << 55)))
	r := int64(ma<<55 - q*mb)
	more := int64(float64(r) * inverse)
	q += uint64(more)
	r -= more * int64(mb)
	if r < 0 {
		q--
		r += int64(mb)
	}
	if r >= int64(mb) {
		q++
		r -= int64(mb)
	}

	e := ea - eb + 1023
	if q < 1<<55 {
		q <<= 1
		e--
	}
	if r != 0 {
		q |= 1
	}
	sign := (ua ^ ub) & signBit
	if e >= 0x7ff {
		return math.Float64frombits(sign | infinity)
	}
	if e > 0 {
		return math.Float64frombits(sign | uint64(e-1)<<52 + rounded(q, 3))
	}
	return math.Float64frombits(sign | rounded(q, uint32(min(4-e, 60))))
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
