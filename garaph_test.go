package garaph_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/internal/results"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/store"
)

// imported imports edge lists into a graph for the time of the test.
func imported(t *testing.T, o garaph.ImportOptions, inputs ...string) *garaph.Graph {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.graph")
	if _, err := garaph.Import(context.Background(), inputs, path, o); err != nil {
		t.Fatal(err)
	}
	g, err := garaph.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// importedText imports edges in text.
func importedText(t *testing.T, o garaph.ImportOptions, edges string) *garaph.Graph {
	t.Helper()
	path := filepath.Join(t.TempDir(), "edges.txt")
	if err := os.WriteFile(path, []byte(edges), 0o666); err != nil {
		t.Fatal(err)
	}
	return imported(t, o, path)
}

// made makes a graph of edges without weights for the time of the test.
func made[I ingest.EdgeID](t *testing.T, edges [][2]I, o garaph.GraphOptions) *garaph.Graph {
	t.Helper()
	g, err := garaph.FromSlice(t.Context(), edges, nil, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// rows runs a program and returns the values by the user's ids.
func rows[V, A any](t *testing.T, g *garaph.Graph, p gas.Program[V, A], o garaph.RunOptions) map[int64]float64 {
	t.Helper()
	r, err := garaph.Run(context.Background(), g, p, o)
	var need *garaph.MemoryError
	if errors.As(err, &need) && o.Memory == starved {
		o.Memory = need.Least()
		r, err = garaph.Run(context.Background(), g, p, o)
		if err == nil && r.Report.InMemory && g.Catalogue().Vertices > 1000 {
			t.Error("the starved job had everything in memory")
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got := make(map[int64]float64)
	err = r.Table("value").Batches(func(b *results.Batch) error {
		c := &b.Columns[0]
		for i, id := range b.IDs.Ints {
			switch {
			case c.F32 != nil:
				got[id] = float64(c.F32[i])
			case c.F64 != nil:
				got[id] = c.F64[i]
			case c.V.Ints != nil:
				got[id] = float64(c.V.Ints[i])
			case len(c.Null) > 0 && c.Null[i]:
				got[id] = math.Inf(1)
			default:
				got[id] = float64(c.I64[i])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// starved stands for the least memory that a job accepts.
const starved = 1

// same compares with an expected result, within a relative tolerance.
func same(t *testing.T, name string, got, want map[int64]float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d vertices, want %d", name, len(got), len(want))
	}
	bad := 0
	for id, w := range want {
		if x, ok := got[id]; !ok || x != w && !(math.Abs(x-w) <= tolerance*math.Abs(w)) {
			if bad++; bad <= 3 {
				t.Errorf("%s: vertex %d: got %v, want %v", name, id, x, w)
			}
		}
	}
	if bad > 3 {
		t.Errorf("%s: %d vertices differ", name, bad)
	}
}

// way is a setting in which every result must be the same.
type way struct {
	name string
	o    garaph.RunOptions
}

// ways returns all of them, or a third: so many for each turn that three graphs meet all.
func ways(turn int) []way {
	var list []way
	for _, mode := range []dispatcher.Mode{dispatcher.Sync, dispatcher.Async} {
		for _, method := range []dispatcher.Method{dispatcher.Auto, dispatcher.Pull, dispatcher.NotifyPull} {
			for _, memory := range []int64{0, starved} {
				list = append(list, way{
					fmt.Sprintf("%s, %s, memory %d", mode, method, memory),
					garaph.RunOptions{Mode: mode, Method: method, Memory: memory, Threads: 3},
				})
			}
		}
	}
	return testsize.Some(list, 3, turn)
}

// TestExpected compares every program with results that NetworkX computed, in
// every mode and engine, in memory and with less memory than the graph takes.
func TestExpected(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs every program over real graphs")
	}
	data := testgraph.Shared(t)
	for turn, c := range testsize.Some([]struct {
		name       string
		undirected bool
		source     int64
		layout     store.Layout
	}{
		{"ego-Facebook", true, 1, store.Packed},
		{"as-Caida20071105", true, 5, store.CSC},
		{"soc-Slashdot0902", false, 1, store.Packed},
	}, 2, 0) {
		t.Run(c.name, func(t *testing.T) {
			o := garaph.ImportOptions{
				Edges:   garaph.EdgeOptions{Undirected: c.undirected},
				Storage: ingest.StorageOptions{ShardVertices: 128, Layout: c.layout},
			}
			g := imported(t, o, filepath.Join(data, c.name+".txt.gz"))
			weighted := imported(t, o, filepath.Join(data, c.name+"-weighted.txt.gz"))
			source, err := g.Vertex(strconv.FormatInt(c.source, 10))
			if err != nil {
				t.Fatal(err)
			}
			expected := func(what string) map[int64]float64 { return testgraph.LoadExpected(t, c.name+"-"+what) }
			ranks, labels := expected("pagerank"), expected("wcc")
			hops, lengths := expected(fmt.Sprintf("bfs-%d", c.source)), expected(fmt.Sprintf("sssp-%d", c.source))
			for _, w := range ways(turn) {
				t.Run(w.name, func(t *testing.T) {
					o := w.o
					same(t, "bfs", rows(t, g, programs.BFS{Source: source}, o), hops, 0)
					same(t, "wcc", rows(t, g, programs.WCC{}, o), labels, 0)
					same(t, "sssp", rows(t, weighted, programs.SSSP[float32]{Source: source}, o), lengths, 0)
					o.Iterations = 200
					same(t, "pagerank 64", rows(t, g, programs.PageRank[float64]{Damping: 0.85, Tolerance: 1e-8}, o), ranks, 1e-5)
					if o.Method == dispatcher.Auto {
						same(t, "pagerank 32", rows(t, g, programs.PageRank[float32]{Damping: 0.85, Tolerance: 1e-5}, o), ranks, 1e-4)
					}
				})
			}
		})
	}
}

// TestLDBC compares the programs with the example graphs of LDBC Graphalytics.
func TestLDBC(t *testing.T) {
	data := filepath.Join(testgraph.Shared(t), "ldbc")
	for turn, c := range []struct {
		name       string
		undirected bool
		source     string
	}{
		{"example-directed", false, "1"},
		{"example-undirected", true, "2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := filepath.Join(data, c.name)
			g := imported(t, garaph.ImportOptions{Edges: garaph.EdgeOptions{Undirected: c.undirected}}, base+".v", base+".e")
			source, err := g.Vertex(c.source)
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range ways(turn) {
				t.Run(w.name, func(t *testing.T) {
					o := w.o
					same(t, "BFS", rows(t, g, programs.BFS{Source: source}, o), testgraph.LoadLDBCExpected(t, c.name+"-BFS"), 0)
					same(t, "SSSP", rows(t, g, programs.SSSP[float64]{Source: source}, o),
						testgraph.LoadLDBCExpected(t, c.name+"-SSSP"), 1e-4)
					same(t, "WCC", rows(t, g, programs.WCC{}, o), testgraph.LoadLDBCExpected(t, c.name+"-WCC"), 0)
					if o.Mode == dispatcher.Sync { // the expected ranks are those after two synchronous iterations
						o.Iterations = 2
						same(t, "PR", rows(t, g, programs.PageRank[float64]{Damping: 0.85}, o),
							testgraph.LoadLDBCExpected(t, c.name+"-PR"), 1e-4)
					}
				})
			}
		})
	}
}

// TestSameBits checks that in sync mode the result has the same bits for any number of
// threads and any amount of memory.
func TestSameBits(t *testing.T) {
	data := testgraph.Shared(t)
	g := imported(t, garaph.ImportOptions{Storage: ingest.StorageOptions{ShardVertices: 1000}},
		filepath.Join(data, "soc-Slashdot0902.txt.gz"))
	p := programs.PageRank[float32]{Damping: 0.85}
	want := rows(t, g, p, garaph.RunOptions{Threads: 1, Iterations: 20})
	for turn, threads := range []int{2, 3, 8, 17} {
		for _, memory := range testsize.Some([]int64{0, starved}, 2, turn) {
			got := rows(t, g, p, garaph.RunOptions{Threads: threads, Iterations: 20, Memory: memory})
			same(t, fmt.Sprintf("%d threads, memory %d", threads, memory), got, want, 0)
		}
	}
}
