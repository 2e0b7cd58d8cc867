package algorithms_test

import "github.com/garaph/garaph/internal/oracle"

// neighbours returns the neighbours of each vertex, without directions, parallel edges and self-loops.
func neighbours(g oracle.Graph) []map[uint32]bool {
	near := make([]map[uint32]bool, g.N)
	for v := range near {
		near[v] = map[uint32]bool{}
	}
	for _, e := range g.Edges {
		if e.Src != e.Dst {
			near[e.Src][e.Dst], near[e.Dst][e.Src] = true, true
		}
	}
	return near
}

// oracleCoreness takes a vertex of the least degree away, over and over: its core number is the largest
// of the degrees that vertices had when they were taken, up to it.
func oracleCoreness(g oracle.Graph) []int64 {
	near := neighbours(g)
	core, taken := make([]int64, g.N), make([]bool, g.N)
	for k := 0; len(near) > 0; k++ {
		var low []uint32
		left := false
		for v := range near {
			if !taken[v] {
				left = true
				if len(near[v]) <= k {
					low = append(low, uint32(v))
				}
			}
		}
		if !left {
			break
		}
		for len(low) > 0 {
			v := low[len(low)-1]
			low = low[:len(low)-1]
			if taken[v] {
				continue
			}
			taken[v], core[v] = true, int64(k)
			for u := range near[v] {
				delete(near[u], v)
				if len(near[u]) <= k {
					low = append(low, u)
				}
			}
		}
	}
	return core
}

// oracleTriangles counts the triangles at each vertex: pairs of its neighbours that are
// neighbours.
func oracleTriangles(g oracle.Graph) []int64 {
	near := neighbours(g)
	counts := make([]int64, g.N)
	for _, e := range g.Edges {
		u, v := min(e.Src, e.Dst), max(e.Src, e.Dst)
		if !near[u][v] {
			continue // a loop, or counted before
		}
		delete(near[u], v)
		delete(near[v], u)
		if len(near[u]) > len(near[v]) {
			u, v = v, u
		}
		for w := range near[u] { // over the edges that are left
			if near[v][w] {
				counts[u]++
				counts[v]++
				counts[w]++
			}
		}
	}
	return counts
}

// oracleTruss gives each vertex the largest k such that it lies in a k-truss, 0 where it has no
// neighbours. It takes away what
// is in no (k+1)-truss as the definition says: edges in fewer than k-1 triangles, until
// there are none.
func oracleTruss(g oracle.Graph) []int64 {
	near := neighbours(g)
	triangles := func(u, v uint32) (n int) {
		if len(near[u]) > len(near[v]) {
			u, v = v, u
		}
		for w := range near[u] {
			if near[v][w] {
				n++
			}
		}
		return n
	}
	best := make([]int64, g.N)
	for k, left := 2, true; left; k++ {
		left = false
		for v := range near {
			if len(near[v]) > 0 {
				best[v], left = int64(k), true
			}
		}
		for changed := true; changed; {
			changed = false
			for u := range near {
				for v := range near[u] {
					if triangles(uint32(u), v) < k-1 {
						delete(near[u], v)
						delete(near[v], uint32(u))
						changed = true
					}
				}
			}
		}
	}
	return best
}
