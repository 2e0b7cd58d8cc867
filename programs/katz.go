package programs

import (
	"math"

	"github.com/garaph/garaph/gas"
)

// Katz gives the centrality of Katz (1953): the number of walks that end at a
// vertex, one of k edges weighing Alpha to the k-th, all times Beta:
//
//	x(v) = Alpha·Σ_{u→v} x(u) + Beta
//
// It is what NetworkX computes, before NetworkX scales it. The sum is finite
// when Alpha is below 1/λ, λ being the largest eigenvalue of the graph, for
// which 1 / the largest in-degree is always enough. Otherwise values grow until
// they overflow.
type Katz[F float32 | float64] struct {
	Alpha, Beta float64
	Tolerance   float64 // relative change of a value below which it counts as none
	Most        float64 // if it is not 0, Overflowed reports larger values
}

// Init counts the walk of no edge.
func (p Katz[F]) Init(gas.Vertex) (F, bool) { return F(p.Beta), true }

// Zero is 0.
func (p Katz[F]) Zero() float64 { return 0 }

// Gather is the number of walks over the source of the edge.
func (p Katz[F]) Gather(src F, _ gas.Edge, _ F) float64 { return float64(src) }

// Sum adds, in double precision, as in [PageRank].
func (p Katz[F]) Sum(a, b float64) float64 { return a + b }

// Apply is the formula above.
func (p Katz[F]) Apply(_ gas.Vertex, _ F, acc float64, _ gas.Step) F {
	return F(p.Alpha*acc + p.Beta)
}

// Activate reports a relative change above Tolerance; there is none from +Inf.
func (p Katz[F]) Activate(_ gas.Vertex, old, new F) bool {
	return math.Abs(float64(new)-float64(old)) > p.Tolerance*math.Abs(float64(old))
}

// Overflowed reports +Inf, and NaN, to which that leads with an Alpha of 0.
func (p Katz[F]) Overflowed(value F) bool {
	return !finite(value) || p.Most > 0 && float64(value) > p.Most
}
