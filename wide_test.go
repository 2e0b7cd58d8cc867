package garaph_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/export"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/ingest/format/adjacency"
	"github.com/garaph/garaph/ingest/format/columns"
	"github.com/garaph/garaph/ingest/format/gap"
	"github.com/garaph/garaph/ingest/format/mtx"
	"github.com/garaph/garaph/ingest/format/text"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/store"
)

// wideEdge is an edge whose weight float32 does not hold.
type wideEdge struct {
	src, dst uint32
	weight   uint64
}

// wideEdges returns those of a skewed graph, with weights up to 2^40, some of them small.
func wideEdges(scale int) (list []wideEdge, text string) {
	rng := rand.New(rand.NewPCG(5, 6))
	var b strings.Builder
	for _, e := range testgraph.Skewed(scale, 16<<scale, 3).Edges {
		w := wideEdge{e.Src, e.Dst, rng.Uint64N(1 << rng.IntN(41))}
		list = append(list, w)
		fmt.Fprintln(&b, w.src, w.dst, w.weight)
	}
	return list, b.String()
}

// integerDistances returns the distances from a vertex, computed with integers by relaxing edges until none changes.
func integerDistances(edges []wideEdge, source uint32, symmetric bool) map[int64]float64 {
	const unreached = math.MaxUint64
	var n uint32
	for _, e := range edges {
		n = max(n, e.src+1, e.dst+1)
	}
	distance := slices.Repeat([]uint64{unreached}, int(n))
	distance[source] = 0
	relax := func(u, v uint32, w uint64) bool {
		if distance[u] == unreached || distance[v] <= distance[u]+w {
			return false
		}
		distance[v] = distance[u] + w
		return true
	}
	for changed := true; changed; {
		changed = false
		for _, e := range edges {
			changed = relax(e.src, e.dst, e.weight) || symmetric && relax(e.dst, e.src, e.weight) || changed
		}
	}
	all := map[int64]float64{}
	for _, e := range edges {
		for _, v := range []uint32{e.src, e.dst} {
			if all[int64(v)] = float64(distance[v]); distance[v] == unreached {
				all[int64(v)] = math.Inf(1)
			}
		}
	}
	return all
}

// TestWideWeights checks that distances over integer weights up to 2^40 are those of integers, in every
// layout and method, in memory and out of it, on one vertex with most edges too, and where jobs are
// resumed.
func TestWideWeights(t *testing.T) {
	edges, text := wideEdges(10)
	for turn, c := range []struct {
		layout     store.Layout
		undirected bool
		rows       bool
	}{{store.Packed, false, false}, {store.CSC, false, false}, {store.Packed, true, false}, {store.CSC, true, false},
		{store.Packed, false, true}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			g := importedText(t, garaph.ImportOptions{
				Edges:   garaph.EdgeOptions{Undirected: c.undirected},
				Storage: ingest.StorageOptions{Layout: c.layout, ShardVertices: 50, Rows: c.rows},
			}, text)
			if cat := g.Catalogue(); !cat.Wide || cat.Weights.Most() < 1<<39 || cat.Weights.Unit != 0 {
				t.Fatalf("wide %v, %+v", cat.Wide, cat.Weights)
			}
			source := edges[0].src
			id, err := g.Vertex(fmt.Sprint(source))
			if err != nil {
				t.Fatal(err)
			}
			want := integerDistances(edges, source, c.undirected)
			p := programs.SSSP[float64]{Source: id}
			list := append(ways(turn), way{"frontier", garaph.RunOptions{Method: dispatcher.Frontier, Threads: 2}},
				way{"one thread", garaph.RunOptions{Threads: 1}},
				way{"emulated", garaph.RunOptions{GPU: garaph.GPUOptions{Name: "emulated"}}})
			for _, w := range list {
				same(t, w.name, rows(t, g, p, w.o), want, 0)
			}
			testWideWidths(t, g, edges, source, id, c.undirected)
			testWideGPU(t, g, p, want, "emulated")
			same(t, "hops on a GPU", rows(t, g, programs.BFS{Source: id},
				garaph.RunOptions{Device: dispatcher.GPU, GPU: garaph.GPUOptions{Name: "emulated"}}),
				rows(t, g, programs.BFS{Source: id}, garaph.RunOptions{Device: dispatcher.CPU}), 0)
			testWideParents(t, g, p, edges, c.undirected)
		})
	}
}

