package gap

import (
	"container/heap"
	"context"
	"fmt"
	"math"

	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/gas"
)

// A Graph has the rows of a graph, against which results are checked, serially, as GAPBS's verifiers do.
type Graph struct {
	Out, In *frontier.Rows // In is nil on an undirected graph
}

func (g Graph) vertices() int { return len(g.Out.Off) - 1 }

// degree returns the number of out-edges of v.
func (g Graph) degree(v uint32) uint64 { return g.Out.Off[v+1] - g.Out.Off[v] }

// each calls f for the ends of the edges of v in rows.
func each(r *frontier.Rows, v uint32, f func(u uint32)) {
	for k := r.Off[v]; k < r.Off[v+1]; k++ {
		f(r.To(k))
	}
}

// levels returns the vertices that a source reaches, by level, and the level of each vertex.
func (g Graph) levels(source uint32) (order []uint32, level []int64) {
	level = make([]int64, g.vertices())
	for v := range level {
		level[v] = gas.Unreached
	}
	level[source] = 0
	order = append(order, source)
	for i := 0; i < len(order); i++ {
		v := order[i]
		each(g.Out, v, func(u uint32) {
			if level[u] == gas.Unreached {
				level[u] = level[v] + 1
				order = append(order, u)
			}
		})
	}
	return order, level
}

// BFS checks numbers of hops by a queue.
func (g Graph) BFS(source uint32, hops []int64) error {
	_, level := g.levels(source)
	for v, want := range level {
		if hops[v] != want {
			return fmt.Errorf("vertex %d: %d hops, expected %d", v, hops[v], want)
		}
	}
	return nil
}

// far is a vertex at a distance.
type far struct {
	distance float64
	v        uint32
}

// waiting is a heap of vertices by distance.
type waiting []far

func (w waiting) Len() int           { return len(w) }
func (w waiting) Less(i, j int) bool { return w[i].distance < w[j].distance }
func (w waiting) Swap(i, j int)      { w[i], w[j] = w[j], w[i] }
func (w *waiting) Push(x any)        { *w = append(*w, x.(far)) }
func (w *waiting) Pop() any {
	last := len(*w) - 1
	x := (*w)[last]
	*w = (*w)[:last]
	return x
}

// SSSP checks distances by Dijkstra's algorithm; they may differ in their last bits.
func (g Graph) SSSP(source uint32, distances []float64) error {
	want := make([]float64, g.vertices())
	for v := range want {
		want[v] = math.Inf(1)
	}
	want[source] = 0
	w := &waiting{{0, source}}
	for w.Len() > 0 {
		x := heap.Pop(w).(far)
		if x.distance != want[x.v] {
			continue
		}
		for k := g.Out.Off[x.v]; k < g.Out.Off[x.v+1]; k++ {
			u, weight := g.Out.Arc(k)
			if d := x.distance + weight; d < want[u] {
				want[u] = d
				heap.Push(w, far{d, u})
			}
		}
	}
	for v, d := range want {
		if got := distances[v]; got != d && (math.IsInf(d, 1) || !(math.Abs(got-d) <= 1e-9*d)) {
			return fmt.Errorf("vertex %d: distance %v, expected %v", v, got, d)
		}
	}
	return nil
}

// PR checks that ranks change by less than a tolerance in one iteration more.
func (g Graph) PR(damping, tolerance float64, ranks []float64) error {
	n := g.vertices()
	sums, dangling := make([]float64, n), 0.
	for v, rank := range ranks {
		if g.degree(uint32(v)) == 0 {
			dangling += rank
		}
		each(g.Out, uint32(v), func(u uint32) { sums[u] += rank / float64(g.degree(uint32(v))) })
	}
	change := 0.
	for v, rank := range ranks {
		change += math.Abs((1-damping)/float64(n) + damping*(sums[v]+dangling/float64(n)) - rank)
	}
	if !(change < tolerance) {
		return fmt.Errorf("one iteration more changes ranks by %v, expected less than %v", change, tolerance)
	}
	return nil
}

// CC checks that the vertices of each label are a component, by searches along edges in both directions.
func (g Graph) CC(labels []int64) error {
	found, known := make([]bool, g.vertices()), map[int64]bool{}
	for s, label := range labels {
		if found[s] {
			continue
		}
		if known[label] {
			return fmt.Errorf("label %d: several components have it", label)
		}
		known[label], found[s] = true, true
		for queue := []uint32{uint32(s)}; len(queue) > 0; {
			v := queue[0]
			queue = queue[1:]
			if labels[v] != label {
				return fmt.Errorf("vertex %d: label %d, expected %d as of vertex %d", v, labels[v], label, s)
			}
			reach := func(u uint32) {
				if !found[u] {
					found[u] = true
					queue = append(queue, u)
				}
			}
			each(g.Out, v, reach)
			if g.In != nil {
				each(g.In, v, reach)
			}
		}
	}
	return nil
}

// BC checks betweenness from some sources by Brandes' algorithm, up to a factor: the largest counts 1.
func (g Graph) BC(ctx context.Context, sources []uint32, scores []float64) error {
	want := make([]float64, g.vertices())
	for _, source := range sources {
		if err := ctx.Err(); err != nil {
			return err
		}
		order, level := g.levels(source)
		paths, dependency := make([]float64, len(want)), make([]float64, len(want))
		paths[source] = 1
		for _, v := range order {
			each(g.Out, v, func(u uint32) {
				if level[u] == level[v]+1 {
					paths[u] += paths[v]
				}
			})
		}
		for i := len(order) - 1; i > 0; i-- {
			v := order[i]
			each(g.Out, v, func(u uint32) {
				if level[u] == level[v]+1 {
					dependency[v] += paths[v] / paths[u] * (1 + dependency[u])
				}
			})
			want[v] += dependency[v]
		}
	}
	most, mostWanted := largest(scores), largest(want)
	for v := range want {
		if got, wanted := scores[v]/most, want[v]/mostWanted; !(math.Abs(got-wanted) <= 0x1p-23) {
			return fmt.Errorf("vertex %d: betweenness %v of the largest, expected %v", v, got, wanted)
		}
	}
	return nil
}

// largest returns the largest of numbers, or 1 if none is above 0.
func largest(x []float64) (most float64) {
	for _, x := range x {
		most = max(most, x)
	}
	if most == 0 {
		return 1
	}
	return most
}

// TC checks the number of triangles of an undirected graph by merging the rows of the ends of each edge.
func (g Graph) TC(ctx context.Context, triangles int64) error {
	count := int64(0)
	for u := range uint32(g.vertices()) {
		if err := ctx.Err(); err != nil {
			return err
		}
		g.below(u, u, func(v uint32) {
			k := g.Out.Off[v]
			g.below(u, v, func(w uint32) {
				for k < g.Out.Off[v+1] && g.Out.To(k) < w {
					k++
				}
				if k < g.Out.Off[v+1] && g.Out.To(k) == w {
					count++
				}
			})
		})
	}
	if count != triangles {
		return fmt.Errorf("%d triangles, expected %d", triangles, count)
	}
	return nil
}

// below calls f for the neighbours of u below a vertex, each once.
func (g Graph) below(u, vertex uint32, f func(v uint32)) {
	for k := g.Out.Off[u]; k < g.Out.Off[u+1] && g.Out.To(k) < vertex; k++ {
		if k == g.Out.Off[u] || g.Out.To(k) != g.Out.To(k-1) {
			f(g.Out.To(k))
		}
	}
}
