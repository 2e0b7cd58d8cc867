package results

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"
)

// appendInt appends the bytes of strconv.AppendInt(dst, i, 10), in half the
// time for the integers that ids are as a rule (BenchmarkInt).
func appendInt(dst []byte, i int64) []byte {
	if i < 0 {
		return strconv.AppendInt(dst, i, 10)
	}
	return appendUint(dst, uint64(i))
}

// appendUint appends the bytes of strconv.AppendUint(dst, u, 10).
func appendUint(dst []byte, u uint64) []byte {
	if u >= 1e8 {
		return strconv.AppendUint(dst, u, 10)
	}
	x := eightDigits(uint32(u))
	zeros := bits.TrailingZeros64(x|1<<56) &^ 7 // in front; 0 has a digit
	n := len(dst)
	dst = slices.Grow(dst, 8)[:n+8]
	binary.LittleEndian.PutUint64(dst[n:], x>>(zeros&63)|ascii)
	return dst[:n+8-zeros/8]
}

// ascii makes eight digits eight characters.
const ascii = 0x30303030_30303030

// eightDigits gives the decimal digits of d < 10⁸, the first one in the lowest
// byte. All are made at once by splitting numbers into halves in the lanes of a
// word.
func eightDigits(d uint32) uint64 {
	x := uint64(d/10000) | uint64(d%10000)<<32
	q := x * 10486 >> 20 & 0x0000007f_0000007f // x/100 in two lanes
	x = q | (x-100*q)<<16
	q = x * 103 >> 10 & 0x000f000f_000f000f // x/10 in four lanes
	return q | (x-10*q)<<8
}
