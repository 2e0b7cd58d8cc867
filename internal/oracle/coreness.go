package oracle

// Coreness takes a vertex of the least degree away, over and over: its core number is the largest
// of the degrees that vertices had when they were taken, up to it. Directions, parallel edges and
// self-loops don't matter.
func Coreness(g Graph) []int64 {
	near := make([]map[uint32]bool, g.N)
	for v := range near {
		near[v] = map[uint32]bool{}
	}
	for _, e := range g.Edges {
		if e.Src != e.Dst {
			near[e.Src][e.Dst], near[e.Dst][e.Src] = true, true
		}
	}
	core, taken := make([]int64, g.N), make([]bool, g.N)
	for k := 0; len(near) > 0; k++ {
		var low []uint32
		left := false
		for v := range near {
			if !taken[v] {
				left = true
				if len(near[v]) <= k {
					low = append(low, uint32(v))
				}
			}
		}
		if !left {
			break
		}
		for len(low) > 0 {
			v := low[len(low)-1]
			low = low[:len(low)-1]
			if taken[v] {
				continue
			}
			taken[v], core[v] = true, int64(k)
			for u := range near[v] {
				delete(near[u], v)
				if len(near[u]) <= k {
					low = append(low, u)
				}
			}
		}
	}
	return core
}
