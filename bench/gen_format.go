package bench

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strconv"
)

// appendEdges appends edges in one format to dst. weights is nil for unweighted edges.
type appendEdges func(dst []byte, src, end []uint64, weights []uint8) []byte

// maxLine is the longest line of text in bytes: two ids below 2⁴⁰, a weight,
// separators, and the room that appendID needs behind a number.
const maxLine = 2*13 + 3 + 3 + 8

func appendText(dst []byte, src, end []uint64, weights []uint8) []byte {
	dst = slices.Grow(dst, len(src)*maxLine)
	for i, u := range src {
		dst = appendID(dst, u)
		dst = append(dst, '\t')
		dst = appendID(dst, end[i])
		if weights != nil {
			dst = append(dst, '\t')
			dst = appendID(dst, uint64(weights[i]))
		}
		dst = append(dst, '\n')
	}
	return dst
}

// appendID appends u in decimal. Up to eight digits are made at once, by
// splitting numbers into halves in the lanes of a word; dst must have room for
// eight bytes.
func appendID(dst []byte, u uint64) []byte {
	if u >= 1e8 {
		return strconv.AppendUint(dst, u, 10)
	}
	x := u/10000 | u%10000<<32
	q := x * 10486 >> 20 & 0x0000007f_0000007f // x/100 in two lanes
	x = q | (x-100*q)<<16
	q = x * 103 >> 10 & 0x000f000f_000f000f // x/10 in four lanes
	x = q | (x-10*q)<<8
	zeros := bits.TrailingZeros64(x|1<<56) &^ 7 // in front; 0 has a digit
	n := len(dst)
	dst = dst[:n+8]
	binary.LittleEndian.PutUint64(dst[n:], x>>(zeros&63)|0x30303030_30303030)
	return dst[:n+8-zeros/8]
}

func appendRaw(dst []byte, src, end []uint64, weights []uint8) []byte {
	for i, u := range src {
		dst = binary.LittleEndian.AppendUint64(dst, u&math.MaxUint32|end[i]<<32)
		if weights != nil {
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(weights[i])))
		}
	}
	return dst
}
