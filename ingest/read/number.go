package read

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// pow10 are powers of ten, each also exact as a float64.
var pow10 [maxExactDigits + 1]uint64

func init() {
	p := uint64(1)
	for i := range pow10 {
		pow10[i] = p
		p *= 10
	}
}

// IntegerKind is the kind of integer that an id token is.
type IntegerKind uint8

// Kinds of integers.
const (
	NotInteger IntegerKind = iota
	PlainInteger
	NegativeInteger
	LargeInteger // above the range of int64, within that of uint64
	HugeInteger  // beyond 64 bits
)

// ParseInteger reads a decimal integer with an optional sign. The value is the
// bits of an int64, or of a uint64 for a LargeInteger.
func ParseInteger(tok []byte) (uint64, IntegerKind) {
	digits, negative := tok, false
	if len(tok) > 0 && (tok[0] == '-' || tok[0] == '+') {
		digits, negative = tok[1:], tok[0] == '-'
	}
	if len(digits) == 0 {
		return 0, NotInteger
	}
	v, huge := uint64(0), false
	for _, c := range digits {
		d := uint64(c - '0')
		if d > 9 {
			return 0, NotInteger
		}
		if v > math.MaxUint64/10 || v*10 > math.MaxUint64-d {
			huge = true
		}
		v = v*10 + d
	}
	switch {
	case huge || negative && v > 1<<63:
		return 0, HugeInteger
	case negative && v > 0:
		return -v, NegativeInteger
	case v > math.MaxInt64:
		return v, LargeInteger
	}
	return v, PlainInteger
}

// IsCanonical reports whether an integer is written as strconv writes it: another
// integer then has another text, and the number gives the text again.
func IsCanonical(tok []byte) bool {
	digits := tok
	if tok[0] == '-' {
		digits = tok[1:]
	}
	return tok[0] != '+' && (digits[0] != '0' || len(tok) == 1)
}

// WeightKind is the kind of a weight token.
type WeightKind uint8

// Kinds of weights.
const (
	notNumber WeightKind = iota
	GoodWeight
	NegativeWeight
	infiniteWeight // NaN, an infinity, or beyond the range of float32
	TinyWeight     // more than 0, and less than any other float32
	RoundedWeight  // a whole number that was rounded: good, and worth a warning
)

// WeightRule says which weights are kept as float64. Others are rounded to float32.
type WeightRule uint8

// Rules of weights.
const (
	keepWhole  WeightRule = iota // whole numbers up to 2^53
	keepSingle                   // none
	KeepDouble                   // all
)

// maxWhole is the largest whole number up to which float64 has all.
const maxWhole = 1 << 53

// Integer returns a whole number as a weight.
func (r WeightRule) Integer(v uint64) (float64, WeightKind) {
	w := float64(v)
	if r == keepSingle || r == keepWhole && v > maxWhole {
		w = float64(float32(v))
	}
	if w == 1<<64 || uint64(w) != v {
		return w, RoundedWeight
	}
	return w, GoodWeight
}

// Float returns a number as a weight.
func (r WeightRule) Float(x float64) (float64, WeightKind) {
	kind := kindOfWeight(x)
	if r == KeepDouble && (kind == TinyWeight || kind == RoundedWeight) ||
		r == keepWhole && kind == RoundedWeight && x <= maxWhole {
		kind = GoodWeight
	}
	if kind == GoodWeight && (r == KeepDouble || r == keepWhole && x == math.Trunc(x) && x <= maxWhole) {
		return x + 0, kind // a negative zero becomes a plain one
	}
	return float64(float32(x)) + 0, kind
}

// Expected describes the weights that are expected in place of this kind.
func (k WeightKind) Expected() string {
	switch k {
	case NegativeWeight:
		return "a weight that is not negative"
	case infiniteWeight:
		return fmt.Sprintf("a finite weight of at most %.7g", math.MaxFloat32)
	case TinyWeight:
		return fmt.Sprintf("a weight of 0, or of at least %.2g", math.SmallestNonzeroFloat32)
	}
	return "a number as weight"
}

// kindOfWeight returns the kind of a weight that becomes the nearest float32.
func kindOfWeight(x float64) WeightKind {
	switch rounded := float32(x); {
	case !(math.Abs(float64(rounded)) <= math.MaxFloat32):
		return infiniteWeight
	case x < 0:
		return NegativeWeight
	case x > 0 && rounded == 0:
		return TinyWeight
	case rounded >= 1<<24 && float64(rounded) != x && x == math.Trunc(x):
		return RoundedWeight
	}
	return GoodWeight
}

// Parse reads a decimal number. A RoundedWeight is one, too.
func (r WeightRule) Parse(tok []byte) (float64, WeightKind) {
	if v, kind := ParseInteger(tok); kind == PlainInteger || kind == LargeInteger {
		return r.Integer(v)
	}
	bits := 32
	if r == KeepDouble {
		bits = 64
	}
	f, kind := parseWeight(tok, bits)
	if f < 1<<24 || kind != GoodWeight {
		return f, kind
	}
	exact, _, _ := big.ParseFloat(string(tok), 10, 512, big.ToZero) // f may be whole where the digits are not, or differ
	if exact == nil || !exact.IsInt() || exact.Cmp(big.NewFloat(f)) == 0 {
		return f, GoodWeight
	}
	if x, _ := exact.Float64(); r == keepWhole && exact.Cmp(big.NewFloat(maxWhole)) <= 0 {
		return x, GoodWeight
	}
	return f, RoundedWeight
}

