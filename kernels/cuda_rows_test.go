//go:build cuda

package kernels

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/testgraph"
)

// longRows has two sets of vertices, all edges from one to the other, and a ring in the first one: vertices of the second
// one find many triangles in a row of all others, which is longer than what a block looks up at once.
func longRows(a, b int) *csc {
	return undirected(a+b, a*b+a, func(i int) (u, v uint32) {
		if i < a {
			return uint32(i), uint32((i + 1) % a)
		}
		return uint32((i - a) % a), uint32(a + (i-a)/a)
	})
}

// directed returns the in- and the out-rows of a third of a graph's edges: about a ninth have both directions.
func directed(g *csc) (in, out *csc) {
	rows := [2][][]uint32{make([][]uint32, g.vertices()), make([][]uint32, g.vertices())}
	for v := range g.vertices() {
		for i, u := range g.nbr[g.off[v]:g.off[v+1]] {
			if mixed(int(g.off[v])+i)%3 == 0 {
				rows[0][v], rows[1][u] = append(rows[0][v], u), append(rows[1][u], uint32(v))
			}
		}
	}
	return ofRows(rows[0]), ofRows(rows[1])
}

// eachRows calls f with graphs of short and of long rows, symmetric ones without out-rows.
func eachRows(f func(name string, in, out *csc)) {
	list := map[string]*csc{
		"rmat 14": rmatGraph(14, 16), "uniform 14": uniformGraph(14, 16), "grid": gridGraph(100),
		"star": starGraph(100_000, 7), "long rows": longRows(2100, 2200),
		"isolated vertices": undirected(1000, 0, nil),
	}
	for _, x := range testgraph.All() {
		list[x.Name] = inRows(x.Graph, true)
	}
	for name, g := range list {
		f(name, g, nil)
		in, out := directed(g)
		f(name+", directed", in, out)
	}
}

// uploadRows returns where the offsets and the neighbours are.
func uploadRows(g *gpu, rows *csc) (off, nbr device.Pointer) {
	if rows == nil {
		return 0, 0
	}
	return upload(g, rows.off), upload(g, rows.nbr)
}

// triangleCounts are the results of kernel triangles.
type triangleCounts struct {
	Counts  []uint64
	Degrees []uint32
}

func countTriangles(g *gpu, in, out *csc, weighted bool) triangleCounts {
	n := in.vertices()
	a := TrianglesArgs{N: uint32(n), Next: upload(g, []uint64{0}), Milliseconds: 1,
		Degree: upload(g, make([]uint32, n)), Rows: upload(g, make([]uint32, 3*n)), Counts: upload(g, make([]uint64, n)),
		Twice: upload(g, make([]uint32, TwiceBytes(int64(len(in.nbr)))/4))}
	a.InOff, a.In = uploadRows(g, in)
	a.OutOff, a.Out = uploadRows(g, out)
	if weighted {
		a.Weighted = 1
	}
	k, err := LoadTriangles(g.Device)
	g.must(err)
	for ; a.Stage < TriangleStages; a.Stage++ {
		g.must(g.s.Fill(a.Next, 0, 8))
		for download[uint64](g, a.Next, 1)[0] < uint64(n) {
			g.must(k.Launch(g.s, &a))
		}
	}
	r := triangleCounts{download[uint64](g, a.Counts, n), download[uint32](g, a.Degree, n)}
	for _, p := range []device.Pointer{a.InOff, a.In, a.OutOff, a.Out, a.Twice, a.Degree, a.Rows, a.Counts, a.Next} {
		if p != 0 {
			g.must(g.Free(p))
		}
	}
	return r
}

// TestCUDATriangles compares triangles and degrees with those of an emulated device.
func TestCUDATriangles(t *testing.T) {
	g, e := openGPU(t), newGPU(t, device.NewEmulated(device.EmulatedOptions{}))
	defer e.Close()
	eachRows(func(name string, in, out *csc) {
		for _, weighted := range []bool{false, true} {
			want, got := countTriangles(e, in, out, weighted), countTriangles(g, in, out, weighted)
			if !slices.Equal(want.Counts, got.Counts) || !slices.Equal(want.Degrees, got.Degrees) {
				t.Errorf("%s, weighted %v: other counts: %.2000s", name, weighted, cmp.Diff(want, got))
			}
		}
	})
}

