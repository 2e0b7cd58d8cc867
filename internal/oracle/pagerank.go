package oracle

import "math"

// PageRank returns the probability of each vertex in the random surfer model
// (Brin and Page, 1998), by power iteration in 64-bit floats:
//
//	rank(v) = (1-d)·p(v) + d·(Σ_{u→v} rank(u)/out(u) + D·p(v)),  D = Σ_{out(u)=0} rank(u)
//
// where p is 1/N everywhere, or 1 at source and 0 elsewhere when source ≥ 0,
// and the first ranks are p. It makes a number of iterations or, with
// iterations ≤ 0, goes on until the ranks change by less than tol (> 0) in L1.
func PageRank(g Graph, damping float64, source, iterations int, tol float64) []float64 {
	p := make([]float64, g.N)
	for v := range p {
		if source < 0 {
			p[v] = 1 / float64(g.N)
		} else if v == source {
			p[v] = 1
		}
	}
	_, out := Degrees(g)
	rank := append([]float64(nil), p...)
	for i := 0; iterations <= 0 || i < iterations; i++ {
		dangling := 0.0
		for v, r := range rank {
			if out[v] == 0 {
				dangling += r
			}
		}
		sum := make([]float64, g.N)
		for _, e := range g.Edges {
			sum[e.Dst] += rank[e.Src] / float64(out[e.Src])
		}
		change := 0.0
		for v := range rank {
			next := (1-damping)*p[v] + damping*(sum[v]+dangling*p[v])
			change += math.Abs(next - rank[v])
			rank[v] = next
		}
		if iterations <= 0 && change < tol {
			break
		}
	}
	return rank
}
