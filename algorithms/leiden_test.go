package algorithms_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

// checkLeiden checks that the names of communities are their least vertices, the totals, and where connected is
// true, that each is connected. It returns the modularity.
func checkLeiden(
	t rapid.TB, g oracle.Graph, symmetric bool, got output[gas.VertexID], resolution float64, connected bool,
) float64 {
	t.Helper()
	group, communities := make([]uint32, g.N), int64(0)
	for v, c := range got.Values {
		group[v] = uint32(c)
		if uint32(c) > uint32(v) || got.Values[c] != c {
			t.Fatalf("vertex %d is in a community of name %d", v, c)
		}
		if uint32(c) == uint32(v) {
			communities++
		}
	}
	q := oracle.Modularity(g, symmetric, group, resolution)
	reported, _ := got.total("modularity").(float64)
	if math.Abs(reported-q) > 1e-6 || got.total("communities") != communities {
		t.Fatalf("%v communities of modularity %v, want %d of %v", got.total("communities"), reported, communities, q)
	}
	if !connected {
		return q
	}
	inside := oracle.Graph{N: g.N}
	for _, e := range g.Edges {
		if group[e.Src] == group[e.Dst] && e.Weight > 0 {
			inside.Edges = append(inside.Edges, e, oracle.Edge{Src: e.Dst, Dst: e.Src})
		}
	}
	for v, c := range oracle.WCC(inside) {
		if c != group[v] {
			t.Fatalf("the community %d is disconnected: vertex %d reaches %d", group[v], v, c)
		}
	}
	return q
}

func TestLeiden(t *testing.T) {
	for _, weighted := range []bool{false, true} {
		cases(t, weighted, func(t rapid.TB, s *store.Store, g oracle.Graph, symmetric bool) {
			if !weighted {
				g = unweighted(g)
			}
			for _, p := range []algorithms.Leiden{
				{}, {Iterations: 1, Seed: 7, Resolution: 2}, {Levels: 2, Iterations: 3, Resolution: 0.5},
			} {
				p.Weighted = weighted
				resolution := p.Resolution
				if resolution == 0 {
					resolution = 1
				}
				q := checkLeiden(t, g, symmetric, runs(t, s, p), resolution, true)
				checkLeiden(t, g, symmetric, runs(t, s, algorithms.Louvain(p)), resolution, false)
				alone := make([]uint32, g.N)
				for v := range alone {
					alone[v] = uint32(v)
				}
				if least := oracle.Modularity(g, symmetric, alone, resolution); q < least-1e-6 {
					t.Fatalf("modularity %v, of single vertices %v", q, least)
				}
				if g.N > 7 {
					continue
				}
				if most := oracle.MostModularity(g, symmetric, resolution); q > most+1e-6 || q < most-0.08 {
					t.Fatalf("%+v: modularity %v, the largest is %v", p, q, most)
				}
			}
		})
	}
}

func unweighted(g oracle.Graph) oracle.Graph {
	g.Edges = slices.Clone(g.Edges)
	for i := range g.Edges {
		g.Edges[i].Weight = 1
	}
	return g
}

// TestLeidenLevels checks that each column divides the next one.
func TestLeidenLevels(t *testing.T) {
	g := testgraph.Skewed(10, 4000, 1)
	got := runs(t, teststore.Build(t, g, teststore.Options{ShardVertices: 100}), algorithms.Leiden{Levels: 3})
	finer, _ := got.Columns[0].Values.([]gas.VertexID)
	for _, c := range append(got.Columns[1:], algorithms.Column{Values: got.Values}) {
		coarser, _ := c.Values.([]gas.VertexID)
		for v, part := range finer {
			if coarser[v] != coarser[part] {
				t.Fatalf("column %s: vertices %d and %d differ, and have been together", c.Name, v, part)
			}
		}
		finer = coarser
	}
}

// TestLeidenReal compares modularity with that of igraph's communities.
func TestLeidenReal(t *testing.T) {
	for name, least := range map[string]float64{"ego-Facebook": 0.831, "as-Caida20071105": 0.677,
		"soc-Slashdot0902": 0.353} {
		t.Run(name, func(t *testing.T) {
			_, g := testgraph.LoadEdges(t, name, false)
			s := teststore.Build(t, g, teststore.Options{ShardVertices: 1000, Layout: store.Packed})
			if q := checkLeiden(t, g, false, runs(t, s, algorithms.Leiden{Iterations: 2}), 1, true); q < least {
				t.Errorf("modularity %v, expected %v", q, least)
			}
		})
	}
}
