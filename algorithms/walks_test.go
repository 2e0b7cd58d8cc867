package algorithms_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

// walksOf returns walks as rows.
func walksOf(t rapid.TB, s *store.Store, c algorithms.Walks) (walks [][]uint32) {
	t.Helper()
	out := runs(t, s, c)
	for i, v := range out.Keys {
		walk := []uint32{uint32(v), uint32(out.Values[i])}
		for _, column := range out.Columns {
			walk = append(walk, uint32(column.Values.([]gas.VertexID)[i]))
		}
		walks = append(walks, walk)
	}
	return walks
}

// TestWalks checks that every step is along an edge, and that none is where there are none.
func TestWalks(t *testing.T) {
	for _, weighted := range []bool{false, true} {
		cases(t, weighted, func(t rapid.TB, s *store.Store, g oracle.Graph, _ bool) {
			if !weighted {
				g = unweighted(g)
			}
			chances := oracle.Transitions(g, 1, 1)
			for _, p := range []float64{1, 4} {
				walks := walksOf(t, s, algorithms.Walks{Length: 5, Walks: 2, Seed: 3, P: p, Q: 1})
				if len(walks) != 2*g.N {
					t.Fatalf("%d walks of %d vertices", len(walks), g.N)
				}
				for i, walk := range walks {
					if walk[0] != uint32(i/2) || len(walk) != 6 {
						t.Fatalf("walk %d is %v", i, walk)
					}
					for k, v := range walk[1:] {
						if from := chances(nil, walk[k]); from[v] == 0 && (len(from) > 0 || v != walk[k]) {
							t.Fatalf("walk %v has step %d along no edge", walk, k+1)
						}
					}
				}
			}
			if g.N > 1 {
				some := algorithms.Walks{Length: 5, Walks: 2, Seed: 3, P: 1, Q: 1, Sources: []uint32{1}}
				if all := walksOf(t, s, algorithms.Walks{Length: 5, Walks: 2, Seed: 3, P: 1, Q: 1}); !slices.EqualFunc(
					walksOf(t, s, some), all[2:4], slices.Equal) {
					t.Fatal("walks of one source are not those of all")
				}
			}
		})
	}
}

// TestWalksChances compares how often a step follows two others with its chance, by χ².
func TestWalksChances(t *testing.T) {
	g := oracle.Graph{N: 7}
	for _, e := range [][3]uint32{
		{0, 1, 1}, {0, 2, 5}, {0, 3, 2}, {1, 0, 1}, {1, 2, 1}, {2, 0, 3}, {2, 3, 1}, {2, 4, 1}, {2, 4, 2}, {3, 0, 0},
		{3, 5, 7}, {3, 2, 1}, {4, 4, 1}, {4, 0, 1}, {5, 2, 1}, {5, 3, 9}, {5, 6, 1},
	} {
		g.Edges = append(g.Edges, oracle.Edge{Src: e[0], Dst: e[1], Weight: float32(e[2])})
	}
	plain := unweighted(g)
	for _, c := range []struct {
		g        oracle.Graph
		weighted bool
		p, q     float64
	}{{plain, false, 1, 1}, {g, true, 1, 1}, {plain, false, 0.25, 4}, {g, true, 2, 0.5}, {g, true, 1e6, 1e6}} {
		s := teststore.Build(t, c.g, teststore.Options{Layout: store.Packed, Weighted: c.weighted, ShardVertices: 3})
		walks := walksOf(t, s, algorithms.Walks{Length: 6, Walks: 3000, Seed: 5, P: c.p, Q: c.q})
		counts := map[[2]uint32]map[uint32]float64{}
		for _, walk := range walks {
			for k := 2; k < len(walk); k++ {
				at := [2]uint32{walk[k-2], walk[k-1]}
				if counts[at] == nil {
					counts[at] = map[uint32]float64{}
				}
				counts[at][walk[k]]++
			}
		}
		chances := oracle.Transitions(c.g, c.p, c.q)
		chi, freedom := 0., 0.
		for at, next := range counts {
			want, n := chances(&at[0], at[1]), 0.
			for _, count := range next {
				n += count
			}
			for v, chance := range want {
				if chance*n >= 5 {
					chi += (next[v] - chance*n) * (next[v] - chance*n) / (chance * n)
					freedom++
				}
			}
			freedom--
		}
		if chi > freedom+5*math.Sqrt(2*freedom) || freedom < 4 {
			t.Errorf("weighted %v, p %v, q %v: χ² %v with %v degrees of freedom", c.weighted, c.p, c.q, chi, freedom)
		}
	}
}

// TestWalksUnderflow checks that steps are along edges where all products of weights and factors are 0.
func TestWalksUnderflow(t *testing.T) {
	g := oracle.Graph{N: 4, Edges: []oracle.Edge{{Src: 0, Dst: 1, Weight: 1e-30}, {Src: 1, Dst: 0, Weight: 1e-30},
		{Src: 2, Dst: 3, Weight: 1e-30}, {Src: 3, Dst: 2, Weight: 1e-30}}}
	s := teststore.Build(t, g, teststore.Options{Weighted: true, Layout: store.Packed})
	for _, walk := range walksOf(t, s, algorithms.Walks{Length: 6, Walks: 1, P: 1e300, Q: 1}) {
		for k, v := range walk[1:] {
			if v != walk[k]^1 {
				t.Errorf("walk %v has step %d along no edge", walk, k+1)
			}
		}
	}
}
