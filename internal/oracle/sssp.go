package oracle

import (
	"container/heap"
	"math"
)

// SSSP returns the least total weight of a way from source to each vertex, along
// edge direction; +Inf where there is none (Dijkstra, 1959). Sums are 64-bit
// floats.
func SSSP(g Graph, source uint32) []float64 {
	distance := make([]float64, g.N)
	for v := range distance {
		distance[v] = math.Inf(1)
	}
	distance[source] = 0
	out := outEdges(g)
	queue := &nearest{{source, 0}}
	for queue.Len() > 0 {
		at := heap.Pop(queue).(reached)
		if at.distance > distance[at.v] {
			continue // a shorter way was found meanwhile
		}
		for _, e := range out[at.v] {
			if d := at.distance + float64(e.Weight); d < distance[e.Dst] {
				distance[e.Dst] = d
				heap.Push(queue, reached{e.Dst, d})
			}
		}
	}
	return distance
}

type reached struct {
	v        uint32
	distance float64
}

// nearest is a heap with the least distance on top.
type nearest []reached

func (h nearest) Len() int           { return len(h) }
func (h nearest) Less(i, j int) bool { return h[i].distance < h[j].distance }
func (h nearest) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *nearest) Push(x any)        { *h = append(*h, x.(reached)) }
func (h *nearest) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
