// Package devicemath is the arithmetic that a GPU has no single instruction for
// and that its assembler would turn into calls: exact division and square
// roots, 64-bit integer division, and exp, log and tanh. It is written in the
// subset of Go that compiles to PTX, and the compiler inlines it from [Source].
//
// Quotients and roots are as in IEEE 754, rounded to nearest even, bit for
// bit, subnormal numbers included: an estimate in floating point is corrected
// with the exact remainder, so that it does not matter how good the
// hardware's estimate of a reciprocal is, as long as it has 19 bits.
package devicemath

import (
	"embed"
	"math"
)

// Source is the package itself.
//
//go:embed devicemath.go div.go sqrt.go elementary.go
var Source embed.FS

const (
	signBit  = 1 << 63
	mantissa = 1<<52 - 1
	hidden   = 1 << 52
	infinity = 0x7ff << 52
)

// reciprocal estimates 1/x for a normal x with a normal result: the compiler
// puts rcp.approx.ftz.f64 here, which looks at the upper half of x and returns
// the upper half of a result.
func reciprocal(x float64) float64 {
	x = math.Float64frombits(math.Float64bits(x) &^ (1<<32 - 1))
	return math.Float64frombits(math.Float64bits(1/x) &^ (1<<32 - 1))
}

// reciprocalSqrt estimates 1/√x, with rsqrt.approx.ftz.f64.
func reciprocalSqrt(x float64) float64 {
	x = math.Float64frombits(math.Float64bits(x) &^ (1<<32 - 1))
	return math.Float64frombits(math.Float64bits(1/math.Sqrt(x)) &^ (1<<32 - 1))
}

// refined is 1/x within a few units of the last place.
func refined(x float64) float64 {
	y := reciprocal(x)
	y = math.FMA(y, math.FMA(-x, y, 1), y)
	return math.FMA(y, math.FMA(-x, y, 1), y)
}
