package kernels

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
)

// labelling is the kernel components and its memory for a graph.
type labelling struct {
	*gpu
	kernel Components
	args   ComponentsArgs
}

// newLabelling copies a graph to a device. Rows have both directions of every edge, or one.
func newLabelling(g *gpu, graph *csc, symmetric bool) *labelling {
	g.t.Helper()
	l := &labelling{gpu: g, args: ComponentsArgs{Off: upload(g, graph.off), Nbr: upload(g, graph.nbr),
		Arrived: upload(g, []uint32{0}), N: uint32(graph.vertices())}}
	var err error
	l.args.Parent, err = g.Alloc(4 * int64(graph.vertices()))
	g.must(err)
	if symmetric {
		l.args.Symmetric = 1
	}
	l.kernel, err = LoadComponents(g.Device)
	g.must(err)
	return l
}

// labels launches the kernel.
func (l *labelling) labels() []uint32 {
	l.t.Helper()
	l.must(l.s.Fill(l.args.Arrived, 0, 4))
	l.must(l.kernel.Launch(l.s, &l.args))
	return download[uint32](l.gpu, l.args.Parent, int(l.args.N))
}

func (l *labelling) free() {
	for _, p := range []device.Pointer{l.args.Off, l.args.Nbr, l.args.Parent, l.args.Arrived} {
		l.must(l.Free(p))
	}
}

// inRows are the in-edges of a graph; if it is to be symmetric, they are also its out-edges.
func inRows(g oracle.Graph, symmetric bool) *csc {
	rows := make([][]uint32, g.N)
	for _, e := range g.Edges {
		rows[e.Dst] = append(rows[e.Dst], e.Src)
		if symmetric && e.Src != e.Dst {
			rows[e.Src] = append(rows[e.Src], e.Dst)
		}
	}
	return ofRows(rows)
}

// ofRows is a graph of rows, which it sorts.
func ofRows(rows [][]uint32) *csc {
	c := &csc{off: []uint64{0}}
	for _, row := range rows {
		slices.Sort(row)
		c.nbr = append(c.nbr, row...)
		c.off = append(c.off, uint64(len(c.nbr)))
	}
	return c
}

// labelSmall compares the components of small graphs with the oracle's.
func labelSmall(t *testing.T, g *gpu) {
	same := func(graph oracle.Graph, symmetric bool) string {
		l := newLabelling(g, inRows(graph, symmetric), symmetric)
		defer l.free()
		return cmp.Diff(oracle.WCC(graph), l.labels())
	}
	// Vertex 3 is in a row of the component with most edges alone, and not among the first two.
	third := testgraph.Named{Name: "third neighbour", Graph: oracle.Graph{N: 4, Edges: []oracle.Edge{
		{Src: 1, Dst: 0}, {Src: 2, Dst: 0}, {Src: 3, Dst: 0}, {Src: 0, Dst: 1}, {Src: 0, Dst: 2},
	}}}
	for _, x := range append(testgraph.All(), third) {
		for _, symmetric := range []bool{false, true} {
			if diff := same(x.Graph, symmetric); diff != "" {
				t.Errorf("%s, symmetric %v: %s", x.Name, symmetric, diff)
			}
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		if diff := same(testgraph.Draw(r), rapid.Bool().Draw(r, "symmetric")); diff != "" {
			r.Fatal(diff)
		}
	})
}

// TestComponents compares components on the emulated device with the oracle's.
func TestComponents(t *testing.T) {
	d := device.NewEmulated(device.EmulatedOptions{})
	defer d.Close()
	labelSmall(t, newGPU(t, d))
}

// TestComponentsBarrier checks that a launch whose count of arrived blocks is not 0 fails, instead of
// going on before all blocks are there.
func TestComponentsBarrier(t *testing.T) {
	d := device.NewEmulated(device.EmulatedOptions{})
	defer d.Close()
	l := newLabelling(newGPU(t, d), inRows(testgraph.Path(), false), false)
	l.labels()
	l.must(l.kernel.Launch(l.s, &l.args))
	if err := l.s.Sync(); err == nil {
		t.Error("launched twice without setting it to 0")
	}
}