// testWideGPU compares distances that a GPU computes.
func testWideGPU(t *testing.T, g *garaph.Graph, p programs.SSSP[float64], want map[int64]float64, gpu string) {
	for _, o := range []garaph.RunOptions{
		{Device: dispatcher.GPU},
		{Device: dispatcher.GPU, GPU: garaph.GPUOptions{Gather: gpuengine.GatherSegmented}, Mode: dispatcher.Async},
		{Device: dispatcher.Hybrid, GPU: garaph.GPUOptions{Gather: gpuengine.GatherReplicated}},
	} {
		o.GPU.Name = gpu
		same(t, fmt.Sprint(o.Device, o.GPU.Gather), rows(t, g, p, o), want, 0)
	}
}

// testWideWidths looks whether widths are weights, and no wider path is an edge away.
func testWideWidths(t *testing.T, g *garaph.Graph, edges []wideEdge, source, id uint32, undirected bool) {
	widths := rows(t, g, programs.SSWP[float64]{Source: id}, garaph.RunOptions{})
	weights := map[float64]bool{math.Inf(1): true, math.Inf(-1): true}
	for _, e := range edges {
		w := float64(e.weight)
		weights[w] = true
		if got := widths[int64(e.dst)]; got < min(widths[int64(e.src)], w) ||
			undirected && widths[int64(e.src)] < min(got, w) {
			t.Fatalf("vertex %d has width %v, and its neighbour %d, over a weight of %v, %v",
				e.dst, got, e.src, w, widths[int64(e.src)])
		}
	}
	for v, width := range widths {
		if !weights[width] || (width == math.Inf(1)) != (v == int64(source)) {
			t.Fatalf("vertex %d has width %v", v, width)
		}
	}
}

