// Package decimal writes floating-point numbers as text.
package decimal

import (
	"math"
	"strconv"
)

// Append appends x in the fewest digits that read back as x in the given number of bits, 32 or 64.
// Whole numbers below 2^53 have all of their digits: one of 32 bits is then read as itself with 64 bits as well.
func Append(dst []byte, x float64, bits int) []byte {
	if x == math.Trunc(x) && math.Abs(x) < 1<<53 && x != 0 { // 0 may be negative
		return strconv.AppendInt(dst, int64(x), 10)
	}
	return strconv.AppendFloat(dst, x, 'g', -1, bits)
}

// Format returns the text that [Append] appends.
func Format(x float64, bits int) string { return string(Append(nil, x, bits)) }
