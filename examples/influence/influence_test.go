package influence

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
)

// TestInfluence compares jobs on the CPU and on an emulated GPU with a loop over all edges.
func TestInfluence(t *testing.T) {
	const n, iterations = 200, 5
	g := oracle.Graph{N: n}
	r := rand.New(rand.NewPCG(1, 2))
	in := make([]uint32, n)
	for range 2000 {
		e := oracle.Edge{Src: r.Uint32N(n), Dst: r.Uint32N(n), Weight: r.Float32()}
		g.Edges = append(g.Edges, e)
		in[e.Dst]++
	}
	p := Influence{}
	want, next := make([]Person, n), make([]Person, n)
	for v := range want {
		want[v], _ = p.Init(gas.Vertex{ID: uint32(v), N: n, In: in[v]})
	}
	for i := range iterations {
		acc := make([]float64, n)
		for _, e := range g.Edges {
			acc[e.Dst] = p.Sum(acc[e.Dst], p.Gather(want[e.Src], gas.Edge{Weight: float64(e.Weight)}, want[e.Dst]))
		}
		for v := range next {
			next[v] = p.Apply(gas.Vertex{ID: uint32(v), N: n}, want[v], acc[v], gas.Step{Iteration: i})
		}
		want, next = next, want
	}
	s := teststore.Build(t, g, teststore.Options{Weighted: true})
	for _, o := range []dispatcher.Options{
		{Device: dispatcher.CPU},
		{Device: dispatcher.GPU, GPU: dispatcher.GPUOptions{Name: "emulated"}},
	} {
		o.Iterations = iterations
		job, err := dispatcher.New(s, gas.Program[Person, float64](p), o)
		if err != nil {
			t.Fatal(err)
		}
		defer job.Close()
		if _, err := job.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		err = job.ValuesOf(0, s.Catalogue().Vertices, func(vs []gas.Vertex, values []Person) error {
			for i, v := range vs {
				got, want := values[i], want[v.ID]
				if math.Abs(got.Opinion-want.Opinion) > 1e-9*want.Opinion || got.Age != want.Age {
					t.Errorf("%s: vertex %d is at %v, want %v", o.Device, v.ID, got, want)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