// testWideParents looks whether parents explain distances.
func testWideParents(t *testing.T, g *garaph.Graph, p programs.SSSP[float64], edges []wideEdge, undirected bool) {
	r, err := garaph.RunWithParents(t.Context(), g, p, garaph.RunOptions{}, func(algorithms.Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	weights := map[[2]string][]float64{}
	for _, e := range edges {
		u, v, w := fmt.Sprint(e.src), fmt.Sprint(e.dst), float64(e.weight)
		weights[[2]string{u, v}] = append(weights[[2]string{u, v}], w)
		if undirected {
			weights[[2]string{v, u}] = append(weights[[2]string{v, u}], w)
		}
	}
	to, err := g.Vertex(fmt.Sprint(edges[len(edges)-1].dst))
	if err != nil {
		t.Fatal(err)
	}
	path, lengths, err := garaph.PathTo[float64](r, to)
	if err != nil {
		t.Fatal(err)
	}
	name := func(v uint32) string {
		id, err := g.ID(gas.VertexID(v))
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	for i := 1; i < len(path); i++ {
		step := [2]string{name(path[i-1]), name(path[i])}
		if !slices.Contains(weights[step], lengths[i]-lengths[i-1]) {
			t.Errorf("a step of %v from %s to %s, of weights %v", lengths[i]-lengths[i-1], step[0], step[1], weights[step])
		}
	}
}

// TestWideResume checks that a job over wide weights that was interrupted gives the same.
func TestWideResume(t *testing.T) {
	_, text := wideEdges(9)
	g := importedText(t, garaph.ImportOptions{Storage: ingest.StorageOptions{ShardVertices: 50}}, text)
	w := workOf[float64, float64]("sssp64", true, programs.SSSP[float64]{Source: 1})
	r, err := w.run(t.Context(), g, garaph.RunOptions{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	want, all := written(t, r), len(r.Report.Iterations)
	r.Close()
	for stop := range min(all, 3) {
		interruptAndResume(t, g, w, garaph.RunOptions{Threads: 2, Checkpoints: garaph.Checkpoints{Every: 1}}, stop, all, want)
	}
}

// TestWideExport checks that a graph with wide weights that is exported and imported again is an equal
// one, in every format that has weights of 64 bits, and an error in others.
func TestWideExport(t *testing.T) {
	for name, edges := range map[string]string{
		"integers":  "1 2 16777217\n2 3 9007199254740991\n3 1 1\n1 3 0\n",
		"fractions": "1 2 0.1\n2 3 0.3333333333333333\n3 1 1e-300\n1 3 16777217.5\n",
	} {
		for _, undirected := range []bool{false, true} {
			g := importedText(t,
				garaph.ImportOptions{Weights: ingest.WeightsFloat64, Edges: garaph.EdgeOptions{Undirected: undirected}}, edges)
			for _, format := range export.Formats() {
				if format == adjacency.Ligra && undirected { // lists both directions, which no import knows
					continue
				}
				t.Run(fmt.Sprintf("%s, %s, undirected %v", name, format, undirected), func(t *testing.T) {
					var b bytes.Buffer
					_, err := g.Export(t.Context(), &b, garaph.ExportOptions{Format: format})
					switch format {
					case text.EL, gap.SG, gap.Raw, gap.RawW, adjacency.METIS, gap.WSG:
						if err == nil {
							t.Error("it has no room for such weights, and is no error")
						}
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					file := filepath.Join(t.TempDir(),
						"edges."+map[export.Format]string{text.LDBC: "e", text.DIMACS: "gr", adjacency.Ligra: "adj"}[format])
					if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
						t.Fatal(err)
					}
					o := garaph.ImportOptions{
						Format: format, Weights: ingest.WeightsFloat64, Edges: garaph.EdgeOptions{Undirected: undirected},
					}
					switch format {
					case text.CSV:
						o.Format = text.Text
					case columns.Arrows:
						o.Format = columns.Arrow
					}
					back := imported(t, o, file)
					if got, want := weightsOf(t, back), weightsOf(t, g); !back.Catalogue().Wide || !slices.Equal(got, want) {
						t.Errorf("weights %v, want %v", got, want)
					}
				})
			}
		}
	}
}

// weightsOf returns the weights of all edges, ascending.
func weightsOf(t *testing.T, g *garaph.Graph) (list []float64) {
	t.Helper()
	n, err := garaph.NeighborsOf[int64](g)
	if err != nil {
		t.Fatal(err)
	}
	ids, err := garaph.IDsOf[int64](g)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		for _, w := range n.Out(id) {
			list = append(list, w)
		}
	}
	if n.Err() != nil {
		t.Fatal(n.Err())
	}
	slices.Sort(list)
	return list
}

// TestWeightModes checks which weights are exact, in each mode.
func TestWeightModes(t *testing.T) {
	const big, third = 16777217, 0.3333333333333333
	joined := func(p ingest.Parallel, m ingest.WeightMode) garaph.ImportOptions {
		return garaph.ImportOptions{Weights: m, Edges: garaph.EdgeOptions{Parallel: p}}
	}
	for _, c := range []struct {
		name  string
		o     garaph.ImportOptions
		edges string
		want  []float64
		wide  bool
	}{
		{"small", garaph.ImportOptions{}, "1 2 16777216\n2 3 3\n", []float64{3, 1 << 24}, false},
		{"large, as float32 has it", garaph.ImportOptions{}, "1 2 1099511627776\n2 3 3\n", []float64{3, 1 << 40}, false},
		{"integers", garaph.ImportOptions{}, "1 2 16777217\n2 3 3\n", []float64{3, big}, true},
		{"yes", garaph.ImportOptions{Weights: ingest.WeightsYes}, "1 2 16777217\n2 3 3\n", []float64{3, big}, true},
		{"float32", garaph.ImportOptions{Weights: ingest.WeightsFloat32},
			"1 2 16777217\n2 3 3\n", []float64{3, 1 << 24}, false},
		{"no", garaph.ImportOptions{Weights: ingest.WeightsNo}, "1 2 16777217\n2 3 3\n", []float64{1, 1}, false},
		{"fractions", garaph.ImportOptions{}, "1 2 0.1\n2 3 0.3333333333333333\n",
			[]float64{float64(float32(0.1)), float64(float32(third))}, false},
		{"fractions beside integers", garaph.ImportOptions{}, "1 2 0.1\n2 3 16777217\n",
			[]float64{float64(float32(0.1)), big}, true},
		{"float64", garaph.ImportOptions{Weights: ingest.WeightsFloat64},
			"1 2 0.1\n2 3 0.3333333333333333\n", []float64{0.1, third}, true},
		{"float64 without need", garaph.ImportOptions{Weights: ingest.WeightsFloat64},
			"1 2 0.5\n2 3 7\n", []float64{0.5, 7}, false},
		{"a point", garaph.ImportOptions{}, "1 2 16777217.0\n2 3 1.6777219e7\n", []float64{big, big + 2}, true},
		{"2^53", garaph.ImportOptions{}, "1 2 9007199254740991\n2 3 9007199254740992\n", []float64{1<<53 - 1, 1 << 53}, true},
		{"beyond 2^53", garaph.ImportOptions{}, "1 2 9007199254740993\n2 3 1e30\n",
			[]float64{1 << 53, float64(float32(1e30))}, false},
		{"beyond 2^53, float64", garaph.ImportOptions{Weights: ingest.WeightsFloat64}, "1 2 9007199254740993\n2 3 1e30\n",
			[]float64{1 << 53, 1e30}, true},
		{"sum", joined(garaph.ParallelSum, ""), "1 2 16777217\n1 2 1099511627775\n2 3 3\n1 2 1\n",
			[]float64{3, 16777217 + 1099511627776}, true},
		{"sum of small ones, rounded", joined(garaph.ParallelSum, ""),
			"1 2 16777216\n1 2 1\n2 3 3\n", []float64{3, 1 << 24}, false},
		{"sum of small ones", joined(garaph.ParallelSum, ingest.WeightsFloat64),
			"1 2 16777216\n1 2 1\n2 3 3\n", []float64{3, big}, true},
		{"least", joined(garaph.ParallelMin, ""), "1 2 16777219\n1 2 16777217\n2 3 16777221\n",
			[]float64{16777217, 16777221}, true},
		{"largest", joined(garaph.ParallelMax, ""),
			"1 2 1099511627775\n1 2 16777217\n2 3 3\n", []float64{3, 1<<40 - 1}, true},
		{"parallel edges", garaph.ImportOptions{}, "1 2 1099511627775\n1 2 16777217\n1 2 3\n",
			[]float64{3, big, 1<<40 - 1}, true},
		{"late, ids from a map", garaph.ImportOptions{},
			"1 2 5\n900000000000 2 16777217\n2 7 6\n", []float64{5, 6, big}, true},
		{"undirected", garaph.ImportOptions{Edges: garaph.EdgeOptions{Undirected: true}}, "1 2 16777217\n2 3 3\n",
			[]float64{3, 3, big, big}, true},
		{"dimacs", garaph.ImportOptions{Format: text.DIMACS},
			"p sp 3 2\na 1 2 16777217\na 2 3 3\n", []float64{3, big}, true},
		{"matrix market", garaph.ImportOptions{Format: mtx.Name},
			"%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 16777217\n2 3 3\n", []float64{3, big}, true},
		{"metis", garaph.ImportOptions{Format: adjacency.METIS}, "3 2 1\n2 16777217\n1 16777217 3 3\n2 3\n",
			[]float64{3, 3, big, big}, true},
		{"ligra", garaph.ImportOptions{Format: adjacency.Ligra},
			"WeightedAdjacencyGraph\n3\n2\n0\n1\n2\n1\n2\n16777217\n3\n", []float64{3, big}, true},
		{"csv", garaph.ImportOptions{}, "source,target,weight\n1,2,16777217\n2,3,3\n", []float64{3, big}, true},
	} {
		for _, layout := range []store.Layout{store.Packed, store.CSC} {
			t.Run(c.name+", "+string(layout), func(t *testing.T) {
				c.o.Storage.Layout = layout
				g := importedText(t, c.o, c.edges)
				if layout == store.CSC && !g.Catalogue().Symmetric {
					if got := g.Catalogue().Wide; got != c.wide { // which has no weights of out-edges
						t.Errorf("wide: %v", got)
					}
					return
				}
				if got := weightsOf(t, g); !slices.Equal(got, c.want) || g.Catalogue().Wide != c.wide {
					t.Errorf("weights %v, wide %v, want %v", got, g.Catalogue().Wide, c.want)
				}
			})
		}
	}
}

// TestNarrowFingerprint checks that a graph whose weights float32 holds, or is asked to, is stored
// as ever.
func TestNarrowFingerprint(t *testing.T) {
	const text = "0 1 3\n1 2 0.1\n2 0 16777216\n0 2 0.3333333\n3 1 1e10\n3 3 7\n"
	for layout, want := range map[store.Layout]string{store.Packed: "f6c4e3078907a9c794ebf89a8774d3f4",
		store.CSC: "de5620cf1a329b16b109cdc68c9215e3"} {
		g := importedText(t,
			garaph.ImportOptions{Storage: ingest.StorageOptions{Layout: layout, Rows: layout == store.Packed}}, text)
		if got := g.Catalogue().Fingerprint; got != want {
			t.Errorf("%s: fingerprint %s, want %s", layout, got, want)
		}
	}
}

// TestWideEdges checks that edges of a Go program keep whole numbers, and all weights where that is
// asked for.
func TestWideEdges(t *testing.T) {
	edges, weights := [][2]int{{1, 2}, {2, 3}, {3, 1}}, []float64{1<<40 - 1, 0.1, 2}
	for _, exact := range []bool{false, true} {
		g, err := garaph.FromSlice(t.Context(), edges, weights, garaph.GraphOptions{ExactWeights: exact})
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		tenth := float64(float32(0.1))
		if exact {
			tenth = 0.1
		}
		if got := weightsOf(t, g); !slices.Equal(got, []float64{tenth, 2, 1<<40 - 1}) {
			t.Errorf("exact %v: %v", exact, got)
		}
	}
}
