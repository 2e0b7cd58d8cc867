package oracle

import (
	"cmp"
	"slices"
)

// Forest returns the edges of the minimum spanning forest, by Kruskal's algorithm: from the smaller vertex to
// the larger one, and of equal weights those of the least vertices.
func Forest(g Graph) (forest []Edge) {
	edges := slices.Clone(g.Edges)
	for i, e := range edges {
		edges[i].Src, edges[i].Dst = min(e.Src, e.Dst), max(e.Src, e.Dst)
	}
	byEnds := func(a, b Edge) int { return cmp.Or(cmp.Compare(a.Src, b.Src), cmp.Compare(a.Dst, b.Dst)) }
	slices.SortFunc(edges, func(a, b Edge) int { return cmp.Or(cmp.Compare(a.Weight, b.Weight), byEnds(a, b)) })
	tree := make([]int, g.N)
	for v := range tree {
		tree[v] = v
	}
	for _, e := range edges {
		a, b := tree[e.Src], tree[e.Dst]
		if a == b {
			continue
		}
		forest = append(forest, e)
		for v := range tree {
			if tree[v] == b {
				tree[v] = a
			}
		}
	}
	slices.SortFunc(forest, byEnds)
	return forest
}
