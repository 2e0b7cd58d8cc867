// Package oracle has plain serial algorithms to compare every engine with, in
// the manner of the verifiers of the GAP Benchmark Suite: short, slow, and
// clear beyond doubt. Only tests use it.
package oracle

// Edge leads from Src to Dst. Weight is 1 on graphs without weights, and never
// negative.
type Edge struct {
	Src, Dst uint32
	Weight   float32
}

// Graph is N vertices 0 … N-1 and directed edges, among them parallel ones and
// self-loops. An undirected graph has each edge in both directions.
type Graph struct {
	N     int
	Edges []Edge
}

// Degrees counts the edges into and out of each vertex, parallel edges and
// self-loops included.
func Degrees(g Graph) (in, out []uint32) {
	in, out = make([]uint32, g.N), make([]uint32, g.N)
	for _, e := range g.Edges {
		in[e.Dst]++
		out[e.Src]++
	}
	return in, out
}

// outEdges lists the edges out of each vertex.
func outEdges(g Graph) [][]Edge {
	out := make([][]Edge, g.N)
	for _, e := range g.Edges {
		out[e.Src] = append(out[e.Src], e)
	}
	return out
}
