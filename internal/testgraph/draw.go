package testgraph

import (
	"math/rand/v2"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/internal/oracle"
)

// Draw returns a random graph of 1 to 300 vertices, often with parallel edges,
// self-loops and isolated vertices, half of them skewed to a hub. Weights are
// whole numbers from 0 to 16 or quarters of them, so that sums are exact in
// 32-bit floats.
func Draw(t *rapid.T) oracle.Graph {
	n := rapid.OneOf(rapid.Just(1), rapid.IntRange(2, 12), rapid.IntRange(13, 64), rapid.IntRange(65, 300)).Draw(t,
		"vertices")
	unit := rapid.SampledFrom([]float32{1, 0.25}).Draw(t, "unit of weights")
	vertex := rapid.Uint32Range(0, uint32(n-1))
	if rapid.Bool().Draw(t, "skewed") {
		hub := vertex.Draw(t, "hub")
		vertex = rapid.OneOf(rapid.Just(hub), vertex, vertex)
	}
	edge := rapid.Custom(func(t *rapid.T) oracle.Edge {
		return oracle.Edge{
			Src:    vertex.Draw(t, "src"),
			Dst:    vertex.Draw(t, "dst"),
			Weight: unit * float32(rapid.IntRange(0, 16).Draw(t, "weight")),
		}
	})
	least := n * rapid.SampledFrom([]int{0, 1, 3}).Draw(t, "mean degree")
	edges := rapid.SliceOfN(edge, least, least+2*n).Draw(t, "edges")
	if len(edges) > 0 {
		for _, i := range rapid.SliceOfN(rapid.IntRange(0, len(edges)-1), 0, 3).Draw(t, "repeated") {
			edges = append(edges, edges[i])
		}
	}
	return oracle.Graph{N: n, Edges: edges}
}

// Skewed has 2^scale vertices, and edges that choose their ends as those of `garaph generate
// rmat` do: few vertices have many of them, at low ids. Weights are integers
// from 1 to 255. Tests below package bench take it, which that of bench would have
// compile all between them twice.
func Skewed(scale, edges int, seed uint64) oracle.Graph {
	rng := rand.New(rand.NewPCG(seed, uint64(scale)))
	g := oracle.Graph{N: 1 << scale}
	for range edges {
		e := oracle.Edge{Weight: float32(1 + rng.IntN(255))}
		for range scale {
			e.Src, e.Dst = 2*e.Src, 2*e.Dst
			switch draw := rng.IntN(100); { // of a quadrant of the matrix
			case draw < 57:
			case draw < 76:
				e.Dst++
			case draw < 95:
				e.Src++
			default:
				e.Src, e.Dst = e.Src+1, e.Dst+1
			}
		}
		g.Edges = append(g.Edges, e)
	}
	return g
}
