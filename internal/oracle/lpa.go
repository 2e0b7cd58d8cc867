package oracle

// LPA returns the labels after some rounds in which half of the vertices, at
// random, compare their label with one of a random neighbour's, drawn in the
// round before, and take that one if more neighbours have it. Neighbours are
// those of in- and out-edges, of a symmetric graph once. The random numbers are
// those of programs.LPA: a vertex's is mixed as in C. Wellons' lowbias32, with an
// offset; an edge's is the product of what its ends differ in with an odd number.
func LPA(g Graph, seed uint32, rounds int, symmetric bool) []uint32 {
	mix := func(x uint32) uint32 {
		x += 0x9e3779b9
		x ^= x >> 16
		x *= 0x7feb352d
		x ^= x >> 15
		x *= 0x846ca68b
		return x ^ x>>16
	}
	near := make([][]uint32, g.N)
	for _, e := range g.Edges {
		near[e.Dst] = append(near[e.Dst], e.Src)
		if !symmetric {
			near[e.Src] = append(near[e.Src], e.Dst)
		}
	}
	label, candidate, draw := make([]uint32, g.N), make([]uint32, g.N), make([]uint32, g.N)
	for v := range label {
		label[v], candidate[v], draw[v] = uint32(v), uint32(v), mix(uint32(v)^mix(seed))
	}
	for range rounds {
		nextLabel, nextCandidate, nextDraw := make([]uint32, g.N), make([]uint32, g.N), make([]uint32, g.N)
		for v := range label {
			nextLabel[v], nextCandidate[v], nextDraw[v] = label[v], candidate[v], draw[v]
			if len(near[v]) == 0 {
				continue
			}
			count := map[uint32]int{}
			largest := uint32(0)
			for _, u := range near[v] {
				count[label[u]]++
				key := (draw[u]^draw[v])*0x9e3779b1 | 1
				if key > largest || key == largest && label[u] > nextCandidate[v] {
					largest, nextCandidate[v] = key, label[u]
				}
			}
			if draw[v]>>31 == 1 && count[candidate[v]] > count[label[v]] {
				nextLabel[v] = candidate[v]
			}
			nextDraw[v] = mix(draw[v])
		}
		label, candidate, draw = nextLabel, nextCandidate, nextDraw
	}
	return label
}
