package oracle

import "math"

// Heat returns the temperatures after some steps from 1 at source and 0
// elsewhere, in 64-bit floats. In each step a vertex comes nearer to the mean
// of its neighbours' temperatures, weighted with the conductances of its
// in-edges, by the factor e^(-step·Σ conductances).
func Heat(g Graph, source uint32, step float64, steps int) []float64 {
	q := make([]float64, g.N)
	q[source] = 1
	for range steps {
		sum, conductance := make([]float64, g.N), make([]float64, g.N)
		for _, e := range g.Edges {
			sum[e.Dst] += float64(e.Weight) * q[e.Src]
			conductance[e.Dst] += float64(e.Weight)
		}
		for v := range q {
			if conductance[v] > 0 {
				mean := sum[v] / conductance[v]
				q[v] = mean + (q[v]-mean)*math.Exp(-step*conductance[v])
			}
		}
	}
	return q
}
