package programs

import (
	"math"

	"github.com/garaph/garaph/gas"
)

// Neural propagates activity through a network of neurons, each of which
// answers the weighted sum of what it hears with a tanh:
//
//	x(v) = tanh(Bias + Gain·Σ_{u→v} w·x(u))
//
// The network may be recurrent. Weights are not negative, so with Bias and Gain
// ≥ 0 activity only rises from where it begins, that of neurons that hear
// nothing, and below 1: it converges on every graph, in sync and in async mode
// to the same values, the least that satisfy the formula.
type Neural struct {
	Gain, Bias float64
	Tolerance  float64 // change of a value that counts as none
}

// Init hears nothing.
func (p Neural) Init(gas.Vertex) (float32, bool) { return float32(math.Tanh(p.Bias)), true }

// Zero is silence.
func (p Neural) Zero() float64 { return 0 }

// Gather is the source's activity times the weight.
func (p Neural) Gather(src float32, e gas.Edge, _ float32) float64 {
	return float64(src) * e.Weight
}

// Sum adds, in double precision: a neuron may hear millions of others.
func (p Neural) Sum(a, b float64) float64 { return a + b }

// Apply is the formula above.
func (p Neural) Apply(_ gas.Vertex, _ float32, acc float64, _ gas.Step) float32 {
	return float32(math.Tanh(p.Bias + p.Gain*acc))
}

// Activate reports a change above Tolerance.
func (p Neural) Activate(_ gas.Vertex, old, new float32) bool {
	return math.Abs(float64(new)-float64(old)) > p.Tolerance
}
