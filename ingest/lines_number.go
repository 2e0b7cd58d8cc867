package ingest

import (
	"math"
	"strconv"
	"strings"
)

// pow10Int and pow10Float are the powers of ten that are exact: as integers of
// 64 bits, and as float64.
var (
	pow10Int   [19]uint64
	pow10Float [23]float64
)

func init() {
	p := uint64(1)
	for i := range pow10Int {
		pow10Int[i] = p
		p *= 10
	}
	f := 1.0
	for i := range pow10Float {
		pow10Float[i] = f
		f *= 10
	}
}

// integerKind says what an id token is, taken as an integer.
type integerKind uint8

const (
	notInteger integerKind = iota
	plainInteger
	negativeInteger
	largeInteger // above the range of int64, within that of uint64
	hugeInteger  // beyond 64 bits
)

// parseInteger reads a decimal integer with an optional sign. The value is the
// bits of an int64, or of a uint64 for a largeInteger.
func parseInteger(tok []byte) (uint64, integerKind) {
	digits, negative := tok, false
	if len(tok) > 0 && (tok[0] == '-' || tok[0] == '+') {
		digits, negative = tok[1:], tok[0] == '-'
	}
	if len(digits) == 0 {
		return 0, notInteger
	}
	v, huge := uint64(0), false
	for _, c := range digits {
		d := uint64(c - '0')
		if d > 9 {
			return 0, notInteger
		}
		if v > math.MaxUint64/10 || v*10 > math.MaxUint64-d {
			huge = true
		}
		v = v*10 + d
	}
	switch {
	case huge || negative && v > 1<<63:
		return 0, hugeInteger
	case negative && v > 0:
		return -v, negativeInteger
	case v > math.MaxInt64:
		return v, largeInteger
	}
	return v, plainInteger
}

// isCanonical reports whether an integer is written as strconv writes it: another
// integer then has another text, and the text can be had again from the number.
func isCanonical(tok []byte) bool {
	digits := tok
	if tok[0] == '-' {
		digits = tok[1:]
	}
	return tok[0] != '+' && (digits[0] != '0' || len(tok) == 1)
}

// canonical is the text of the integer in tok, as strconv writes it.
func canonical(tok []byte) string {
	v, kind := parseInteger(tok)
	if kind == negativeInteger {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatUint(v, 10)
}

// weightKind says what a weight token is.
type weightKind uint8

const (
	notNumber weightKind = iota
	goodWeight
	negativeWeight
	infiniteWeight // NaN, an infinity, or beyond the range of float32
)

// parseWeight reads a decimal number as the nearest float32.
func parseWeight(tok []byte) (float32, weightKind) {
	d, ok := scanDecimal(tok)
	if !ok {
		if isNonFinite(tok) {
			return 0, infiniteWeight
		}
		return 0, notNumber
	}
	w, ok := decimalWeight(d.digits, d.exponent)
	if !ok || !d.exact {
		// The syntax was checked, so the only error left is the range.
		f, _ := strconv.ParseFloat(string(d.unsigned), 32)
		w = float32(f)
	}
	switch {
	case math.IsInf(float64(w), 0):
		return 0, infiniteWeight
	case d.negative && w > 0:
		return 0, negativeWeight
	}
	return w, goodWeight
}

// isNumber reports whether a third column holds a number, good as a weight or not.
func isNumber(tok []byte) bool {
	_, kind := parseWeight(tok)
	return kind != notNumber
}

// decimal is a number in decimal notation: digits × 10^exponent. It is exact
// when all its digits went in.
type decimal struct {
	digits   uint64
	exponent int
	negative bool
	exact    bool
	unsigned []byte // the token without its sign
}

// maxExactDigits is how many decimal digits always fit in 63 bits.
const maxExactDigits = 18

// scanDecimal takes tok apart: [sign] digits [. digits] [e [sign] digits].
func scanDecimal(tok []byte) (decimal, bool) {
	var d decimal
	if len(tok) > 0 && (tok[0] == '-' || tok[0] == '+') {
		d.negative, tok = tok[0] == '-', tok[1:]
	}
	d.unsigned = tok
	i, digits, significant, fraction := 0, 0, 0, false
	for ; i < len(tok); i++ {
		c := tok[i] - '0'
		if c > 9 {
			if tok[i] != '.' || fraction {
				break
			}
			fraction = true
			continue
		}
		digits++
		if significant > 0 || c > 0 {
			significant++
		}
		if significant <= maxExactDigits {
			d.digits = d.digits*10 + uint64(c)
			if fraction {
				d.exponent--
			}
		}
	}
	if digits == 0 {
		return d, false
	}
	d.exact = significant <= maxExactDigits
	if i == len(tok) {
		return d, true
	}
	e, ok := scanExponent(tok[i:])
	d.exponent += e
	return d, ok
}

// scanExponent reads e, an optional sign and digits. Exponents beyond any float
// are cut short: scanDecimal's caller leaves them to strconv.
func scanExponent(tok []byte) (int, bool) {
	if tok[0] != 'e' && tok[0] != 'E' {
		return 0, false
	}
	tok = tok[1:]
	sign := 1
	if len(tok) > 0 && (tok[0] == '-' || tok[0] == '+') {
		if tok[0] == '-' {
			sign = -1
		}
		tok = tok[1:]
	}
	e := 0
	for _, c := range tok {
		if c < '0' || c > '9' {
			return 0, false
		}
		e = min(e*10+int(c-'0'), 1<<20)
	}
	return sign * e, len(tok) > 0
}

// decimalWeight is digits × 10^exponent rounded once to float32, or false where
// that takes more than one multiplication or division of float64.
//
// digits < 2^63, so the float64 result is off by less than two units in its
// last place. The bits that float32 drops then say whether rounding again could
// go wrong: only near the middle between two float32 values.
func decimalWeight(digits uint64, exponent int) (float32, bool) {
	f := float64(int64(digits))
	switch {
	case exponent == 0:
		return float32(int64(digits)), true
	case exponent < 0 && -exponent < len(pow10Float):
		f /= pow10Float[-exponent]
	case exponent > 0 && exponent < len(pow10Float):
		f *= pow10Float[exponent]
	default:
		return 0, false
	}
	const dropped, middle, slack = 1<<29 - 1, 1 << 28, 4
	if off := int64(math.Float64bits(f)&dropped) - middle; -slack <= off && off <= slack {
		return 0, false
	}
	return float32(f), true
}

// plainWeight reads digits[.digits] at b[p], like plainDigits: it returns p as
// the end where the number is not of that form or needs more care.
func plainWeight(b []byte, p int) (float32, int) {
	v, q := plainDigits(b, p)
	if b[q] != '.' {
		if q-p > maxExactDigits {
			return 0, p
		}
		return float32(int64(v)), q
	}
	frac, r := plainDigits(b, q+1)
	n := r - (q + 1)
	if q == p || q-p+n > maxExactDigits {
		return 0, p
	}
	if n == 0 {
		return float32(int64(v)), r
	}
	w, ok := decimalWeight(v*pow10Int[n]+frac, -n)
	if !ok {
		return 0, p
	}
	return w, r
}

// isNonFinite reports whether tok names a NaN or an infinity.
func isNonFinite(tok []byte) bool {
	if len(tok) > 0 && (tok[0] == '-' || tok[0] == '+') {
		tok = tok[1:]
	}
	for _, name := range []string{"nan", "inf", "infinity"} {
		if strings.EqualFold(string(tok), name) {
			return true
		}
	}
	return false
}
