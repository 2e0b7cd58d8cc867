package algorithms

import (
	"context"
	"math"
	"slices"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/store"
)

// Similarity compares the neighbours of pairs of vertices, in the graph as an undirected simple one. Its rows
// are the pairs, with the number of common neighbours and four measures of them: Jaccard's (over the number of
// all neighbours of both), the overlap (over the smaller number of neighbours), the cosine (over the geometric
// mean of their numbers), and that of Adamic and Adar (Friends and neighbors on the Web, Social Networks 25,
// 2003: the sum of 1/ln(d) over common neighbours of d neighbours).
//
// Rows are merged, or of a row much longer than the other one its members are searched for. Memory: the rows in
// both directions, 4 bytes for a vertex, and 56 for a pair.
type Similarity struct {
	Pairs [][2]uint32
}

// Plan returns the rows of the whole graph, the numbers of neighbours, and the columns.
func (c Similarity) Plan(g *store.Catalogue, _ int) Plan {
	return Plan{Whole: BothRows(g), Arrays: []Array{
		{"numbers of neighbours", 4 * int64(g.Vertices)}, {"the pairs", 48 * int64(len(c.Pairs))},
	}}
}

// Run compares.
func (c Similarity) Run(ctx context.Context, e *Env) ([]gas.VertexID, error) {
	if _, err := LoadEnds(ctx, e); err != nil {
		return nil, err
	}
	degree, err := Make[uint32](e, int(e.Graph.Vertices))
	if err != nil {
		return nil, err
	}
	err = EachVertex(ctx, e, "numbers of neighbours", func(_ int, v uint32, ends *Ends) {
		for _, more := ends.Next(); more; _, more = ends.Next() {
			degree[v]++
		}
	})
	if err != nil {
		return nil, err
	}
	sources, err := Make[gas.VertexID](e, len(c.Pairs))
	if err != nil {
		return nil, err
	}
	targets, err := Make[gas.VertexID](e, len(c.Pairs))
	if err != nil {
		return nil, err
	}
	common, err := Make[int64](e, len(c.Pairs))
	if err != nil {
		return nil, err
	}
	var measures [4][]float64
	for i := range measures {
		if measures[i], err = Make[float64](e, len(c.Pairs)); err != nil {
			return nil, err
		}
	}
	const pairsAtOnce = 1 << 8
	err = e.Each(ctx, (len(c.Pairs)+pairsAtOnce-1)/pairsAtOnce, func(_, task int) error {
		for i := task * pairsAtOnce; i < min((task+1)*pairsAtOnce, len(c.Pairs)); i++ {
			u, v := c.Pairs[i][0], c.Pairs[i][1]
			sources[i], targets[i] = gas.VertexID(u), gas.VertexID(v)
			if degree[u] > degree[v] {
				u, v = v, u
			}
			n, adar := e.ends.common(u, v, degree)
			common[i] = n
			if n > 0 {
				du, dv := float64(degree[u]), float64(degree[v])
				measures[0][i] = float64(n) / (du + dv - float64(n))
				measures[1][i] = float64(n) / du
				measures[2][i] = float64(n) / math.Sqrt(du*dv)
				measures[3][i] = adar
			}
		}
		return nil
	})
	e.Keys("source", sources)
	AddColumn(e, "common", common)
	for i, name := range []string{"jaccard", "overlap", "cosine", "adamic_adar"} {
		AddColumn(e, name, measures[i])
	}
	return targets, err
}

// common returns the number of common neighbours of u and v, of which u has fewer, and their sum of 1/ln(d).
func (w *wholeEnds) common(u, v uint32, degree []uint32) (n int64, adar float64) {
	a, b := w.of(u), w.of(v)
	search := degree[v]/16 > degree[u]
	y, left := uint32(0), true
	if !search {
		y, left = b.Next()
	}
	for x, more := a.Next(); more && left; x, more = a.Next() {
		var both bool
		if search {
			both = b.has(x)
		} else {
			for left && y < x {
				y, left = b.Next()
			}
			both = left && x == y
		}
		if both {
			n++
			if d := degree[x]; d > 1 {
				adar += 1 / math.Log(float64(d))
			}
		}
	}
	return n, adar
}

// has reports whether u is one of the neighbours that are left.
func (s *Ends) has(u uint32) bool {
	if u == s.self {
		return false
	}
	_, in := slices.BinarySearch(s.a, u)
	if !in {
		_, in = slices.BinarySearch(s.b, u)
	}
	return in
}

// ColumnName returns "target".
func (Similarity) ColumnName() string { return "target" }

// SimilarityCommand describes garaph run similarity.
var SimilarityCommand = registry.Command{
	Name: "similarity", Value: Similarity{},
	Short: "common neighbours of pairs of vertices, and their similarity: Jaccard, overlap, cosine, Adamic-Adar",
	Long: `The rows of the result are the pairs, with the number of common neighbours and four
measures of it. Directions of edges, parallel edges and self-loops don't matter. The
edges are in memory, 4 bytes for each and direction, and 56 bytes for each pair.`,
	Example: `  garaph run similarity web.graph --pairs candidates.txt --output similar.parquet`,
	Setup: func(fs *pflag.FlagSet) registry.Make {
		fs.String("pairs", "",
			"`FILE` of pairs of vertices, two ids a line with spaces, a tab or a comma between; lines that begin with # "+
				"are comments (required)")
		flags.Require(fs, "pairs")
		return func(e registry.Env) (any, error) {
			pairs, err := e.Pairs("pairs")
			return Similarity{pairs}, err
		}
	},
}
