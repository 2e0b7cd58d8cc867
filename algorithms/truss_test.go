package algorithms_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
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
			{Src: 0, Dst: 1}, {Src: 0, Dst: 2}, {Src: 0, Dst: 3}, {Src: 1, Dst: 2}, {Src: 1, Dst: 3}, {Src: 4, Dst: 2}, {Src: 4, Dst: 1},
		}}, []int64{3, 3, 3, 3, 3}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, oracle.Truss(c.g)); diff != "" {
				t.Errorf("the oracle: %s", diff)
			}
			truss.same(t, teststore.Build(t, c.g, teststore.Options{ShardVertices: 3}), c.want)
		})
	}
}
