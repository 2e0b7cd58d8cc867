package cpuengine

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	_ "github.com/garaph/garaph/internal/testsize" // ten random cases, unless all are asked for
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/internal/vertices"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// shards is a graph, sharded.
type shards struct {
	graph     oracle.Graph
	weighted  bool
	symmetric bool
	sides     [2][]*rows.Side // by direction; of a symmetric graph, the same
	firsts    []uint32
}

func newShards(g oracle.Graph, size int, weighted, symmetric bool) *shards {
	if symmetric {
		g = teststore.Mirrored(g)
	}
	s := &shards{graph: g, weighted: weighted, symmetric: symmetric}
	for first := 0; first < g.N; first += size {
		s.firsts = append(s.firsts, uint32(first))
		for dir := range s.sides {
			s.sides[dir] = append(s.sides[dir], side(g, shard.Direction(dir), len(s.firsts)-1, first, min(size, g.N-first),
				weighted && (dir == 0 || symmetric)))
		}
	}
	return s
}

// side is one side of a shard, made the plain way.
func side(g oracle.Graph, dir shard.Direction, index, first, size int, weighted bool) *rows.Side {
	s := &rows.Side{Dir: dir, Index: uint32(index), First: uint32(first), Off: make([]uint32, size+1)}
	for v := range size {
		var list []oracle.Edge
		for _, e := range g.Edges {
			if dir == shard.Out {
				e.Src, e.Dst = e.Dst, e.Src
			}
			if int(e.Dst) == first+v {
				list = append(list, e)
			}
		}
		slices.SortFunc(list, func(a, b oracle.Edge) int {
			return cmp.Or(cmp.Compare(a.Src, b.Src), cmp.Compare(a.Weight, b.Weight))
		})
		for _, e := range list {
			s.Nbr = append(s.Nbr, e.Src)
			if weighted {
				s.Weight = append(s.Weight, e.Weight)
			}
		}
		s.Off[v+1] = uint32(len(s.Nbr))
	}
	return s
}

// page is a page of the shards [from, to) for a program that gathers along d.
func (s *shards) page(from, to int, d gas.Direction) *page.Page {
	p := &page.Page{}
	for i := from; i < to; i++ {
		x := page.Shard{Index: i}
		switch {
		case d == gas.Both && !s.symmetric:
			x.Sides = []shard.Side{s.sides[shard.In][i], s.sides[shard.Out][i]}
		case d == gas.Out && !s.symmetric:
			x.Sides = []shard.Side{s.sides[shard.Out][i]}
		default:
			x.Sides = []shard.Side{s.sides[shard.In][i]}
		}
		p.Shards = append(p.Shards, x)
	}
	return p
}

// pages cuts all shards into pages.
func (s *shards) pages(t *rapid.T, d gas.Direction) []*page.Page {
	var list []*page.Page
	for from := 0; from < len(s.firsts); {
		to := rapid.IntRange(from+1, len(s.firsts)).Draw(t, "end of the page")
		list = append(list, s.page(from, to, d))
		from = to
	}
	return list
}

// vertex is what a program sees of v.
func (s *shards) vertex(v uint32) gas.Vertex {
	in, out := oracle.Degrees(s.graph)
	return gas.Vertex{ID: v, N: uint32(s.graph.N), In: in[v], Out: out[v]}
}

// edges are those along which v gathers, in the order of the engine.
func (s *shards) edges(v uint32, d gas.Direction) []oracle.Edge {
	var list []oracle.Edge
	i := 0
	for i+1 < len(s.firsts) && s.firsts[i+1] <= v {
		i++
	}
	for _, x := range s.page(i, i+1, d).Shards[0].Sides {
		side := rows.Of(x)
		for k := side.Off[v-side.First]; k < side.Off[v-side.First+1]; k++ {
			e := oracle.Edge{Src: side.Nbr[k], Dst: v, Weight: 1}
			if side.Weight != nil {
				e.Weight = side.Weight[k]
			}
			list = append(list, e)
		}
	}
	return list
}

// notifies is the number of edges along which v notifies.
func (s *shards) notifies(v uint32, d gas.Direction) uint32 {
	x := s.vertex(v)
	switch {
	case d == gas.Out, s.symmetric:
		return x.In
	case d == gas.Both:
		return x.In + x.Out
	default:
		return x.Out
	}
}

// draw returns a random graph in small shards.
func draw(t *rapid.T) *shards {
	return newShards(testgraph.Draw(t), rapid.SampledFrom([]int{1, 2, 5, 17, 1000}).Draw(t, "vertices per shard"),
		rapid.Bool().Draw(t, "weighted"), rapid.Bool().Draw(t, "symmetric"))
}

func directions() *rapid.Generator[gas.Direction] {
	return rapid.SampledFrom([]gas.Direction{gas.In, gas.Out, gas.Both})
}

// newArrays returns arrays with degrees, for the time of the test.
func newArrays[V any](t rapid.TB, s *shards, d gas.Direction) *vertices.Arrays[V] {
	t.Helper()
	a, err := vertices.New[V](uint32(s.graph.N), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.AddDegrees(true, true); err != nil {
		t.Fatal(err)
	}
	for v := range a.Degree {
		x := s.vertex(uint32(v))
		a.Degree[v], a.In[v], a.Out[v] = s.notifies(uint32(v), d), x.In, x.Out
	}
	return a
}

// newEngine returns an engine with chunks of a given size.
func newEngine[V, A any](t rapid.TB, p gas.Program[V, A], a *vertices.Arrays[V], s *shards, threads int,
	chunk uint64) *Engine[V, A] {
	t.Helper()
	loops, _ := LoopsOf(p)
	e, err := New(loops, a, threads)
	if err != nil {
		t.Fatal(err)
	}
	e.chunkEdges = chunk
	return e
}

// scatter adds each of n bits with the given probability.
func scatter(rng *rand.Rand, s bitset.Set, n int, probability float64) {
	for v := range n {
		if rng.Float64() < probability {
			s.Add(uint32(v))
		}
	}
}

func (s *shards) GoString() string { return fmt.Sprintf("%d shards", len(s.firsts)) }
