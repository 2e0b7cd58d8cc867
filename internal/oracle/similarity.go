package oracle

import "math"

// Similarity returns, for two vertices, the number of common neighbours, and the measures of Jaccard, overlap,
// cosine and Adamic–Adar, of the graph as an undirected simple one.
func Similarity(g Graph, u, v uint32) (common int64, measures [4]float64) {
	near := make([]map[uint32]bool, g.N)
	for v := range near {
		near[v] = map[uint32]bool{}
	}
	for _, e := range g.Edges {
		if e.Src != e.Dst {
			near[e.Src][e.Dst], near[e.Dst][e.Src] = true, true
		}
	}
	all := map[uint32]bool{}
	for x := range near[v] {
		all[x] = true
	}
	for x := range near[u] {
		all[x] = true
		if near[v][x] {
			common++
			if len(near[x]) > 1 {
				measures[3] += 1 / math.Log(float64(len(near[x])))
			}
		}
	}
	if common > 0 {
		a, b := float64(len(near[u])), float64(len(near[v]))
		n := float64(common)
		measures[0], measures[1], measures[2] = n/float64(len(all)), n/min(a, b), n/math.Sqrt(a*b)
	}
	return common, measures
}
