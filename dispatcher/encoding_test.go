package dispatcher

import (
	"fmt"
	"slices"
	"testing"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
)

// TestEncoding: a graph in an encoding that no engine has loops for gives the results of
// any other, on all devices and by all methods.
func TestEncoding(t *testing.T) {
	emulated := func(d Device, m Method) setting {
		o := Options{Mode: Sync, Method: m, Device: d, Threads: 2}
		if d != CPU {
			o.GPU.Name = "emulated"
		}
		return setting{opt: o}
	}
	sets := slices.DeleteFunc(settings(), func(set setting) bool { return set.opt.Threads == 1 })
	var frontiers []setting
	for _, d := range []Device{CPU, GPU, Hybrid} {
		sets = append(sets, emulated(d, Pull), emulated(d, Auto))
		frontiers = append(frontiers, emulated(d, Frontier))
	}
	for turn, g := range testgraph.All() {
		for i, symmetric := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/symmetric=%v", g.Name, symmetric), func(t *testing.T) {
				graph, o := g.Graph, teststore.Options{Weighted: true, Symmetric: symmetric, Layout: teststore.Varint}
				s := teststore.Build(t, graph, o)
				if symmetric {
					graph = teststore.Mirrored(graph)
				}
				check(t, s, graph, 0, testsize.Some(sets, 7, turn+2*i))
				lengths, _ := run[float32, float32](t, s, programs.SSSP[float32]{}, sets[0])
				for _, set := range frontiers {
					if got, _ := run[float32, float32](t, s, programs.SSSP[float32]{}, set); !slices.Equal(got, lengths) {
						t.Errorf("%s: sssp by frontiers: got %v, want %v", set, got, lengths)
					}
				}
				back := oracle.Graph{N: graph.N}
				for _, e := range graph.Edges {
					back.Edges = append(back.Edges, oracle.Edge{Src: e.Dst, Dst: e.Src})
				}
				hops := oracle.BFS(back, 0)
				for _, set := range testsize.Some(append(frontiers[:1:1], settings()...), 7, turn+2*i) {
					values, _ := run[uint32, uint32](t, s, backwards{}, set)
					for v, x := range values {
						if got := (programs.BFS{}).Result(gas.Vertex{}, x); got != hops[v] {
							t.Fatalf("%s: hops back to vertex %d: got %d, want %d", set, v, got, hops[v])
						}
					}
				}
			})
		}
	}
}
