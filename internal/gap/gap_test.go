package gap

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/internal/oracle"
	_ "github.com/garaph/garaph/internal/testsize" // fewer random cases
	"github.com/garaph/garaph/internal/teststore"
)

// TestSources compares sources with those that GAPBS's bfs prints: for -u 9, and for a file of the edges
// u (7u+1) mod 1500, of the multiples of 3 below 1500, and 1499 0.
func TestSources(t *testing.T) {
	for _, c := range []struct {
		vertices uint32
		hasEdges func(uint32) bool
		want     []uint32
	}{
		{512, func(uint32) bool { return true }, []uint32{351, 383, 144, 206, 468, 108}},
		{1500, func(v uint32) bool { return v%3 == 0 || v == 1499 }, []uint32{648, 288, 1050, 267, 753, 1227, 756, 1467}},
	} {
		s, got := NewSources(c.vertices, c.hasEdges), []uint32{}
		for range c.want {
			got = append(got, s.Next())
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%d vertices: %s", c.vertices, diff)
		}
	}
}

// rowsOf returns the rows of a graph, ascending, of edges or of reversed ones.
func rowsOf(g oracle.Graph, reverse bool) *frontier.Rows {
	r := &frontier.Rows{Off: []uint64{0}}
	for v := range uint32(g.N) {
		for u := range uint32(g.N) {
			for _, e := range g.Edges {
				if reverse {
					e.Src, e.Dst = e.Dst, e.Src
				}
				if e.Src == v && e.Dst == u {
					r.Arcs = append(r.Arcs, frontier.Arc{To: u, Weight: e.Weight})
				}
			}
		}
		r.Off = append(r.Off, uint64(len(r.Arcs)))
	}
	return r
}

// TestChecks checks that right results pass, and results with one wrong value do not.
func TestChecks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := oracle.Graph{N: rapid.IntRange(2, 30).Draw(t, "vertices")}
		for range rapid.IntRange(1, 80).Draw(t, "edges") {
			g.Edges = append(g.Edges, oracle.Edge{
				Src: rapid.Uint32Range(0, uint32(g.N-1)).Draw(t, "src"), Dst: rapid.Uint32Range(0, uint32(g.N-1)).Draw(t, "dst"),
				Weight: float32(rapid.IntRange(1, 9).Draw(t, "weight")),
			})
		}
		symmetric := rapid.Bool().Draw(t, "symmetric")
		graph := Graph{}
		if symmetric {
			g = teststore.Mirrored(g)
		} else {
			graph.In = rowsOf(g, true)
		}
		graph.Out = rowsOf(g, false)
		source := g.Edges[0].Src
		wrong := rapid.IntRange(0, g.N-1).Draw(t, "wrong")
		check := func(name string, verify func() error, spoil func()) {
			if err := verify(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if spoil(); verify() == nil {
				t.Fatalf("%s: a wrong value of vertex %d passes", name, wrong)
			}
		}
		hops := oracle.BFS(g, source)
		check("bfs", func() error { return graph.BFS(source, hops) }, func() { hops[wrong]-- })
		distances := oracle.SSSP(g, source)
		check("sssp", func() error { return graph.SSSP(source, distances) }, func() {
			distances[wrong] = 1 + min(distances[wrong], 1e6)
		})
		ranks := oracle.PageRank(g, 0.85, -1, 0, 1e-9)
		check("pr", func() error { return graph.PR(0.85, 1e-4, ranks) }, func() { ranks[wrong] += 0.01 })
		labels, same, least := make([]int64, g.N), 0, oracle.WCC(g)
		for v, label := range least {
			if labels[v] = int64(label); label == least[wrong] {
				same++
			}
		}
		check("cc", func() error { return graph.CC(labels) }, func() {
			if labels[wrong] = 1000; same == 1 {
				labels[wrong] = labels[(wrong+1)%g.N]
			}
		})
		var all []uint32
		for v := range uint32(g.N) {
			all = append(all, v)
		}
		scores := oracle.Betweenness(g)
		check("bc", func() error { return graph.BC(context.Background(), all, scores) }, func() {
			if most := largest(scores); scores[wrong] == most {
				scores[wrong] = 0 // more is the same for a factor, where it is the only one
			} else {
				scores[wrong] += 0.01 + most
			}
		})
		if triangles := triangles(g); symmetric {
			check("tc", func() error { return graph.TC(context.Background(), triangles) }, func() { triangles++ })
		}
	})
}

// triangles counts sets of three neighbours.
func triangles(g oracle.Graph) (count int64) {
	near := map[[2]uint32]bool{}
	for _, e := range g.Edges {
		near[[2]uint32{e.Src, e.Dst}] = true
	}
	for u := range uint32(g.N) {
		for v := range u {
			for w := range v {
				if near[[2]uint32{u, v}] && near[[2]uint32{u, w}] && near[[2]uint32{v, w}] {
					count++
				}
			}
		}
	}
	return count
}
