package build

import (
	"errors"
	"math"
	"slices"
)

// Parallel is the treatment of parallel edges, which have the same source and target.
type Parallel string

// Treatments of parallel edges. An edge without a weight counts 1 in a sum.
const (
	ParallelKeep  Parallel = "keep"  // all of them are stored
	ParallelMin   Parallel = "min"   // one, with the least of their weights
	ParallelMax   Parallel = "max"   // one, with the largest
	ParallelSum   Parallel = "sum"   // one, with the sum
	ParallelCount Parallel = "count" // one, with their number as its weight
)

// Parallels returns all treatments.
func Parallels() []Parallel {
	return []Parallel{ParallelKeep, ParallelMin, ParallelMax, ParallelSum, ParallelCount}
}

// joins reports whether one of parallel edges is stored.
func (p Parallel) joins() bool { return p != "" && p != ParallelKeep }

// Adds reports whether weights are added up. An edge without a weight counts 1.
func (p Parallel) Adds() bool { return p == ParallelSum || p == ParallelCount }

// join returns the weight of the one that is stored, from ascending weights, and counts whole
// sums that are rounded.
func join[W float32 | float64](p Parallel, weights []W, rounded *uint64) (W, error) {
	switch {
	case p == ParallelMax:
		return weights[len(weights)-1], nil
	case !p.Adds():
		return weights[0], nil
	}
	sum, inexact := 0.0, false
	for _, w := range weights {
		next := sum + float64(w)
		inexact = inexact || next-sum != float64(w)
		sum = next
	}
	if sum > math.MaxFloat32 {
		return 0, errors.New("the sum of the weights of parallel edges is above 3.4e38")
	}
	if (inexact && sum >= 1<<53 || float64(W(sum)) != sum) && sum == math.Trunc(sum) {
		*rounded++
	}
	return W(sum), nil
}

// join leaves one of parallel edges in each row, whose neighbours are ascending.
func (r *groupRows) join(p Parallel) (dropped uint64, err error) {
	if r.weights.Wide != nil {
		return joinRows(r, p, r.weights.Wide)
	}
	return joinRows(r, p, r.weights.Narrow)
}

func joinRows[W float32 | float64](r *groupRows, p Parallel, weights []W) (dropped uint64, err error) {
	for v, end := range r.end {
		n := r.start[v]
		for i := n; i < end; n++ {
			next := i + 1
			for next < end && r.nbr[next] == r.nbr[i] {
				next++
			}
			r.nbr[n] = r.nbr[i]
			switch {
			case weights != nil && next == i+1:
				weights[n] = weights[i]
			case weights != nil:
				slices.Sort(weights[i:next])
				if weights[n], err = join(p, weights[i:next], &r.rounded); err != nil {
					return dropped, err
				}
			}
			i = next
		}
		dropped += uint64(end - n)
		r.end[v] = n
	}
	return dropped, nil
}

// neighbour is an edge of one vertex.
type neighbour struct {
	weight float64
	to     uint32
}

// joinSorted leaves one of parallel edges of one vertex, which are in the order of neighbours and
// weights, with weights of the given size, and returns their number.
func (p Parallel) joinSorted(edges []neighbour, weight int, rounded *uint64) (int, error) {
	if weight == 4 {
		return joinNeighbours[float32](p, edges, rounded)
	}
	return joinNeighbours[float64](p, edges, rounded)
}

func joinNeighbours[W float32 | float64](p Parallel, edges []neighbour, rounded *uint64) (n int, err error) {
	var run []W
	for i := 0; i < len(edges); n++ {
		run = run[:0]
		u := edges[i].to
		for ; i < len(edges) && edges[i].to == u; i++ {
			run = append(run, W(edges[i].weight))
		}
		w, err := join(p, run, rounded)
		if err != nil {
			return 0, err
		}
		edges[n] = neighbour{float64(w), u}
	}
	return n, nil
}
