package oracle

// SCC labels each vertex with the least vertex of its strongly connected component, by a search forward and one
// backward from each vertex.
func SCC(g Graph) []uint32 {
	out, in := make([][]uint32, g.N), make([][]uint32, g.N)
	for _, e := range g.Edges {
		out[e.Src], in[e.Dst] = append(out[e.Src], e.Dst), append(in[e.Dst], e.Src)
	}
	reach := func(from uint32, near [][]uint32) []bool {
		seen, queue := make([]bool, g.N), []uint32{from}
		for seen[from] = true; len(queue) > 0; queue = queue[1:] {
			for _, u := range near[queue[0]] {
				if !seen[u] {
					seen[u] = true
					queue = append(queue, u)
				}
			}
		}
		return seen
	}
	labels, labelled := make([]uint32, g.N), make([]bool, g.N)
	for v := range labels {
		if labelled[v] {
			continue
		}
		to, from := reach(uint32(v), out), reach(uint32(v), in)
		for u := range labels {
			if to[u] && from[u] {
				labels[u], labelled[u] = uint32(v), true
			}
		}
	}
	return labels
}
