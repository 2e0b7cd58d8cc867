package oracle

// LCC returns the local clustering coefficients of LDBC Graphalytics: of the ordered pairs of different
// neighbours, the part that an edge leads from one to the other of.
func LCC(g Graph) []float64 {
	near, edge := make([]map[uint32]bool, g.N), map[[2]uint32]bool{}
	for v := range near {
		near[v] = map[uint32]bool{}
	}
	for _, e := range g.Edges {
		if e.Src != e.Dst {
			near[e.Src][e.Dst], near[e.Dst][e.Src] = true, true
			edge[[2]uint32{e.Src, e.Dst}] = true
		}
	}
	values := make([]float64, g.N)
	for v := range values {
		n, d := 0, float64(len(near[v]))
		for u := range near[v] {
			for w := range near[v] {
				if edge[[2]uint32{u, w}] {
					n++
				}
			}
		}
		if d > 1 {
			values[v] = float64(n) / (d * (d - 1))
		}
	}
	return values
}
