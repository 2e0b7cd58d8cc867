package oracle

import "math"

// Modularity returns the modularity of groups of vertices, directions aside. In a symmetric graph an edge is stored
// in both directions, a self-loop once.
func Modularity(g Graph, symmetric bool, group []uint32, resolution float64) float64 {
	degree, inside, all := make([]float64, g.N), 0., 0.
	for _, e := range g.Edges {
		ends := 2.
		if symmetric && e.Src != e.Dst {
			ends = 1
		}
		w := float64(e.Weight)
		all += ends * w
		degree[group[e.Src]] += ends * w / 2
		degree[group[e.Dst]] += ends * w / 2
		if group[e.Src] == group[e.Dst] {
			inside += ends * w
		}
	}
	if all == 0 {
		return 0
	}
	q := inside / all
	for _, k := range degree {
		q -= resolution * (k / all) * (k / all)
	}
	return q
}

// MostModularity returns the largest modularity of any division of the vertices of a tiny graph into groups.
func MostModularity(g Graph, symmetric bool, resolution float64) float64 {
	group, most := make([]uint32, g.N), math.Inf(-1)
	var divide func(v, groups int)
	divide = func(v, groups int) {
		if v == len(group) {
			most = max(most, Modularity(g, symmetric, group, resolution))
			return
		}
		for c := 0; c <= groups; c++ {
			group[v] = uint32(c)
			divide(v+1, max(groups, c+1))
		}
	}
	divide(0, 0)
	return most
}
