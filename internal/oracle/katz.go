package oracle

// Katz returns Σ_k alpha^k · (walks of k edges that end at the vertex) · beta, for
// walks of a limited number of edges, in 64-bit floats.
func Katz(g Graph, alpha, beta float64, edges int) []float64 {
	walks, total := make([]float64, g.N), make([]float64, g.N)
	for v := range walks {
		walks[v], total[v] = beta, beta
	}
	for range edges {
		longer := make([]float64, g.N)
		for _, e := range g.Edges {
			longer[e.Dst] += alpha * walks[e.Src]
		}
		walks = longer
		for v := range walks {
			total[v] += walks[v]
		}
	}
	return total
}
