package oracle

import "math"

// HITS returns hubs and authorities of Euclidean norm 1, after a number of iterations from equal hubs.
func HITS(g Graph, iterations int) (hubs, authorities []float64) {
	hubs = ones(g.N)
	for range iterations {
		authorities = make([]float64, g.N)
		for _, e := range g.Edges {
			authorities[e.Dst] += hubs[e.Src]
		}
		normalize(authorities)
		hubs = make([]float64, g.N)
		for _, e := range g.Edges {
			hubs[e.Src] += authorities[e.Dst]
		}
		normalize(hubs)
	}
	return hubs, authorities
}

// Eigenvector returns values of Euclidean norm 1 after a number of iterations from equal ones, in each of which
// a vertex adds the values that its in-edges come from to its own.
func Eigenvector(g Graph, iterations int) []float64 {
	values := ones(g.N)
	normalize(values)
	for range iterations {
		next := append([]float64(nil), values...)
		for _, e := range g.Edges {
			next[e.Dst] += values[e.Src]
		}
		normalize(next)
		values = next
	}
	return values
}

func ones(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

func normalize(x []float64) {
	sum := 0.
	for _, f := range x {
		sum += f * f
	}
	for i := range x {
		if sum > 0 {
			x[i] /= math.Sqrt(sum)
		}
	}
}
