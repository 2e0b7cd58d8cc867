// Package community finds the size-bounded community of a query vertex: of all connected
// subgraphs H with the query vertex and l ≤ |H| ≤ h vertices, one whose minimum degree is
// the largest. The problem is NP-hard. The search is exact branch and bound after K. Yao and
// L. Chang, Efficient size-bounded community search over large networks, PVLDB 14(8), 2021
// (SC-BRB; sections are of this paper).
//
// A [Problem] is the part of a graph in which better communities than a known one can be, under
// dense local ids. A node of the search is a pair (C, R): the vertices that H has, and those
// that it may have. A [State] is a node with the degrees that the rules look at, a [Task] the
// same node as a flat record. [Best] has the best minimum degree so far, k̂, and who has it. A
// node is reduced (reduce.go), bounded (bound.go) and divided (branch.go), over and over
// (search.go).
package community

// Diameter returns how wide a connected graph of minimum degree k and h vertices at most can be: the
// largest D with n(k, D) ≤ h, the least number of vertices of one of diameter D; -1 if there is
// none. Vertices at distances 0, 3, 6, … from an end of a longest shortest path have disjoint
// neighbourhoods of k+1 vertices (section 4.1).
func Diameter(k, h int) int {
	switch room := h - k - 1; { // for what n(k, D) has beside k + 1
	case h < 1 || room < 0 && k > 0:
		return -1
	case k <= 1:
		return h - 1
	case room <= k: // D = 3 takes k + 1
		return min(room+1, 2)
	default:
		return 3*(room/(k+1)) + min(room%(k+1), 2)
	}
}
