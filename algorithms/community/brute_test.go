package community

import (
	"cmp"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// graph is a small random graph.
type graph struct {
	n     int
	edges [][2]uint32
	near  []uint32 // by vertex, its neighbours as a set
}

// randomGraph has at most 14 vertices: of edges alike, of overlapping cliques, or a ring of
// near vertices.
func randomGraph(r *rand.Rand) *graph {
	g := &graph{n: 1 + r.IntN(14)}
	g.near = make([]uint32, g.n)
	density, kind, clique := r.Float64(), r.IntN(3), make([]int, g.n)
	for v := range clique {
		clique[v] = r.IntN(3)
	}
	for v := range g.n {
		for u := range v {
			p := density
			switch {
			case kind == 1 && clique[u] != clique[v]:
				p /= 4
			case kind == 1:
				p = 0.9
			case kind == 2 && min(v-u, g.n-v+u) > 3:
				p = 0.05
			}
			if r.Float64() < p {
				g.edges = append(g.edges, [2]uint32{uint32(u), uint32(v)})
				g.near[u] |= 1 << v
				g.near[v] |= 1 << u
			}
		}
	}
	return g
}

// connected reports whether a set of vertices is.
func (g *graph) connected(set uint32) bool {
	reached := set & -set
	for grown := uint32(0); grown != reached; {
		grown = reached
		for rest := reached; rest != 0; rest &= rest - 1 {
			reached |= g.near[bits.TrailingZeros32(rest)] & set
		}
	}
	return reached == set
}

// least returns the minimum degree of a set of vertices.
func (g *graph) least(set uint32) int {
	k := g.n
	for rest := set; rest != 0; rest &= rest - 1 {
		k = min(k, bits.OnesCount32(g.near[bits.TrailingZeros32(rest)]&set))
	}
	return k
}

// optima returns the best minimum degrees by vertex and by exact size, over all connected sets of
// vertices; -1 where there is none.
func (g *graph) optima() (best [14][15]int) {
	for q := range best {
		for size := range best[q] {
			best[q][size] = -1
		}
	}
	for set := uint32(1); set < 1<<g.n; set++ {
		if !g.connected(set) {
			continue
		}
		k, size := g.least(set), bits.OnesCount32(set)
		for rest := set; rest != 0; rest &= rest - 1 {
			q := bits.TrailingZeros32(rest)
			best[q][size] = max(best[q][size], k)
		}
	}
	return best
}

// queries returns those of all vertices and bounds, and what is best.
func (g *graph) queries(best *[14][15]int) (queries []Query, want []int) {
	for q := range g.n {
		for low := 1; low <= g.n; low++ {
			k := -1
			for high := low; high <= g.n; high++ {
				k = max(k, best[q][high])
				queries, want = append(queries, Query{uint32(q), low, high}), append(want, k)
			}
		}
	}
	return queries, want
}

// newProblem makes a problem of edges, each of which may be there in any direction and any
// number of times; loops are left out. The vertices 0 to n-1 are called so outside, too.
func newProblem(n int, edges [][2]uint32, query uint32, low, high int) *Problem {
	var both [][2]uint32
	for _, e := range edges {
		if e[0] != e[1] {
			both = append(both, e, [2]uint32{e[1], e[0]})
		}
	}
	slices.SortFunc(both, func(a, b [2]uint32) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	both = slices.Compact(both)
	p := &Problem{N: n, Query: query, Low: low, High: high, Offsets: make([]uint32, n+1), IDs: make([]uint32, n)}
	for _, e := range both {
		p.Offsets[e[0]+1]++
		p.Neighbours = append(p.Neighbours, e[1])
	}
	for v := range n {
		p.Offsets[v+1] += p.Offsets[v]
		p.IDs[v] = uint32(v)
	}
	return p
}
