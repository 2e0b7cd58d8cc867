package programs

import (
	"math"

	"github.com/garaph/garaph/gas"
)

// SSSP gives the least total weight of a path from Source along edge direction
// (Bellman and Ford, with an active set); weights are not negative. Unreached is
// +Inf. In float32, a distance of math.MaxFloat32 or more is math.MaxFloat32, which
// Overflowed reports; in float64 no sum of fewer than 2^896 weights is too large.
type SSSP[F float32 | float64] struct {
	Source uint32 // dense id
	// Most, if it is not 0, is a distance that Overflowed reports, with all above it. Sums of integers
	// are exact in float32 below 2^24.
	Most float32
	More []uint32 // more sources beside it, ascending: distances are from the nearest
}

// Init reaches the source.
func (p SSSP[F]) Init(v gas.Vertex) (F, bool) {
	if v.ID == p.Source || among(p.More, v.ID) {
		return 0, true
	}
	return F(math.Inf(1)), false
}

// Zero is unreached.
func (p SSSP[F]) Zero() F { return F(math.Inf(1)) }

// Gather is the way over the source of the edge. One that is too long stays below
// unreached.
func (p SSSP[F]) Gather(src F, e gas.Edge, _ F) F {
	d := src + F(e.Weight)
	if d > math.MaxFloat32 && src <= math.MaxFloat32 && single[F]() {
		return math.MaxFloat32
	}
	return d
}

// Sum is the minimum.
func (p SSSP[F]) Sum(a, b F) F { return min(a, b) }

// Apply keeps the least.
func (p SSSP[F]) Apply(_ gas.Vertex, old, acc F, _ gas.Step) F { return min(old, acc) }

// Activate reports any change.
func (p SSSP[F]) Activate(_ gas.Vertex, old, new F) bool { return old != new }

// Priority is the distance: what is near is done first.
func (p SSSP[F]) Priority(value F) float64 { return float64(value) }

// Overflowed reports a distance that is too large.
func (p SSSP[F]) Overflowed(value F) bool {
	return value == math.MaxFloat32 && single[F]() || p.Most > 0 && value >= F(p.Most) && value <= math.MaxFloat32
}

// single reports whether F is float32.
func single[F float32 | float64]() bool { return F(1)+F(0x1p-30) == F(1) }

// finite reports whether x is neither infinite nor NaN.
func finite[F float32 | float64](x F) bool { return math.Abs(float64(x)) <= math.MaxFloat64 }
