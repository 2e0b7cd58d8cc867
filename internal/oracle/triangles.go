package oracle

// Triangles counts the triangles at each vertex: pairs of its neighbours that are
// neighbours. Directions, parallel edges and self-loops don't matter.
func Triangles(g Graph) []int64 {
	near := make([]map[uint32]bool, g.N)
	for v := range near {
		near[v] = map[uint32]bool{}
	}
	for _, e := range g.Edges {
		if e.Src != e.Dst {
			near[e.Src][e.Dst], near[e.Dst][e.Src] = true, true
		}
	}
	counts := make([]int64, g.N)
	for _, e := range g.Edges {
		u, v := min(e.Src, e.Dst), max(e.Src, e.Dst)
		if !near[u][v] {
			continue // a loop, or counted before
		}
		delete(near[u], v)
		delete(near[v], u)
		if len(near[u]) > len(near[v]) {
			u, v = v, u
		}
		for w := range near[u] { // over the edges that are left
			if near[v][w] {
				counts[u]++
				counts[v]++
				counts[w]++
			}
		}
	}
	return counts
}
