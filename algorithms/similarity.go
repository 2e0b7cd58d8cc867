package algorithms

import (
	"context"
	"fmt"
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
// Rows are merged, or of a row much longer than the other one its members are searched for. With Nearest, pairs are
// those of each vertex and the most similar ones. Memory: the rows in both directions, 4 bytes for a vertex, 48 for a
// pair, and with Nearest 16 for a vertex and a thread, or for a vertex if the budget has no room for that.
type Similarity struct {
	Pairs   [][2]uint32
	Nearest int // if not 0, how many vertices are found for each, in place of Pairs
	By      Measure
}

// Measure is one of the measures of a [Similarity].
type Measure uint8

// The measures, in the order of their columns.
const (
	Jaccard Measure = iota
	Overlap
	Cosine
	AdamicAdar
)

// measureNames are the names of the columns of measures.
var measureNames = []string{"jaccard", "overlap", "cosine", "adamic_adar"}

// Plan returns the rows of the whole graph, the numbers of neighbours, the columns, and counters for each thread.
func (c Similarity) Plan(g *store.Catalogue, threads int) Plan {
	n := int64(g.Vertices)
	p := perLane(threads, func(lanes int) Plan {
		p := Plan{Whole: BothRows(g), Arrays: []Array{
			{"numbers of neighbours", 4 * n}, {"the pairs", 48 * c.rows(n)},
		}}
		if c.Nearest > 0 {
			p.Arrays = append(p.Arrays, Array{"common neighbours", 16 * n * int64(lanes)})
		}
		return p
	})
	if c.Nearest == 0 {
		p.Less = nil
	}
	return p
}

// rows returns the largest number of pairs.
func (c Similarity) rows(vertices int64) int64 {
	if c.Nearest > 0 {
		return vertices * min(int64(c.Nearest), vertices)
	}
	return int64(len(c.Pairs))
}

// similarPairs are the columns of a result.
type similarPairs struct {
	sources, targets []gas.VertexID
	common           []int64
	measures         [4][]float64
}

func newSimilarPairs(e *Env, n int) (*similarPairs, error) {
	p := &similarPairs{}
	arrays := []func(e *Env) error{into(&p.sources, n), into(&p.targets, n), into(&p.common, n)}
	for i := range p.measures {
		arrays = append(arrays, into(&p.measures[i], n))
	}
	return p, makeAll(e, arrays...)
}

// set sets row i: two vertices with n common neighbours.
func (p *similarPairs) set(i int, u, v uint32, n int64, measures [4]float64) {
	p.sources[i], p.targets[i], p.common[i] = gas.VertexID(u), gas.VertexID(v), n
	for k, x := range measures {
		p.measures[k][i] = x
	}
}

// measuresOf returns the measures of vertices with n common neighbours of a sum of 1/ln(d), and du and dv neighbours.
func measuresOf(n int64, adar float64, du, dv uint32) (m [4]float64) {
	if n > 0 {
		a, b, common := float64(min(du, dv)), float64(max(du, dv)), float64(n)
		m = [4]float64{common / (a + b - common), common / a, common / math.Sqrt(a*b), adar}
	}
	return m
}

// adarOf returns the weight of a common neighbour that has d neighbours.
func adarOf(d uint32) float64 {
	if d > 1 {
		return 1 / math.Log(float64(d))
	}
	return 0
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
	p, err := newSimilarPairs(e, int(c.rows(int64(len(degree)))))
	if err != nil {
		return nil, err
	}
	rows := len(c.Pairs)
	if c.Nearest > 0 {
		rows, err = c.nearest(ctx, e, p, degree)
	} else {
		err = c.compare(ctx, e, p, degree)
	}
	e.Keys("source", p.sources[:rows])
	AddColumn(e, "common", p.common[:rows])
	for i, name := range measureNames {
		AddColumn(e, name, p.measures[i][:rows])
	}
	return p.targets[:rows], err
}

// compare compares the given pairs.
func (c Similarity) compare(ctx context.Context, e *Env, p *similarPairs, degree []uint32) error {
	const pairsAtOnce = 1 << 8
	return p.steps(ctx, e, e.Threads, (len(c.Pairs)+pairsAtOnce-1)/pairsAtOnce, func(_, task int) {
		for i := task * pairsAtOnce; i < min((task+1)*pairsAtOnce, len(c.Pairs)); i++ {
			u, v := c.Pairs[i][0], c.Pairs[i][1]
			a, b := u, v
			if degree[u] > degree[v] {
				a, b = v, u
			}
			n, adar := e.ends.common(a, b, degree)
			p.set(i, u, v, n, measuresOf(n, adar, degree[u], degree[v]))
		}
	})
}

// Steps returns "vertices", or "batches" of pairs.
func (c Similarity) Steps() (name, version string) {
	if c.Nearest > 0 {
		return "vertices", stateVersion
	}
	return "batches", stateVersion
}

// steps calls f for n tasks that set rows.
func (p *similarPairs) steps(ctx context.Context, e *Env, lanes, n int, f func(lane, i int)) error {
	done := 0
	s := State{Done: &done, Arrays: []any{&p.sources, &p.targets, &p.common}, Check: func() error {
		for i, v := range p.targets {
			if u := max(v, p.sources[i]); int(u) >= int(e.Graph.Vertices) {
				return fmt.Errorf("it has vertex %d of %d", u, e.Graph.Vertices)
			}
		}
		return nil
	}}
	for i := range p.measures {
		s.Arrays = append(s.Arrays, &p.measures[i])
	}
	return e.Steps(ctx, s, func() (again bool, err error) {
		err = e.Tasks(ctx, lanes, &done, n, f)
		return done < n, err
	})
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
			adar += adarOf(degree[x])
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
pairs are those of a file or, with --nearest, of each vertex and the ones most similar
to it, for which all pairs with a common neighbour are looked at. The edges are in
memory, 4 bytes for each and direction, and 48 bytes for each pair.`,
	Example: `  garaph run similarity web.graph --pairs candidates.txt --output similar.parquet
  garaph run similarity web.graph --nearest 10 --by cosine --output similar.parquet`,
	Setup: func(fs *pflag.FlagSet) registry.Make {
		fs.String("pairs", "", "`FILE` of pairs of vertices, two ids a line, in quotes or not, with spaces, a tab or a "+
			"comma between; - for standard input; lines that begin with # are comments")
		nearest := flags.Range(fs, "nearest", 0, 0, 1<<16,
			"largest number of similar vertices to find for each vertex; 0: none")
		by := flags.Enum(fs, "by", measureNames[0], measureNames, "measure by which --nearest chooses")
		flags.RequireOne(fs, "pairs", "nearest")
		return func(e registry.Env) (any, error) {
			given := e.Flags.Changed("pairs")
			if given == (*nearest > 0) {
				return nil, flags.Usagef("expected --pairs FILE or --nearest N, one of them")
			}
			if given {
				pairs, err := e.Pairs("pairs")
				return Similarity{Pairs: pairs}, err
			}
			return Similarity{Nearest: *nearest, By: Measure(slices.Index(measureNames, *by))}, nil
		}
	},
}
