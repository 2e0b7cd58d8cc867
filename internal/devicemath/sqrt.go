package devicemath

import "math"

// Sqrt is √x, rounded to nearest even: three terms of the series of 1/√x from an estimate,
// whose product with x is within one unit of the last place of the root, and a step with the
// remainder of x (Markstein, as for quotients).
func Sqrt(x float64) float64 {
	if x == 0 || x != x || x > math.MaxFloat64 {
		return x
	}
	if x < 0 {
		return math.NaN()
	}
	scale := 1.0
	if x < 0x1p-900 { // the remainder would not be a normal number
		x *= 0x1p108
		scale = 0x1p-54
	}
	y := reciprocalSqrt(x)
	e := math.FMA(-x*y, y, 1)
	y = math.FMA(y*e, math.FMA(e, 0.375, 0.5), y)
	g, h := x*y, 0.5*y
	g = math.FMA(math.FMA(-g, g, x), h, g)
	g = math.FMA(math.FMA(-g, g, x), h, g)
	return g * scale
}
