package oracle

import "github.com/garaph/garaph/gas"

// Harmonic returns the harmonic centrality of each vertex along edge direction, and how many vertices it
// reaches, by a search from each.
func Harmonic(g Graph) (harmonic, reached []float64) {
	out := outEdges(g)
	harmonic, reached = make([]float64, g.N), make([]float64, g.N)
	for s := range g.N {
		distance := make([]int, g.N)
		distance[s] = 1
		for queue := []uint32{uint32(s)}; len(queue) > 0; queue = queue[1:] {
			v := queue[0]
			reached[s]++
			if d := distance[v] - 1; d > 0 {
				harmonic[s] += 1 / float64(d)
			}
			for _, e := range out[v] {
				if distance[e.Dst] == 0 {
					distance[e.Dst] = distance[v] + 1
					queue = append(queue, e.Dst)
				}
			}
		}
	}
	return harmonic, reached
}

// Closeness returns, for each vertex, (r-1)²/(s(n-1)), with r vertices that it reaches, itself among them, and the sum
// s of their distances; 0 where s is 0.
func Closeness(g Graph) []float64 {
	closeness := make([]float64, g.N)
	for v := range closeness {
		r, s := 0., 0.
		for _, d := range BFS(g, uint32(v)) {
			if d != gas.Unreached {
				r, s = r+1, s+float64(d)
			}
		}
		if s > 0 {
			closeness[v] = (r - 1) * (r - 1) / (s * float64(g.N-1))
		}
	}
	return closeness
}
