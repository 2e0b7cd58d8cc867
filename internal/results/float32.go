package results

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// appendFloat32 appends the shortest decimal that reads back as f, which must
// be finite: the bytes of strconv.AppendFloat(dst, float64(f), 'g', -1, 32), in
// little more than half the time (BenchmarkFloat32). Most values that garaph
// writes are of this type. The one difference in all float32s is ±2⁻¹², which
// lies between two decimals of equal length: this takes the even one,
// 0.00024414062, as IEEE 754 rounds; the strconv of Go 1.26 takes the other.
func appendFloat32(dst []byte, f float32) []byte {
	b := math.Float32bits(f)
	if b>>31 != 0 {
		dst = append(dst, '-')
		b &= math.MaxInt32
	}
	if b == 0 {
		return append(dst, '0')
	}
	d, exponent := shortest32(b)
	first, rest, n, zeros := decimal(d)
	point := n + zeros + exponent // digits in front of the decimal point

	// All is written in whole words, and cut to its length at the end.
	start := len(dst)
	dst = slices.Grow(dst, 24)[:start+24]
	w := (*[24]byte)(dst[start:])
	size := 0
	switch {
	case point < -3 || point > 6: // d.ddde±dd
		w[0], w[1] = first, '.'
		binary.LittleEndian.PutUint64(w[2:], rest)
		size = n + 1
		if n == 1 {
			size = 1
		}
		sign, e := byte('+'), point-1
		if e < 0 {
			sign, e = '-', -e
		}
		w[size], w[size+1] = 'e', sign
		w[size+2], w[size+3] = byte('0'+e/10), byte('0'+e%10)
		size += 4
	case point <= 0: // 0.000ddd
		copy(w[:], "0.000")
		w[2-point] = first
		binary.LittleEndian.PutUint64(w[3-point:], rest)
		size = 2 - point + n
	case point < n: // dd.ddd
		w[1] = first
		binary.LittleEndian.PutUint64(w[2:], rest)
		for i := range point {
			w[i] = w[i+1]
		}
		w[point] = '.'
		size = n + 1
	default: // ddd000
		w[0] = first
		binary.LittleEndian.PutUint64(w[1:], rest)
		size = point
	}
	return dst[:start+size]
}

// decimal gives the first digit of d, which is positive, the up to eight
// digits behind it as the bytes of a word, filled with zeros, and the numbers
// of digits without the zeros at the end and of those zeros.
func decimal(d uint32) (first byte, rest uint64, n, zeros int) {
	top, low := d/1e8, d%1e8
	x := eightDigits(low)
	zeros = bits.LeadingZeros64(x) / 8
	if top > 0 {
		return byte('0' + top), x | ascii, 9 - zeros, zeros
	}
	unused := bits.TrailingZeros64(x) &^ 7
	x >>= unused & 63
	return byte('0' + x), x>>8 | ascii, 8 - zeros - unused/8, zeros
}

// shortest32 gives the digits d and exponent k of the shortest decimal d·10ᵏ
// that rounds to the float32 with the given bits (positive and finite), and
// among those the closest one; zeros may be left at the end of d. It is
// Schubfach: Giulietti, "The Schubfach way to render doubles", 2020, sections 8
// and 9, with the constants for float32.
func shortest32(b uint32) (d uint32, k int) {
	const mantissaBits, bias = 23, 127 + 23
	fraction, exponent := b&(1<<mantissaBits-1), int32(b>>mantissaBits)
	c, q := fraction, int32(1-bias) // value = c·2^q
	if exponent != 0 {
		c, q = fraction|1<<mantissaBits, exponent-bias
		if shift := uint32(-q); shift <= mantissaBits && c&(1<<(shift&31)-1) == 0 {
			return c >> (shift & 31), 0 // a small integer
		}
	}
	// Four times the value and the two borders of its rounding interval; the
	// lower one is nearer where the value is a power of two.
	left, middle, right := 4*c-2, 4*c, 4*c+2
	p := -(q * 1262611 >> 22) // -k = -⌊log₁₀ 2^q⌋
	if fraction == 0 && exponent > 1 {
		left++
		p = -((q*1262611 - 524031) >> 22) // -⌊log₁₀ ¾·2^q⌋
	}
	h := uint32(q+(p*1741647)>>19+1) & 31 // 1 ≤ h ≤ 4; (p·1741647)>>19 = ⌊log₂ 10ᵖ⌋
	g := powersOfTen[p-minPower]
	v := roundToOdd(g, middle<<h)
	odd := c & 1 // borders belong to the interval of an even significand
	lower := roundToOdd(g, left<<h) + odd
	upper := roundToOdd(g, right<<h) - odd

	// The candidates with all digits are s and s+1: when just one of them is in
	// the interval, that one, otherwise the closer one, ties to even.
	s := v / 4
	up := bit(v+s&1 > 4*s+2)
	below, above := bit(lower <= 4*s), bit(4*s+4 <= upper)
	if below != above {
		up = above
	}
	d = s + up
	// With one digit less they are t and t+1, of which at most one is in the
	// interval.
	t := s / 10
	below, above = bit(lower <= 40*t), bit(40*t+40 <= upper)
	fewer := below ^ above
	if fewer != 0 {
		d = t + above
	}
	return d, int(fewer) - int(p)
}

// bit is 1 for true; the compiler makes no branch of it, and the branches here
// would be as good as random.
func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// roundToOdd is ⌊g·c/2⁶⁴⌋ with the last bit set when more than the error of g
// was cut off.
func roundToOdd(g uint64, c uint32) uint32 {
	hi, _ := bits.Mul64(g, uint64(c)<<32)
	return uint32(hi>>32) | bit(uint32(hi) > 1)
}