// parseWeight reads a decimal number of 32 or 64 bits.
func parseWeight(tok []byte, bits int) (float64, WeightKind) {
	f, err := strconv.ParseFloat(string(tok), bits)
	switch {
	case bytes.ContainsAny(tok, "xXpP_"), err != nil && !math.IsInf(f, 0): // Go's other numbers, and other texts
		return 0, notNumber
	case f == 0:
		if digits, _, _ := bytes.Cut(bytes.ToLower(tok), []byte("e")); bytes.ContainsAny(digits, "123456789") {
			if math.Signbit(f) {
				return 0, NegativeWeight
			}
			return 0, TinyWeight
		}
		return 0, GoodWeight // a negative zero becomes a plain one
	}
	switch kind := kindOfWeight(f); {
	case bits == 64 && (kind == TinyWeight || kind == RoundedWeight):
		return f, GoodWeight
	case kind == GoodWeight:
		return f, kind
	default:
		return 0, kind
	}
}

// IsNumber reports whether a third column holds a number, good as a weight or not.
func IsNumber(tok []byte) bool {
	_, kind := parseWeight(tok, 32)
	return kind != notNumber
}

// Eight ASCII digits in a word w: w ^ asciiZeros has the digits' values, and
// a byte that was no digit is found by the carry into its top bit.
const (
	asciiZeros = 0x3030303030303030
	carryFrom  = 0x7676767676767676 // 0x76 + 10 = 0x80
	topBits    = 0x8080808080808080
)

// digits8 returns the value of eight digits, the first in the lowest byte: sums of
// neighbours, three times (Lemire, "Quickly parsing eight digits", 2018).
func digits8(x uint64) uint64 {
	x = x*10 + x>>8
	return ((x&0x000000FF000000FF)*0x000F424000000064 + (x>>16&0x000000FF000000FF)*0x0000271000000001) >> 32
}

// PlainDigits reads a number of 1 to 19 digits at b[p] and returns it and where
// it ends. Where there is none, or a longer one, it returns an end at which no
// separator stands: p itself, or a further digit.
//
// Slices of constant capacity spare the loads an address computation that
// b[p:] needs, in the chain of dependent instructions from number to number.
func PlainDigits(b []byte, p int) (uint64, int) {
	x := binary.LittleEndian.Uint64(b[p:p+8:p+8]) ^ asciiZeros
	m := (x + carryFrom | x) & topBits
	if m != 0 {
		t := bits.TrailingZeros64(m)
		return digits8(x << ((71 - t) & 63)), p + t>>3
	}
	v := digits8(x)
	p += 8
	x = binary.LittleEndian.Uint64(b[p:p+8:p+8]) ^ asciiZeros
	m = (x + carryFrom | x) & topBits
	n := bits.TrailingZeros64(m) >> 3
	if n == 0 {
		return v, p
	}
	v = v*pow10[n] + digits8(x<<((64-8*n)&63))
	p += n
	for i := 0; n == 8 && i < 3 && b[p]-'0' <= 9; i++ {
		v = v*10 + uint64(b[p]-'0')
		p++
	}
	return v, p
}

// maxExactDigits is the number of decimal digits always fit in 63 bits.
const maxExactDigits = 18

// fractionWeight returns digits / 10^places rounded once to float32, or false where
// that takes more than a division of float64.
//
// digits < 2^63, so the float64 result is off by less than two units in its
// last place. The bits that float32 drops then say whether rounding again could
// go wrong: only near the middle between two float32 values.
func fractionWeight(digits uint64, places int) (float32, bool) {
	f := float64(int64(digits)) / float64(pow10[places])
	const dropped, middle, slack = 1<<29 - 1, 1 << 28, 4
	off := int64(math.Float64bits(f)&dropped) - middle
	return float32(f), off < -slack || off > slack
}

// Plain reads digits[.digits] at b[p], like PlainDigits: it returns p as
// the end where the number is not of that form or needs more care.
func (r WeightRule) Plain(b []byte, p int) (float64, int) {
	v, q := PlainDigits(b, p)
	if b[q] != '.' {
		if q-p > maxExactDigits || v > 1<<24 && (v > maxWhole || r == keepSingle) && int64(float32(int64(v))) != int64(v) {
			return 0, p
		}
		return float64(int64(v)), q
	}
	frac, end := PlainDigits(b, q+1)
	n := end - (q + 1)
	if q == p || q-p+n > maxExactDigits {
		return 0, p
	}
	if v >= 1<<24 {
		return 0, p // it may be a whole number
	}
	if n == 0 {
		return float64(int64(v)), end
	}
	digits := v*pow10[n] + frac
	if r == KeepDouble {
		if digits > maxWhole {
			return 0, p
		}
		return float64(int64(digits)) / float64(pow10[n]), end // both are exact
	}
	w, ok := fractionWeight(digits, n)
	if !ok {
		return 0, p
	}
	return float64(w), end
}
