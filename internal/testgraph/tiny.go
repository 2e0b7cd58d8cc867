// Package testgraph has graphs for tests: tiny named ones, random ones, and
// the real ones of shared/data with their expected results.
package testgraph

import "github.com/garaph/garaph/internal/oracle"

// Named is a graph with a name to call a subtest by.
type Named struct {
	Name  string
	Graph oracle.Graph
}

// All returns every tiny graph: 1 to 10 vertices, of which vertex 0 is a good
// source.
func All() []Named {
	return []Named{
		{"one-vertex", OneVertex()},
		{"path", Path()},
		{"cycle", Cycle()},
		{"star-in", unweighted(8, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0)},
		{"star-out", unweighted(8, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7)},
		{"two-components", TwoComponents()},
		{"self-loops", SelfLoops()},
		{"multi-edges", MultiEdges()},
		{"isolated", unweighted(10, 1, 4, 4, 7)},
		{"complete", Complete()},
		{"diamond", Diamond()},
		{"weighted-diamond", WeightedDiamond()},
	}
}

// OneVertex returns a vertex without edges.
func OneVertex() oracle.Graph { return oracle.Graph{N: 1} }

// Path is 0 → 1 → 2 → 3 → 4.
func Path() oracle.Graph { return unweighted(5, 0, 1, 1, 2, 2, 3, 3, 4) }

// Cycle is 0 → 1 → … → 5 → 0.
func Cycle() oracle.Graph { return unweighted(6, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0) }

// TwoComponents returns the cycle 0 → 2 → 4 → 0 and the path 5 → 3 → 1, whose least
// vertex is at its end.
func TwoComponents() oracle.Graph { return unweighted(6, 0, 2, 2, 4, 4, 0, 5, 3, 3, 1) }

// SelfLoops is 0 → 1 → 2 with loops at 0, at 2, and at 3, which has nothing
// else.
func SelfLoops() oracle.Graph { return unweighted(4, 0, 0, 0, 1, 1, 2, 2, 2, 3, 3) }

// MultiEdges has 0 → 1 three times with weights 5, 1 and 3, 1 → 2 twice, 2 → 0,
// and 0 → 3.
func MultiEdges() oracle.Graph {
	return oracle.Graph{N: 4, Edges: []oracle.Edge{
		{Src: 0, Dst: 1, Weight: 5}, {Src: 0, Dst: 1, Weight: 1}, {Src: 0, Dst: 1, Weight: 3},
		{Src: 1, Dst: 2, Weight: 2}, {Src: 1, Dst: 2, Weight: 2}, {Src: 2, Dst: 0, Weight: 1}, {Src: 0, Dst: 3, Weight: 4},
	}}
}

// Complete is K₅, each pair in both directions.
func Complete() oracle.Graph {
	g := oracle.Graph{N: 5}
	for u := range uint32(5) {
		for v := range uint32(5) {
			if u != v {
				g.Edges = append(g.Edges, oracle.Edge{Src: u, Dst: v, Weight: 1})
			}
		}
	}
	return g
}

// Diamond is 0 → 1 → 3 → 4 and 0 → 2 → 3.
func Diamond() oracle.Graph { return unweighted(5, 0, 1, 0, 2, 1, 3, 2, 3, 3, 4) }

// WeightedDiamond has ways from 0 to 3 directly (weight 10), over 1 (2.5) and
// over 1 and 2 (1.75), and goes on to 4 (0.25 more): fewer edges are worse.
func WeightedDiamond() oracle.Graph {
	return oracle.Graph{N: 5, Edges: []oracle.Edge{
		{Src: 0, Dst: 3, Weight: 10}, {Src: 0, Dst: 1, Weight: 0.5}, {Src: 1, Dst: 3, Weight: 2},
		{Src: 1, Dst: 2, Weight: 0.25}, {Src: 2, Dst: 3, Weight: 1}, {Src: 3, Dst: 4, Weight: 0.25},
	}}
}

// unweighted makes edges of weight 1 from pairs of vertices.
func unweighted(n int, ends ...uint32) oracle.Graph {
	g := oracle.Graph{N: n}
	for i := 0; i < len(ends); i += 2 {
		g.Edges = append(g.Edges, oracle.Edge{Src: ends[i], Dst: ends[i+1], Weight: 1})
	}
	return g
}
