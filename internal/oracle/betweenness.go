package oracle

import (
	"cmp"
	"math"
	"slices"
)

// Betweenness returns, for each vertex v, the sum over the pairs of other vertices s and t of the part of the
// shortest paths from s to t that lead through v, by the numbers of shortest paths of all pairs. Parallel edges
// make paths of their own.
func Betweenness(g Graph) []float64 {
	n := g.N
	distance, paths := make([][]int, n), make([][]float64, n)
	out := outEdges(g)
	for s := range n {
		distance[s], paths[s] = make([]int, n), make([]float64, n)
		for v := range n {
			distance[s][v] = -1
		}
		distance[s][s], paths[s][s] = 0, 1
		for queue := []uint32{uint32(s)}; len(queue) > 0; queue = queue[1:] {
			v := queue[0]
			for _, e := range out[v] {
				if distance[s][e.Dst] < 0 {
					distance[s][e.Dst] = distance[s][v] + 1
					queue = append(queue, e.Dst)
				}
				if distance[s][e.Dst] == distance[s][v]+1 {
					paths[s][e.Dst] += paths[s][v]
				}
			}
		}
	}
	sums := make([]float64, n)
	for v := range n {
		for s := range n {
			for t := range n {
				to, on := distance[s][v], distance[v][t]
				if v != s && v != t && s != t && to >= 0 && on >= 0 && to+on == distance[s][t] {
					sums[v] += paths[s][v] * paths[v][t] / paths[s][t]
				}
			}
		}
	}
	return sums
}

// WeightedBetweenness is like Betweenness, with paths of the least sum of weights, which are above 0. It counts the
// paths from each source through each vertex to each other one.
func WeightedBetweenness(g Graph) []float64 {
	sums, out := make([]float64, g.N), outEdges(g)
	for s := range g.N {
		distance := SSSP(g, uint32(s))
		var order []uint32
		for v, d := range distance {
			if !math.IsInf(d, 1) {
				order = append(order, uint32(v))
			}
		}
		slices.SortFunc(order, func(u, v uint32) int { return cmp.Compare(distance[u], distance[v]) })
		from := func(v uint32) []float64 {
			paths := make([]float64, g.N)
			paths[v] = 1
			for _, u := range order {
				for _, e := range out[u] {
					if distance[u]+float64(e.Weight) == distance[e.Dst] {
						paths[e.Dst] += paths[u]
					}
				}
			}
			return paths
		}
		all := from(uint32(s))
		for _, v := range order[1:] {
			for t, paths := range from(v) {
				if uint32(t) != v && paths > 0 {
					sums[v] += all[v] * paths / all[t]
				}
			}
		}
	}
	return sums
}
