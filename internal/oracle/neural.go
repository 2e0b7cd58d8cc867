package oracle

import "math"

// Neural returns the activities of neurons that each answer the weighted sum of
// their in-edges with a tanh, from tanh(bias) on, until none changes by more
// than tol; in 64-bit floats.
func Neural(g Graph, gain, bias, tol float64) []float64 {
	x := make([]float64, g.N)
	for v := range x {
		x[v] = math.Tanh(bias)
	}
	for change := math.Inf(1); change > tol; {
		sum := make([]float64, g.N)
		for _, e := range g.Edges {
			sum[e.Dst] += float64(e.Weight) * x[e.Src]
		}
		change = 0
		for v := range x {
			next := math.Tanh(bias + gain*sum[v])
			change = max(change, math.Abs(next-x[v]))
			x[v] = next
		}
	}
	return x
}
