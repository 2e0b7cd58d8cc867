package algorithms

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/registry"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// Forest is a minimum spanning forest: edges of the least total weight that join all that any edges join,
// without a circle. Directions don't matter, self-loops are left out, and without weights every edge weighs 1.
// Of edges of equal weight those of the least ends are taken, so that there is one result. Its rows are edges,
// from the smaller vertex to the larger one.
//
// It is Borůvka's algorithm, in passes over the rows: each vertex finds its lightest edge to another tree, each
// tree takes the lightest one of its vertices, and trees become larger by a factor of two at least. Vertices
// whose edges all stay in their tree are not looked at again, and shards with such vertices alone are not read.
// Memory: 41 bytes for a vertex, and pages.
type Forest struct{}

// Plan returns the rows of both directions with weights, the trees, their lightest edges, and the forest.
func (Forest) Plan(g *store.Catalogue, _ int) Plan {
	n := int64(g.Vertices)
	return Plan{Rows: BothRows(g), Weights: true, Arrays: []Array{
		{"the trees", 9 * n}, {"their lightest edges", 16 * n}, {"the forest", 16 * n},
	}}
}

// link is an edge between a smaller and a larger vertex.
type link struct {
	weight float64
	a, b   uint32
}

// lighter is a strict total order of links of different ends.
func (x link) lighter(y link) bool {
	return x.weight < y.weight || x.weight == y.weight && (x.a < y.a || x.a == y.a && x.b < y.b)
}

var noLink = link{weight: math.Inf(1)}

// Run joins trees.
func (f Forest) Run(ctx context.Context, e *Env) ([]gas.VertexID, error) {
	n := int(e.Graph.Vertices)
	var tree, above []uint32 // above has the tree that a tree was joined to
	var inside []bool        // all edges of the vertex
	var lightest, all []link // lightest has edges of vertices, and then of trees
	err := makeAll(e, into(&tree, n), into(&above, n), into(&inside, n), into(&lightest, n), into(&all, n))
	if err != nil {
		return nil, err
	}
	forest := all[:0]
	for v := range tree {
		tree[v], above[v] = uint32(v), uint32(v)
	}
	for pass, joined := 1, true; joined; pass++ {
		if err := f.pass(ctx, e, fmt.Sprintf("pass %d", pass), tree, inside, lightest); err != nil {
			return nil, err
		}
		for v, t := range tree {
			if x := lightest[v]; uint32(v) != t && x.lighter(lightest[t]) {
				lightest[t] = x
			}
		}
		joined = false
		for t, x := range lightest {
			if tree[t] != uint32(t) || x == noLink {
				continue
			}
			if a, b := root(above, x.a), root(above, x.b); a != b {
				above[max(a, b)], joined = min(a, b), true
				forest = append(forest, x)
			}
		}
		for v := range tree {
			tree[v] = root(above, uint32(v))
		}
	}
	Free(e, lightest)
	return f.table(e, all, forest)
}

// root returns the root of the tree of v, and shortens the path to it.
func root(above []uint32, v uint32) uint32 {
	for above[v] != v {
		above[v] = above[above[v]]
		v = above[v]
	}
	return v
}

// pass finds the lightest edge of each vertex to another tree.
func (Forest) pass(ctx context.Context, e *Env, stage string, tree []uint32, inside []bool, lightest []link) error {
	for v := range lightest {
		lightest[v] = noLink
	}
	wanted := func(first, end uint32) bool { return slices.Contains(inside[first:end], false) }
	return e.Rows().pass(ctx, stage, wanted, func(_ int, b *Block) {
		for i := range b.Len {
			v := b.Vertex(i)
			if inside[v] {
				continue
			}
			x := lightestOf(v, tree, b.Row(shard.In, i), b.Weights(shard.In, i), noLink)
			if !e.Graph.Symmetric {
				x = lightestOf(v, tree, b.Row(shard.Out, i), b.Weights(shard.Out, i), x)
			}
			lightest[v], inside[v] = x, x == noLink
		}
	})
}

// lightestOf returns the lightest of x and the edges in a row of v to other trees.
func lightestOf(v uint32, tree, row []uint32, weights shard.Plane, x link) link {
	own := tree[v]
	for k, u := range row {
		w := weights.At(k)
		if w > x.weight || tree[u] == own {
			continue
		}
		if y := (link{w, min(u, v), max(u, v)}); y.lighter(x) {
			x = y
		}
	}
	return x
}

// table returns the forest in the order of its edges. It frees all.
func (Forest) table(e *Env, all, forest []link) ([]gas.VertexID, error) {
	slices.SortFunc(forest, func(x, y link) int { return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b)) })
	var sources, targets []gas.VertexID
	var weights []float64
	if err := makeAll(e, into(&sources, len(all)), into(&targets, len(all)), into(&weights, len(all))); err != nil {
		return nil, err
	}
	sum := 0.
	for i, x := range forest {
		sources[i], targets[i], weights[i] = gas.VertexID(x.a), gas.VertexID(x.b), x.weight
		sum += x.weight
	}
	m := len(forest)
	Free(e, all)
	e.Keys("source", sources[:m])
	if e.Graph.Weighted {
		AddColumn(e, "weight", weights[:m])
	}
	e.Total("edges", int64(m))
	e.Total("trees", int64(len(all)-m))
	e.TotalFloat("weight", sum)
	return targets[:m], nil
}

// ColumnName returns "target".
func (Forest) ColumnName() string { return "target" }

// ForestCommand describes garaph run forest.
var ForestCommand = registry.Command{
	Name: "forest", Value: Forest{}, Short: "minimum spanning forest, whose edges are the rows of the result",
	Long: `Directions of edges and self-loops don't matter; without weights, every edge weighs 1.
Of edges of equal weight those of the least ids are taken. A row has source, target
and, in a weighted graph, weight. The summary has the number of edges and of trees,
and the total weight. Beside 41 bytes for each vertex, --memory has to hold little.`,
	Example: `  garaph run forest roads.graph --output forest.parquet
  garaph run forest roads.graph --memory 1GiB --output forest.csv`,
	Setup: registry.Fixed(Forest{}),
}
