package bench

// uniform makes edges with both ends uniformly at random: G(n, m) with parallel
// edges and self-loops.
type uniform struct {
	random   stream
	vertices uint64
}

func (g uniform) fill(first uint64, src, dst []uint64) {
	for i := range src {
		state := g.random.from((first + uint64(i)) * 2)
		src[i], dst[i] = below(mix(state), g.vertices), below(mix(state+gamma), g.vertices)
	}
}

// grid makes the edges of a lattice row by row. Vertex (r, c) is r·cols + c, and
// has edges to its right and its lower neighbour, in this order; so a row but
// the last has 2·cols-1 edges, of which the last one leads down.
type grid struct {
	rows, cols uint64
}

func (g grid) fill(first uint64, src, dst []uint64) {
	perRow := 2*g.cols - 1
	for i := range src {
		e := first + uint64(i)
		if row := e / perRow; row < g.rows-1 {
			k := e % perRow
			u := row*g.cols + k/2
			src[i], dst[i] = u, u+1
			if k&1 == 1 || k == perRow-1 {
				dst[i] = u + g.cols
			}
			continue
		}
		u := (g.rows-1)*g.cols + e - (g.rows-1)*perRow
		src[i], dst[i] = u, u+1
	}
}
