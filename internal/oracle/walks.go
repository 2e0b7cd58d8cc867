package oracle

// Transitions returns a function that returns the chances of the next vertices of a random walk at v, after a step
// from before, or at its beginning: an edge counts by its weight, divided by p if it leads to before, and by q if it
// leads to a vertex from which no edge leads to before. There are none where the walk cannot leave v.
func Transitions(g Graph, p, q float64) func(before *uint32, v uint32) map[uint32]float64 {
	out := outEdges(g)
	leads := func(from, to uint32) bool {
		for _, e := range out[from] {
			if e.Dst == to {
				return true
			}
		}
		return false
	}
	return func(before *uint32, v uint32) map[uint32]float64 {
		chances, sum := map[uint32]float64{}, 0.
		for _, e := range out[v] {
			weight := float64(e.Weight)
			switch {
			case before == nil:
			case e.Dst == *before:
				weight /= p
			case !leads(e.Dst, *before):
				weight /= q
			}
			if weight > 0 {
				chances[e.Dst] += weight
				sum += weight
			}
		}
		for u := range chances {
			chances[u] /= sum
		}
		return chances
	}
}
