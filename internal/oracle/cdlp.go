package oracle

// CDLP returns the labels of LDBC Graphalytics' community detection by label propagation, after a number of
// iterations. Of a symmetric graph, each edge counts at both ends once, and else each end of an edge is a
// neighbour of the other one.
func CDLP(g Graph, iterations int, symmetric bool) []uint32 {
	labels := make([]uint32, g.N)
	for v := range labels {
		labels[v] = uint32(v)
	}
	for range iterations {
		votes := make([]map[uint32]int, g.N)
		for v := range votes {
			votes[v] = map[uint32]int{}
		}
		for _, e := range g.Edges {
			votes[e.Dst][labels[e.Src]]++
			if !symmetric {
				votes[e.Src][labels[e.Dst]]++
			}
		}
		next := make([]uint32, g.N)
		for v, counts := range votes {
			next[v] = labels[v]
			most := 0
			for l, n := range counts {
				if n > most || n == most && l < next[v] {
					next[v], most = l, n
				}
			}
		}
		labels = next
	}
	return labels
}
