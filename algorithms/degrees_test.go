package algorithms_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/store"
)

// TestDegrees counts the edges of the named graphs, in shards of few vertices.
func TestDegrees(t *testing.T) {
	for _, g := range testgraph.All() {
		in, out, both := make([]int64, g.Graph.N), make([]int64, g.Graph.N), make([]int64, g.Graph.N)
		for _, e := range g.Graph.Edges {
			in[e.Dst]++
			out[e.Src]++
			both[e.Dst]++
			both[e.Src]++
		}
		s := teststore.Build(t, g.Graph, teststore.Options{ShardVertices: 50, Layout: store.Packed})
		for _, test := range []struct {
			degrees algorithms.Degrees
			want    []int64
		}{{algorithms.Degrees{}, both}, {algorithms.Degrees{NotOut: true}, in}, {algorithms.Degrees{NotIn: true}, out}} {
			for _, threads := range []int{1, 3} {
				if got, _ := run(t, s, test.degrees, algorithms.Options{Threads: threads, Memory: starved}); !slices.Equal(got,
					test.want) {
					t.Errorf("%s, %+v: %v, want %v", g.Name, test.degrees, got, test.want)
				}
			}
		}
		s = teststore.Build(t, g.Graph, teststore.Options{Symmetric: true, ShardVertices: 50, Layout: store.Packed})
		rows, _ := run(t, s, algorithms.Strength{}, algorithms.Options{}) // their lengths
		for _, d := range []algorithms.Degrees{{}, {NotIn: true}, {NotOut: true}} {
			if got, report := run(t, s, d, algorithms.Options{}); fmt.Sprint(got) != fmt.Sprint(rows) ||
				report.Totals[0].Value != slices.Max(got) {
				t.Errorf("%s, undirected, %+v: %v, want %v; %v", g.Name, d, got, rows, report.Totals)
			}
		}
	}
}
