// Package walk makes the steps of random walks, for the CPU and for an emulated GPU.
package walk

import (
	"math"
	"math/bits"
	"slices"

	"github.com/garaph/garaph/frontier"
)

// Gamma is the step of SplitMix64.
const Gamma = 0x9e3779b97f4a7c15

// Mixed is the function of SplitMix64 that makes a random number of a state.
func Mixed(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Below maps a random number to 0 … n-1.
func Below(random, n uint64) uint64 {
	high, _ := bits.Mul64(random, n)
	return high
}

// fraction maps a random number to [0, 1).
func fraction(random uint64) float64 { return float64(random>>11) * 0x1p-53 }

// Share maps a random number to [0, sum), or to 0 if sum is 0.
func Share(random uint64, sum float64) float64 {
	return min(fraction(random)*sum, math.Nextafter(sum, 0))
}

// Graph is the graph of walks.
type Graph struct {
	Rows *frontier.Rows
	Sums []float64 // of the weights of a row up to each edge; nil without weights

	// Back and Far are factors of the weight of an edge that leads to the vertex before, and to one without an edge to
	// that: 1/p and 1/q of node2vec.
	Back, Far float64
}

// Step chooses an edge of v by weight, and returns where it leads, or v without edges.
func (g *Graph) Step(v uint32, random uint64) uint32 {
	if k, ok := g.choose(v, random); ok {
		return g.Rows.To(k)
	}
	return v
}

// choose chooses an edge of v; false: it has none, or none of a weight.
func (g *Graph) choose(v uint32, random uint64) (edge uint64, ok bool) {
	begin, end := g.Rows.Off[v], g.Rows.Off[v+1]
	if g.Sums == nil || begin == end {
		return begin + Below(random, end-begin), begin < end
	}
	sums := g.Sums[begin:end]
	goal := Share(random, sums[len(sums)-1])
	k, _ := slices.BinarySearchFunc(sums, goal, func(sum, goal float64) int {
		if sum > goal {
			return 1
		}
		return -1
	})
	return begin + uint64(k), k < len(sums)
}

// rejections are how many edges are rejected before all of the row are looked at.
const rejections = 64

// BiasedStep chooses an edge of v by weight, by where it leads and by the vertex before.
func (g *Graph) BiasedStep(v, before uint32, random uint64) uint32 {
	most := max(1, g.Back, g.Far)
	next := func() uint64 {
		random += Gamma
		return Mixed(random)
	}
	for range rejections {
		k, ok := g.choose(v, next())
		if !ok {
			return v
		}
		if to := g.Rows.To(k); fraction(next())*most < g.factor(before, to) {
			return to
		}
	}
	sum, begin, end := 0., g.Rows.Off[v], g.Rows.Off[v+1]
	for k := begin; k < end; k++ {
		to, weight := g.Rows.Arc(k)
		sum += weight * g.factor(before, to)
	}
	goal := Share(next(), sum)
	sum = 0
	for k := begin; ; k++ {
		to, weight := g.Rows.Arc(k)
		if sum += weight * g.factor(before, to); sum > goal || k+1 == end { // all products may be 0
			return to
		}
	}
}

// factor returns by how much the weight of an edge to a vertex is multiplied after a step from before.
func (g *Graph) factor(before, to uint32) float64 {
	if to == before {
		return g.Back
	}
	begin, end := g.Rows.Off[to], g.Rows.Off[to+1]
	for begin < end {
		if middle := (begin + end) / 2; g.Rows.To(middle) < before {
			begin = middle + 1
		} else {
			end = middle
		}
	}
	if begin < g.Rows.Off[to+1] && g.Rows.To(begin) == before {
		return 1
	}
	return g.Far
}
