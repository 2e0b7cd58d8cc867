package oracle

import "github.com/garaph/garaph/gas"

// BFS returns the least number of edges on a way from source to each vertex,
// along edge direction; gas.Unreached where there is none.
func BFS(g Graph, source uint32) []int64 {
	hops := make([]int64, g.N)
	for v := range hops {
		hops[v] = gas.Unreached
	}
	hops[source] = 0
	out := outEdges(g)
	for queue := []uint32{source}; len(queue) > 0; queue = queue[1:] {
		u := queue[0]
		for _, e := range out[u] {
			if hops[e.Dst] == gas.Unreached {
				hops[e.Dst] = hops[u] + 1
				queue = append(queue, e.Dst)
			}
		}
	}
	return hops
}
