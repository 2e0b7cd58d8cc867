package garaph_test

import (
	"math"
	"slices"

	"github.com/garaph/garaph/internal/oracle"
)

// oracleLPA returns the labels after some rounds in which half of the vertices, at
// random, compare their label with one of a random neighbour's, drawn in the
// round before, and take that one if more neighbours have it. Neighbours are
// those of in- and out-edges, of a symmetric graph once. Neighbours whose label has changed in
// the last two rounds are drawn first. A vertex stops after 32 rounds without a better label or such a
// neighbour, until there is one. The random numbers are
// those of programs.LPA: a vertex's is mixed as in C. Wellons' lowbias32, with an
// offset; an edge's is the product of what its ends differ in with an odd number.
func oracleLPA(g oracle.Graph, seed uint32, rounds int, symmetric bool) []uint32 {
	mix := func(x uint32) uint32 {
		x += 0x9e3779b9
		x ^= x >> 16
		x *= 0x7feb352d
		x ^= x >> 15
		x *= 0x846ca68b
		return x ^ x>>16
	}
	near := make([][]uint32, g.N)
	for _, e := range g.Edges {
		near[e.Dst] = append(near[e.Dst], e.Src)
		if !symmetric {
			near[e.Src] = append(near[e.Src], e.Dst)
		}
	}
	label, candidate, draw, quiet := make([]uint32, g.N), make([]uint32, g.N), make([]uint32, g.N), make([]int, g.N)
	for v := range label {
		label[v], candidate[v], draw[v] = uint32(v), uint32(v), mix(uint32(v)^mix(seed))
	}
	for range rounds {
		nextLabel, nextCandidate, nextDraw, nextQuiet := slices.Clone(label), slices.Clone(candidate), slices.Clone(draw),
			slices.Clone(quiet)
		for v := range label {
			if len(near[v]) == 0 {
				continue
			}
			count := map[uint32]int{}
			largest, first, changed := uint32(0), candidate[v], false
			for _, u := range near[v] {
				count[label[u]]++
				key := (draw[u]^draw[v])*0x9e3779b1>>1 | 1
				if quiet[u] < 2 {
					key, changed = key+1<<31, true
				}
				if key > largest || key == largest && label[u] > first {
					largest, first = key, label[u]
				}
			}
			better := count[candidate[v]] > count[label[v]]
			if quiet[v] == 34 && !better && !changed {
				continue
			}
			nextCandidate[v], nextDraw[v], nextQuiet[v] = first, mix(draw[v]), quiet[v]+1
			switch {
			case better && draw[v]>>31 == 1:
				nextLabel[v], nextQuiet[v] = candidate[v], 0
			case better || changed:
				nextQuiet[v] = min(nextQuiet[v], 2)
			}
		}
		label, candidate, draw, quiet = nextLabel, nextCandidate, nextDraw, nextQuiet
	}
	return label
}

// oracleBiasedPageRank returns the PageRank of a surfer who follows an out-edge with a probability in proportion to its
// weight, and whose teleports end at one of the sources, which differ, or anywhere if there are none. A vertex
// of which all out-edges weigh nothing dangles.
func oracleBiasedPageRank(g oracle.Graph, damping float64, sources []uint32, tol float64) []float64 {
	p := make([]float64, g.N)
	for v := range p {
		p[v] = 1 / float64(g.N)
	}
	if len(sources) > 0 {
		clear(p)
	}
	for _, v := range sources {
		p[v] = 1 / float64(len(sources))
	}
	strength := make([]float64, g.N)
	for _, e := range g.Edges {
		strength[e.Src] += float64(e.Weight)
	}
	rank := append([]float64(nil), p...)
	for change := math.Inf(1); change >= tol; {
		dangling := 0.0
		for v, r := range rank {
			if strength[v] == 0 {
				dangling += r
			}
		}
		sum := make([]float64, g.N)
		for _, e := range g.Edges {
			if strength[e.Src] > 0 {
				sum[e.Dst] += rank[e.Src] * float64(e.Weight) / strength[e.Src]
			}
		}
		change = 0
		for v := range rank {
			next := (1-damping)*p[v] + damping*(sum[v]+dangling*p[v])
			change += math.Abs(next - rank[v])
			rank[v] = next
		}
	}
	return rank
}
