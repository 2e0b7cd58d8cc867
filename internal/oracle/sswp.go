package oracle

import (
	"cmp"
	"math"
	"slices"
)

// SSWP returns the width of the widest way from source to each vertex, along edge
// direction, which is the least weight on it; +Inf at source, -Inf where
// there is none. It lets in the edges from the heaviest to the lightest: a vertex is as
// wide as the edge that first connects it with source.
func SSWP(g Graph, source uint32) []float64 {
	order := slices.Clone(g.Edges)
	slices.SortFunc(order, func(a, b Edge) int { return cmp.Compare(b.Weight, a.Weight) })
	width := slices.Repeat([]float64{math.Inf(-1)}, g.N)
	width[source] = math.Inf(1)
	out := make([][]uint32, g.N) // edges let in so far
	for _, e := range order {
		out[e.Src] = append(out[e.Src], e.Dst)
		if math.IsInf(width[e.Src], -1) {
			continue
		}
		for stack := []uint32{e.Dst}; len(stack) > 0; {
			v := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if math.IsInf(width[v], -1) {
				width[v] = float64(e.Weight)
				stack = append(stack, out[v]...)
			}
		}
	}
	return width
}
