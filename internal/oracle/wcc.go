package oracle

// WCC returns for each vertex the least id in its weakly connected component, by
// union-find. The root of a set is its least member.
func WCC(g Graph) []uint32 {
	parent := make([]uint32, g.N)
	for v := range parent {
		parent[v] = uint32(v)
	}
	root := func(v uint32) uint32 {
		for parent[v] != v {
			parent[v] = parent[parent[v]] // halve the path
			v = parent[v]
		}
		return v
	}
	for _, e := range g.Edges {
		a, b := root(e.Src), root(e.Dst)
		parent[max(a, b)] = min(a, b)
	}
	label := make([]uint32, g.N)
	for v := range label {
		label[v] = root(uint32(v))
	}
	return label
}
