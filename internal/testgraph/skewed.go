package testgraph

import (
	"math/rand/v2"

	"github.com/garaph/garaph/internal/oracle"
)

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
