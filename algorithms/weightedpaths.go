package algorithms

import (
	"context"
	"fmt"

	"github.com/garaph/garaph/frontier"
)

// weightedBrandes is the search from one source along the least sums of weights: Dijkstra's algorithm.
type weightedBrandes struct {
	rows     *frontier.Rows
	distance []float64
	heap     []uint32  // vertices to settle, a binary heap by distance
	place    []uint32  // of a vertex in the heap, from 1 on; if 0, it was not reached
	settled  []uint32  // by distance
	paths    []float64 // as in brandes
	dep      []float64
}

func (x *weightedBrandes) init(e *Env, rows *frontier.Rows) error {
	n := int(e.Graph.Vertices)
	x.rows = rows
	err := makeAll(e, into(&x.distance, n), into(&x.paths, n), into(&x.dep, n),
		into(&x.heap, n), into(&x.place, n), into(&x.settled, n))
	x.heap, x.settled = x.heap[:0], x.settled[:0]
	return err
}

// checkPositive refuses weights of 0, along which there are paths without end.
func checkPositive(ctx context.Context, e *Env, rows *frontier.Rows) error {
	n := int(e.Graph.Vertices)
	return e.Each(ctx, (n+summed-1)/summed, func(_, i int) error {
		for k := rows.Off[i*summed]; k < rows.Off[min((i+1)*summed, n)]; k++ {
			if _, weight := rows.Arc(k); weight == 0 {
				return fmt.Errorf("graph %s has an edge of weight 0: betweenness by weights needs weights above 0",
					e.store.Name())
			}
		}
		return nil
	})
}

// search settles vertices in the order of their distances, and adds up dependencies on the way back.
func (x *weightedBrandes) search(ctx context.Context, source uint32) error {
	x.distance[source], x.paths[source] = 0, 1
	x.reach(source)
	for len(x.heap) > 0 {
		if len(x.settled)%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		v := x.pop()
		x.settled = append(x.settled, v)
		for k := x.rows.Off[v]; k < x.rows.Off[v+1]; k++ {
			u, weight := x.rows.Arc(k)
			switch d := x.distance[v] + weight; {
			case x.place[u] == 0 || d < x.distance[u]:
				x.distance[u], x.paths[u] = d, x.paths[v]
				x.reach(u)
			case d == x.distance[u]:
				x.paths[u] += x.paths[v]
			}
		}
	}
	for i := len(x.settled) - 1; i >= 0; i-- {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		v, sum := x.settled[i], 0.
		for k := x.rows.Off[v]; k < x.rows.Off[v+1]; k++ {
			if u, weight := x.rows.Arc(k); x.distance[v]+weight == x.distance[u] {
				sum += x.dep[u]
			}
		}
		dependency := sum * x.paths[v]
		x.paths[v], x.dep[v] = dependency, (1+dependency)/x.paths[v]
	}
	return nil
}

func (x *weightedBrandes) found() (vertices []uint32, dependencies []float64) {
	return x.settled, x.paths
}

func (x *weightedBrandes) clear() {
	for _, v := range x.settled {
		x.place[v], x.paths[v], x.dep[v] = 0, 0, 0
	}
	x.settled = x.settled[:0]
}

// reach adds a vertex to the heap, or moves it after its distance has become less.
func (x *weightedBrandes) reach(v uint32) {
	if x.place[v] == 0 {
		x.heap = append(x.heap, v)
		x.place[v] = uint32(len(x.heap))
	}
	i := int(x.place[v]) - 1
	for i > 0 && x.distance[v] < x.distance[x.heap[(i-1)/2]] {
		x.put(i, x.heap[(i-1)/2])
		i = (i - 1) / 2
	}
	x.put(i, v)
}

func (x *weightedBrandes) put(i int, v uint32) { x.heap[i], x.place[v] = v, uint32(i)+1 }

// pop takes the nearest vertex off the heap. It keeps its place, as one that was reached.
func (x *weightedBrandes) pop() uint32 {
	first, last := x.heap[0], len(x.heap)-1
	v := x.heap[last]
	x.heap = x.heap[:last]
	i := 0
	for child := 1; child < last; child = 2*i + 1 {
		if child+1 < last && x.distance[x.heap[child+1]] < x.distance[x.heap[child]] {
			child++
		}
		if x.distance[v] <= x.distance[x.heap[child]] {
			break
		}
		x.put(i, x.heap[child])
		i = child
	}
	if last > 0 {
		x.put(i, v)
	}
	return first
}
