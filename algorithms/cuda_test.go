//go:build cuda

package algorithms_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

// TestCUDAComponents compares components of a GPU with the oracle's.
func TestCUDAComponents(t *testing.T) {
	g := tangled(300_000, 3)
	want, _ := components(g)
	for _, layout := range []store.Layout{store.CSC, store.Packed} {
		for _, symmetric := range []bool{false, true} {
			s := teststore.Build(t, g, teststore.Options{Layout: layout, Symmetric: symmetric, ShardVertices: 12288})
			got, report := run(t, s, algorithms.Components{}, algorithms.Options{Device: algorithms.GPU})
			if !slices.Equal(got, want) {
				t.Errorf("%v, symmetric %v: other values", layout, symmetric)
			}
			t.Logf("%s: %v of %v", report.GPU, report.Kernels, report.Duration)
		}
	}
}

// TestCUDARows compares triangles, coefficients, trusses and labels of a GPU with those of the CPU.
func TestCUDARows(t *testing.T) {
	for name, g := range map[string]oracle.Graph{"tangled": tangled(300_000, 3), "many triangles": manyTriangles()} {
		for _, layout := range []store.Layout{store.CSC, store.Packed} {
			for _, symmetric := range []bool{false, true} {
				s := teststore.Build(t, g, teststore.Options{Layout: layout, Symmetric: symmetric, ShardVertices: 12288})
				t.Logf("%s, %v, symmetric %v", name, layout, symmetric)
				sameOnGPU(t, s, algorithms.Triangles{})
				sameOnGPU(t, s, algorithms.LCC{})
				sameOnGPU(t, s, algorithms.Truss{})
				sameOnGPU(t, s, algorithms.CDLP{Iterations: 10})
				sameOnGPU(t, s, Mutual{})
			}
		}
	}
}

func sameOnGPU[T algorithms.Value](t *testing.T, s *store.Store, a algorithms.Algorithm[T]) {
	want, cpu := run(t, s, a, algorithms.Options{Device: algorithms.CPU})
	got, gpu := run(t, s, a, algorithms.Options{Device: algorithms.GPU})
	if !slices.Equal(got, want) || !reflect.DeepEqual(cpu.Totals, gpu.Totals) {
		t.Errorf("%T: other values, or totals %v instead of %v", a, gpu.Totals, cpu.Totals)
	}
	t.Logf("%T: %v of %v, CPU %v", a, gpu.Kernels, gpu.Duration, cpu.Duration)
}

// TestCUDAWalks compares walks of a GPU with those of the CPU.
func TestCUDAWalks(t *testing.T) {
	for _, o := range []teststore.Options{
		{Layout: store.Packed}, {Layout: store.CSC, Symmetric: true}, {Layout: store.Packed, Weighted: true},
		{Layout: store.Packed, Weighted: true, Wide: true},
	} {
		sameWalks(t, 300_000, 1, 1, o)
		sameWalks(t, 300_000, 0.5, 2, o)
		sameWalks(t, 3000, 1e6, 4e6, o) // most steps reject 64 edges
	}
}

func sameWalks(t *testing.T, vertices uint32, p, q float64, o teststore.Options) {
	g := tangled(vertices, 3)
	for i := range g.Edges {
		g.Edges[i].Weight = float32(i % 7)
	}
	o.ShardVertices = 12288
	s := teststore.Build(t, g, o)
	c := algorithms.Walks{Length: 20, Walks: 2, Seed: 7, P: p, Q: q}
	var both []output[gas.VertexID]
	for _, d := range []algorithms.Device{algorithms.CPU, algorithms.GPU} {
		out, err := algorithms.Run(t.Context(), s, c, algorithms.Options{Device: d})
		if err != nil {
			t.Fatal(err)
		}
		both = append(both, outputOf(out))
		t.Logf("%+v, %+v: %v of %v on %s", o, c, out.Report.Kernels, out.Report.Duration, d)
		out.Close()
	}
	if !reflect.DeepEqual(both[0], both[1]) {
		t.Errorf("%+v, %+v: other walks", o, c)
	}
}
