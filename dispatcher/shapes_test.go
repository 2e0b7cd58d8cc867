package dispatcher

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/store"
)

// shapes are graphs on which frontiers behave differently, with about 2^scale vertices.
func shapes(scale int) []testgraph.Named {
	n, r := 1<<scale, rand.New(rand.NewPCG(1, uint64(scale)))
	weight := func() float32 { return float32(1 + r.IntN(255)) }
	rmat, grid, star, path := oracle.Graph{N: n}, oracle.Graph{}, oracle.Graph{N: n}, oracle.Graph{N: n}
	for range 16 * n {
		var src, dst uint32
		for range scale {
			x := r.Float64()
			src, dst = src<<1, dst<<1
			switch {
			case x < 0.57:
			case x < 0.76:
				dst++
			case x < 0.95:
				src++
			default:
				src, dst = src+1, dst+1
			}
		}
		rmat.Edges = append(rmat.Edges, oracle.Edge{Src: src, Dst: dst, Weight: weight()})
	}
	side := uint32(1) << (scale / 2)
	grid.N = int(side * side)
	for v := range side * side {
		if v%side+1 < side {
			grid.Edges = append(grid.Edges, oracle.Edge{Src: v, Dst: v + 1, Weight: weight()})
		}
		if v+side < side*side {
			grid.Edges = append(grid.Edges, oracle.Edge{Src: v, Dst: v + side, Weight: weight()})
		}
	}
	for v := range uint32(n - 1) {
		star.Edges = append(star.Edges, oracle.Edge{Src: 0, Dst: v + 1, Weight: weight()})
		path.Edges = append(path.Edges, oracle.Edge{Src: v, Dst: v + 1, Weight: weight()})
	}
	return append(testgraph.All(), testgraph.Named{Name: "RMAT", Graph: rmat}, testgraph.Named{Name: "grid", Graph: grid},
		testgraph.Named{Name: "star", Graph: star}, testgraph.Named{Name: "path", Graph: path})
}

// ways are how frontiers are advanced: on the CPU, and on an emulated device by every
// policy and filter in every direction.
func ways() (list []Options) {
	list = append(list, Options{Device: CPU, Method: Frontier, Threads: 3})
	for policy := range kernels.Lonestar + 1 {
		for filter := range kernels.LabelFilter + 1 {
			for direction := range kernels.Seek + 1 {
				o := Options{Device: GPU, Method: Frontier, Threads: 2}
				o.GPU.Advancing = gpuengine.Advancing{Policy: policy, Filter: filter, Direction: direction, Cull: filter%2 == 1}
				o.open = func(string) (device.Device, error) { return device.NewEmulated(device.EmulatedOptions{}), nil }
				list = append(list, o)
			}
		}
	}
	return list
}

// TestFrontierShapes compares what frontiers give with the oracles, on small shapes in every
// 37th way. GARAPH_SCALE makes them larger, in all ways; from 14 on, in every 37th. 20 has a
// path of a million vertices.
func TestFrontierShapes(t *testing.T) {
	scale, err := strconv.Atoi(cmp.Or(os.Getenv("GARAPH_SCALE"), "6"))
	if err != nil {
		t.Fatal(err)
	}
	every := 37
	if os.Getenv("GARAPH_SCALE") != "" && scale < 14 {
		every = 1
	}
	for _, x := range shapes(scale) {
		for _, symmetric := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, symmetric %v", x.Name, symmetric), func(t *testing.T) {
				s := teststore.Build(t, x.Graph, teststore.Options{Weighted: true, Symmetric: symmetric, ShardVertices: max(3, min(12288, x.Graph.N/3)), Layout: store.Packed})
				g := x.Graph
				if symmetric {
					g = both(g)
				}
				source := uint32(g.N / 2)
				if x.Name == "star" || x.Name == "path" {
					source = 0
				}
				var taken []Options
				for i, o := range ways() {
					if i%every == 0 {
						taken = append(taken, o)
					}
				}
				checkShape(t, s, g, source, taken)
			})
		}
	}
}

// both is a graph with both directions of every edge.
func both(g oracle.Graph) oracle.Graph {
	all := oracle.Graph{N: g.N, Edges: g.Edges[:len(g.Edges):len(g.Edges)]}
	for _, e := range g.Edges {
		all.Edges = append(all.Edges, oracle.Edge{Src: e.Dst, Dst: e.Src, Weight: e.Weight})
	}
	return all
}

// checkShape runs the monotone programs over a graph, in each of some ways.
func checkShape(t *testing.T, s *store.Store, g oracle.Graph, source uint32, ways []Options) {
	t.Helper()
	hops := make([]uint32, g.N)
	for v, h := range oracle.BFS(g, source) {
		hops[v] = uint32(min(h, math.MaxUint32))
	}
	var widths []float32
	for _, w := range oracle.SSWP(g, source) {
		widths = append(widths, float32(w))
	}
	labels, distances := oracle.WCC(g), oracle.SSSP(g, source)
	for _, o := range ways {
		gives(t, s, gas.Program[uint32, uint32](programs.BFS{Source: source}), o, hops)
		gives(t, s, gas.Program[uint32, uint32](programs.WCC{}), o, labels)
		gives(t, s, gas.Program[float64, float64](programs.SSSP[float64]{Source: source}), o, distances)
		gives(t, s, gas.Program[float32, float32](programs.SSWP{Source: source}), o, widths)
	}
}

// gives compares the values of a job with those of an oracle.
func gives[V comparable, A any](t *testing.T, s *store.Store, p gas.Program[V, A], o Options, want []V) {
	t.Helper()
	j, err := New(s, p, o)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if _, err = j.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	var got []V
	err = j.Values(func(_ []gas.Vertex, values []V) error {
		got = append(got, values...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if v := differs(got, want); v >= 0 {
		t.Fatalf("%T %+v, %s, %+v: vertex %d: got %v, want %v", p, p, o.Device, o.GPU.Advancing, v, got[v], want[v])
	}
}
