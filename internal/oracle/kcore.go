package oracle

// KCore reports which vertices are in the k-core: it takes away vertices with
// fewer than k edges, one after another. Edges count at both ends, those of a
// symmetric graph once.
func KCore(g Graph, k int, symmetric bool) []bool {
	near := make([][]uint32, g.N)
	for _, e := range g.Edges {
		near[e.Dst] = append(near[e.Dst], e.Src)
		if !symmetric {
			near[e.Src] = append(near[e.Src], e.Dst)
		}
	}
	core, degree, queue := make([]bool, g.N), make([]int, g.N), []uint32{}
	for v := range core {
		degree[v] = len(near[v])
		if core[v] = degree[v] >= k; !core[v] {
			queue = append(queue, uint32(v))
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, u := range near[queue[0]] {
			if degree[u]--; core[u] && degree[u] < k {
				core[u] = false
				queue = append(queue, u)
			}
		}
	}
	return core
}