// propagate returns the labels after some iterations of kernel cdlp.
func propagate(g *gpu, in, out *csc, hub uint32, iterations int) (labels []uint32) {
	n := in.vertices()
	for v := range n {
		labels = append(labels, uint32(v))
	}
	a := CDLPArgs{N: uint32(n), Hub: hub, Labels: upload(g, labels), Next: upload(g, labels),
		Votes: upload(g, make([]uint32, n)), Hubs: upload(g, make([]uint32, n)), Best: upload(g, make([]uint64, n)),
		State: upload(g, []CDLPState{{}})}
	a.InOff, a.In = uploadRows(g, in)
	a.OutOff, a.Out = uploadRows(g, out)
	k, err := LoadCDLP(g.Device)
	g.must(err)
	for range iterations {
		before := download[uint32](g, a.Labels, n)
		g.must(g.s.Fill(a.State, 0, 24))
		g.must(k.Launch(g.s, &a))
		labels = download[uint32](g, a.Next, n)
		if changed := download[CDLPState](g, a.State, 1)[0].Changed != 0; changed == slices.Equal(before, labels) {
			g.t.Errorf("labels have changed: %v", changed)
		}
		a.Labels, a.Next = a.Next, a.Labels
	}
	for _, p := range []device.Pointer{
		a.InOff, a.In, a.OutOff, a.Out, a.Labels, a.Next, a.Votes, a.Hubs, a.Best, a.State,
	} {
		if p != 0 {
			g.must(g.Free(p))
		}
	}
	return labels
}

// TestCUDACDLP compares labels with those of an emulated device. Rows of many edges are left to blocks, or are hubs.
func TestCUDACDLP(t *testing.T) {
	g, e := openGPU(t), newGPU(t, device.NewEmulated(device.EmulatedOptions{}))
	defer e.Close()
	eachRows(func(name string, in, out *csc) {
		for _, iterations := range []int{1, 5} {
			want := propagate(e, in, out, 1<<15, iterations)
			for _, hub := range []uint32{257, 1 << 15, 1 << 30} {
				if got := propagate(g, in, out, hub, iterations); !slices.Equal(want, got) {
					t.Errorf("%s, %d iterations, hubs from %d: other labels: %.2000s", name, iterations, hub, cmp.Diff(want, got))
				}
			}
		}
	})
}

// trusses returns the results of kernel truss.
func trusses(g *gpu, in, out *csc) []uint64 {
	n, m := in.vertices(), len(in.nbr)
	edges := m / 2
	if out != nil {
		edges = m
	}
	a := TrussArgs{N: uint32(n), Milliseconds: 1, Size: upload(g, make([]uint32, n)), Best: upload(g, make([]uint64, n)),
		Edge: upload(g, make([]uint32, 2*m)), Ends: upload(g, make([]uint64, edges)),
		State: upload(g, []TrussState{{Units: uint32(n)}})}
	a.InOff, a.In = uploadRows(g, in)
	a.OutOff, a.Out = uploadRows(g, out)
	a.Nbr, a.Support, a.List = upload(g, make([]uint32, 2*m)), a.In, a.Out
	owned := []device.Pointer{a.InOff, a.In, a.OutOff, a.Out, a.Nbr, a.Edge, a.Size, a.Ends, a.Best, a.State}
	if out == nil {
		a.Nbr, a.Support, a.List = a.In, upload(g, make([]uint32, edges)), upload(g, make([]uint32, edges))
		owned = append(owned, a.Support, a.List)
	}
	k, err := LoadTruss(g.Device)
	g.must(err)
	for download[TrussState](g, a.State, 1)[0].Stage != TrussDone {
		g.must(k.Launch(g.s, &a))
	}
	best := download[uint64](g, a.Best, n)
	for _, p := range owned {
		if p != 0 {
			g.must(g.Free(p))
		}
	}
	return best
}

// TestCUDATruss compares trusses with those of an emulated device, of graphs without many edges.
func TestCUDATruss(t *testing.T) {
	g, e := openGPU(t), newGPU(t, device.NewEmulated(device.EmulatedOptions{}))
	defer e.Close()
	eachRows(func(name string, in, out *csc) {
		if len(in.nbr) > 1<<20 {
			return
		}
		if want, got := trusses(e, in, out), trusses(g, in, out); !slices.Equal(want, got) {
			t.Errorf("%s: other values: %.2000s", name, cmp.Diff(want, got))
		}
	})
}
