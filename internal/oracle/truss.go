package oracle

// Truss gives each vertex the largest k such that it lies in a k-truss, 0 where it has no
// neighbours. Directions, parallel edges and self-loops don't matter. It takes away what
// is in no (k+1)-truss as the definition says: edges in fewer than k-1 triangles, until
// there are none.
func Truss(g Graph) []int64 {
	near := make([]map[uint32]bool, g.N)
	for v := range near {
		near[v] = map[uint32]bool{}
	}
	for _, e := range g.Edges {
		if e.Src != e.Dst {
			near[e.Src][e.Dst], near[e.Dst][e.Src] = true, true
		}
	}
	triangles := func(u, v uint32) (n int) {
		if len(near[u]) > len(near[v]) {
			u, v = v, u
		}
		for w := range near[u] {
			if near[v][w] {
				n++
			}
		}
		return n
	}
	best := make([]int64, g.N)
	for k, left := 2, true; left; k++ {
		left = false
		for v := range near {
			if len(near[v]) > 0 {
				best[v], left = int64(k), true
			}
		}
		for changed := true; changed; {
			changed = false
			for u := range near {
				for v := range near[u] {
					if triangles(uint32(u), v) < k-1 {
						delete(near[u], v)
						delete(near[v], uint32(u))
						changed = true
					}
				}
			}
		}
	}
	return best
}
