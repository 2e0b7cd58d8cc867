package algorithms_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	_ "github.com/garaph/garaph/internal/testsize" // fewer random cases
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

// output is all that a run returns, in the Go heap.
type output[T algorithms.Value] struct {
	Values  []T
	Columns []algorithms.Column
	Keys    []gas.VertexID
	Totals  []algorithms.Total
}

func (o output[T]) total(name string) any {
	for _, t := range o.Totals {
		if t.Name == name {
			return t.Value
		}
	}
	return nil
}

// runs runs an algorithm with 1 and 7 threads, with 2 in the least memory, and on an emulated GPU if it can be, and
// checks that all it returns is the same.
func runs[T algorithms.Value](t rapid.TB, s *store.Store, a algorithms.Algorithm[T]) output[T] {
	t.Helper()
	var first *output[T]
	ways := []algorithms.Options{{Threads: 1}, {Threads: 2, Memory: starved}, {Threads: 7}}
	if algorithms.HasGPU(a) {
		ways = append(ways, algorithms.Options{Device: algorithms.GPU, GPU: device.EmulatedName})
	}
	for _, o := range ways {
		out, err := algorithms.Run(context.Background(), s, a, o)
		var need *algorithms.MemoryError
		if errors.As(err, &need) && o.Memory == starved {
			o.Memory = need.Least()
			out, err = algorithms.Run(context.Background(), s, a, o)
		}
		if err != nil {
			t.Fatalf("%T: %v", a, err)
		}
		got := outputOf(out)
		out.Close()
		if first == nil {
			first = &got
		} else if !reflect.DeepEqual(*first, got) {
			t.Fatalf("%T, %+v: %s", a, o, cmp.Diff(*first, got))
		}
	}
	return *first
}

// outputOf copies the outcome of a run.
func outputOf[T algorithms.Value](out *algorithms.Outcome[T]) output[T] {
	got := output[T]{Values: slices.Clone(out.Values), Keys: slices.Clone(out.Keys), Totals: out.Report.Totals}
	for _, c := range out.Columns {
		switch x := c.Values.(type) {
		case []float64:
			c.Values = slices.Clone(x)
		case []int64:
			c.Values = slices.Clone(x)
		case []gas.VertexID:
			c.Values = slices.Clone(x)
		}
		got.Columns = append(got.Columns, c)
	}
	return got
}

// cases calls check with the named graphs and random ones, stored directed and undirected. g has the stored edges.
func cases(t *testing.T, weighted bool, check func(t rapid.TB, s *store.Store, g oracle.Graph, symmetric bool)) {
	for i, g := range testgraph.All() {
		for _, symmetric := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, symmetric %v", g.Name, symmetric), func(t *testing.T) {
				layout := []store.Layout{store.Packed, store.CSC}[i%2]
				if weighted {
					layout = store.Packed
				}
				o := teststore.Options{Symmetric: symmetric, Layout: layout, Weighted: weighted}
				s := teststore.Build(t, g.Graph, o)
				if symmetric {
					g.Graph = teststore.Mirrored(g.Graph)
				}
				check(t, s, g.Graph, symmetric)
			})
		}
	}
	t.Run("random", func(t *testing.T) {
		folder := t.TempDir()
		rapid.Check(t, func(r *rapid.T) {
			g := testgraph.Draw(r)
			if rapid.Bool().Draw(r, "dense") {
				g = drawDense(r)
			}
			o := teststore.Draw(r)
			o.Weighted, o.Wide = weighted, o.Wide && weighted
			if weighted {
				o.Layout = store.Packed
			}
			s, err := teststore.BuildIn(folder, g, o)
			if err != nil {
				r.Fatal(err)
			}
			defer s.Close()
			if o.Symmetric {
				g = teststore.Mirrored(g)
			}
			check(r, s, g, o.Symmetric)
		})
	})
}

// close64 compares floats within a relative tolerance.
func close64(t rapid.TB, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for v := range want {
		if !(math.Abs(got[v]-want[v]) <= tolerance*max(1, math.Abs(want[v]))) {
			t.Fatalf("%s: vertex %d: got %v, want %v", what, v, got[v], want[v])
		}
	}
}

// ldbc calls check with the example graphs of LDBC Graphalytics and what is expected of an algorithm, by vertex.
func ldbc(t *testing.T, algorithm string, check func(t *testing.T, s *store.Store, d testgraph.LDBC, want []float64)) {
	for _, name := range []string{"example-directed", "example-undirected"} {
		t.Run(name, func(t *testing.T) {
			d := testgraph.LoadLDBC(t, name)
			g := d.Graph
			if !d.Directed {
				g.Edges = slices.DeleteFunc(slices.Clone(g.Edges), func(e oracle.Edge) bool { return e.Src > e.Dst })
			}
			s := teststore.Build(t, g, teststore.Options{Symmetric: !d.Directed, Layout: store.Packed})
			expected := testgraph.LoadLDBCExpected(t, name+"-"+algorithm)
			want := make([]float64, len(d.IDs))
			for v, id := range d.IDs {
				want[v] = expected[id]
			}
			check(t, s, d, want)
		})
	}
}
