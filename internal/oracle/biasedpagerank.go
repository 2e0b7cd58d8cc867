package oracle

import "math"

// BiasedPageRank is [PageRank] of a surfer who follows an out-edge with a probability in proportion to its
// weight, and whose teleports end at one of the sources, which are different ones; none: anywhere. A vertex
// of which all out-edges weigh nothing dangles.
func BiasedPageRank(g Graph, damping float64, sources []uint32, tol float64) []float64 {
	p := make([]float64, g.N)
	for v := range p {
		p[v] = 1 / float64(g.N)
	}
	if len(sources) > 0 {
		clear(p)
	}
	for _, v := range sources {
		p[v] = 1 / float64(len(sources))
	}
	strength := make([]float64, g.N)
	for _, e := range g.Edges {
		strength[e.Src] += float64(e.Weight)
	}
	rank := append([]float64(nil), p...)
	for change := math.Inf(1); change >= tol; {
		dangling := 0.0
		for v, r := range rank {
			if strength[v] == 0 {
				dangling += r
			}
		}
		sum := make([]float64, g.N)
		for _, e := range g.Edges {
			if strength[e.Src] > 0 {
				sum[e.Dst] += rank[e.Src] * float64(e.Weight) / strength[e.Src]
			}
		}
		change = 0
		for v := range rank {
			next := (1-damping)*p[v] + damping*(sum[v]+dangling*p[v])
			change += math.Abs(next - rank[v])
			rank[v] = next
		}
	}
	return rank
}
