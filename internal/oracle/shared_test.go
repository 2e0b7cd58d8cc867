package oracle_test

import (
	"math"
	"testing"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
)

// realGraphs has the graphs of shared/data, with the source of BFS and SSSP as a name
// and as a vertex.
var realGraphs = []struct {
	name       string
	undirected bool
	sourceName string
	source     int64
}{
	{"ego-Facebook", true, "1", 1},
	{"as-Caida20071105", true, "5", 5},
	{"soc-Slashdot0902", false, "1", 1},
}

// compare compares one value per vertex with what is expected, within a
// relative tolerance.
func compare(
	t *testing.T, what string, ids []int64, want map[int64]float64, tolerance float64, got func(v int) float64,
) {
	t.Helper()
	if len(ids) != len(want) {
		t.Fatalf("%s: %d vertices, but %d expected values", what, len(ids), len(want))
	}
	worst := 0.0
	for v, id := range ids {
		w, ok := want[id]
		g := got(v)
		if !ok || math.IsInf(w, 1) != math.IsInf(g, 1) {
			t.Fatalf("%s of %d: got %v, want %v (present: %v)", what, id, g, w, ok)
		}
		if g != w {
			worst = max(worst, math.Abs(g-w)/math.Abs(w))
		}
	}
	if !(worst <= tolerance) {
		t.Errorf("%s: relative error %g above %g", what, worst, tolerance)
	}
	t.Logf("%s: %d vertices, relative error at most %g", what, len(ids), worst)
}

func hops(h int64) float64 {
	if h == gas.Unreached {
		return math.Inf(1)
	}
	return float64(h)
}

// TestReal compares the oracles with NetworkX.
func TestReal(t *testing.T) {
	for _, c := range realGraphs {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && c.name == "soc-Slashdot0902" {
				t.Skip("half a minute with the race detector")
			}
			ids, g := testgraph.LoadEdges(t, c.name, c.undirected)
			source := uint32(indexOf(t, ids, c.source))

			rank := oracle.PageRank(g, 0.85, -1, 0, 1e-14)
			compare(t, "PageRank", ids, testgraph.LoadExpected(t, c.name+"-pagerank"),
				1e-9, func(v int) float64 { return rank[v] })
			bfs := oracle.BFS(g, source)
			compare(t, "BFS", ids, testgraph.LoadExpected(t, c.name+"-bfs-"+c.sourceName),
				0, func(v int) float64 { return hops(bfs[v]) })
			wcc := oracle.WCC(g)
			compare(t, "WCC", ids, testgraph.LoadExpected(t, c.name+"-wcc"),
				0, func(v int) float64 { return float64(ids[wcc[v]]) })

			weightedIDs, weighted := testgraph.LoadEdges(t, c.name+"-weighted", c.undirected)
			sssp := oracle.SSSP(weighted, source)
			compare(t, "SSSP", weightedIDs, testgraph.LoadExpected(t, c.name+"-sssp-"+c.sourceName),
				0, func(v int) float64 { return sssp[v] })
		})
	}
}

// TestLDBC compares the oracles with the reference outputs of LDBC
// Graphalytics, whose tolerance is 1e-4; here the floats of the input, which
// are rounded to 32 bits, are all that differs.
func TestLDBC(t *testing.T) {
	for _, name := range []string{"example-directed", "example-undirected"} {
		t.Run(name, func(t *testing.T) {
			d := testgraph.LoadLDBC(t, name)
			source := uint32(indexOf(t, d.IDs, d.Source))

			rank := oracle.PageRank(d.Graph, d.Damping, -1, d.Iterations, 0)
			compare(t, "PR", d.IDs, testgraph.LoadLDBCExpected(t, name+"-PR"), 1e-14, func(v int) float64 { return rank[v] })
			bfs := oracle.BFS(d.Graph, source)
			compare(t, "BFS", d.IDs, testgraph.LoadLDBCExpected(t, name+"-BFS"), 0, func(v int) float64 { return hops(bfs[v]) })
			wcc := oracle.WCC(d.Graph)
			compare(t, "WCC", d.IDs, testgraph.LoadLDBCExpected(t, name+"-WCC"),
				0, func(v int) float64 { return float64(d.IDs[wcc[v]]) })
			sssp := oracle.SSSP(d.Graph, source)
			compare(t, "SSSP", d.IDs, testgraph.LoadLDBCExpected(t, name+"-SSSP"), 1e-6, func(v int) float64 { return sssp[v] })
		})
	}
}

func indexOf(t *testing.T, ids []int64, id int64) int {
	t.Helper()
	for i, x := range ids {
		if x == id {
			return i
		}
	}
	t.Fatalf("there is no vertex %d", id)
	return 0
}
