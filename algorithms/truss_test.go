package algorithms_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

// joined are cliques in a row: each of the given size shares a vertex with the next one.
func joined(sizes ...uint32) (g oracle.Graph) {
	first := uint32(0)
	for _, size := range sizes {
		for v := range size {
			for u := range v {
				g.Edges = append(g.Edges, oracle.Edge{Src: first + v, Dst: first + u})
			}
		}
		first += size - 1
	}
	g.N = int(first) + 1
	return g
}

// TestTrussOf is the truss numbers of some graphs, by hand.
func TestTrussOf(t *testing.T) {
	for _, c := range []struct {
		name string
		g    oracle.Graph
		want []int64
	}{
		{"a path", testgraph.Path(), []int64{2, 2, 2, 2, 2}},
		{"a vertex alone", oracle.Graph{N: 3, Edges: []oracle.Edge{{Src: 2, Dst: 0}, {Src: 1, Dst: 1}}}, []int64{2, 0, 2}},
		{"an edge, a triangle and a clique of five", joined(2, 3, 5), []int64{2, 3, 3, 5, 5, 5, 5, 5}},
		{"a wheel: each rim edge is in one triangle", oracle.Graph{N: 6, Edges: []oracle.Edge{
			{Src: 0, Dst: 1}, {Src: 0, Dst: 2}, {Src: 0, Dst: 3}, {Src: 0, Dst: 4}, {Src: 0, Dst: 5},
			{Src: 1, Dst: 2}, {Src: 2, Dst: 3}, {Src: 3, Dst: 4}, {Src: 4, Dst: 5}, {Src: 5, Dst: 1}, {Src: 1, Dst: 5},
		}}, []int64{3, 3, 3, 3, 3, 3}},
		{"a clique of four but for an edge, and a triangle on it", oracle.Graph{N: 5, Edges: []oracle.Edge{
			{Src: 0, Dst: 1}, {Src: 0, Dst: 2}, {Src: 0, Dst: 3}, {Src: 1, Dst: 2}, {Src: 1, Dst: 3},
			{Src: 4, Dst: 2}, {Src: 4, Dst: 1},
		}}, []int64{3, 3, 3, 3, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, oracleTruss(c.g)); diff != "" {
				t.Errorf("the oracle: %s", diff)
			}
			truss.same(t, teststore.Build(t, c.g, teststore.Options{ShardVertices: 3}), c.want)
		})
	}
}

// pairs is the graph of the pairs of n vertices that are wanted.
func pairs(n uint32, wanted func(u, v uint32) bool) (g oracle.Graph) {
	g.N = int(n)
	for v := range n {
		for u := range v {
			if wanted(u, v) {
				g.Edges = append(g.Edges, oracle.Edge{Src: u, Dst: v})
			}
		}
	}
	return g
}

// TestDense tests dense graphs, graphs that are dense when the rest is peeled, and those of which a part is.
func TestDense(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	barbell := func(size, path uint32) oracle.Graph { // cliques of size, whose first vertices a path joins
		return pairs(2*size+path, func(u, v uint32) bool {
			inPath := u >= 2*size && v == u+1
			return v < size || u >= size && v < 2*size || inPath || u == 0 && v == 2*size || u == size && v == 2*size+path-1
		})
	}
	same := func(n int, value int64) []int64 { return slices.Repeat([]int64{value}, n) }
	for _, c := range []struct {
		name             string
		g                oracle.Graph
		truss, triangles []int64 // if nil, as the oracle
	}{
		{"complete", pairs(150, func(_, _ uint32) bool { return true }), same(150, 150), same(150, 149*148/2)},
		{"complete without a matching", pairs(150, func(u, v uint32) bool { return u/2 != v/2 }),
			same(150, 148), same(150, 148*146/2)},
		{"complete bipartite", pairs(140, func(u, v uint32) bool { return (u+v)%2 == 1 }), same(140, 2), same(140, 0)},
		{"barbell", barbell(100, 300), slices.Concat(same(200, 100), same(300, 2)),
			slices.Concat(same(200, 99*98/2), same(300, 0))},
		{"nearly complete", pairs(80, func(_, _ uint32) bool { return random.IntN(10) > 0 }), nil, nil},
		{"half", pairs(100, func(_, _ uint32) bool { return random.IntN(2) > 0 }), nil, nil},
		{"dense within sparse", pairs(400, func(_, v uint32) bool { return random.IntN(int(2+v*v/100)) < 2 }), nil, nil},
		{"five of them", pairs(300, func(u, v uint32) bool { return u/60 == v/60 && random.IntN(8) > 0 }), nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := teststore.Build(t, c.g, teststore.Options{Layout: store.Packed})
			if c.truss == nil {
				c.truss, c.triangles = oracleTruss(c.g), oracleTriangles(c.g)
			}
			truss.same(t, s, c.truss)
			triangles.same(t, s, c.triangles)
		})
	}
}
