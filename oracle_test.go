package garaph_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/testgraph"
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/programs"
)

// TestOracles compares the programs of which nobody else computed the results
// with the oracles, in every mode and engine, in memory and with less memory
// than the graph takes.
func TestOracles(t *testing.T) {
	stored := func(t *testing.T, g oracle.Graph, symmetric bool) *garaph.Graph {
		path := filepath.Join(t.TempDir(), "test.graph")
		if err := teststore.Write(path, g, teststore.Options{Weighted: true, Symmetric: symmetric}); err != nil {
			t.Fatal(err)
		}
		opened, err := garaph.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { opened.Close() })
		return opened
	}
	for i, symmetric := range []bool{false, true} {
		graphs := testgraph.All()
		random := 5
		if !testsize.Long {
			random = 2
		}
		for i := range random {
			graphs = append(graphs,
				testgraph.Named{Name: fmt.Sprint("random ", i), Graph: rapid.Custom(testgraph.Draw).Example(i)})
		}
		for turn, x := range graphs {
			t.Run(fmt.Sprintf("%s, symmetric %v", x.Name, symmetric), func(t *testing.T) {
				g := stored(t, x.Graph, symmetric)
				if symmetric {
					x.Graph = teststore.Mirrored(x.Graph)
				}
				ids := make([]int64, x.Graph.N)
				for v := range ids {
					ids[v] = int64(v)
				}
				testOracles(t, g, x.Graph, ids, 0, ways(turn+i))
			})
		}
	}
	t.Run("as-Caida20071105, each edge twice in the input", func(t *testing.T) {
		testsize.OnlyLong(t, "it is one more of the real graphs")
		ids, g := testgraph.LoadEdges(t, "as-Caida20071105-weighted", true)
		var text strings.Builder
		for _, e := range g.Edges {
			fmt.Fprintf(&text, "%d %d %v\n", ids[e.Src], ids[e.Dst], e.Weight)
		}
		file := filepath.Join(t.TempDir(), "both.txt")
		if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		stored := imported(t, garaph.ImportOptions{Storage: ingest.StorageOptions{ShardVertices: 1000}}, file)
		if c := stored.Catalogue(); !c.Mirrored || c.Symmetric {
			t.Fatalf("mirrored %v, symmetric %v", c.Mirrored, c.Symmetric)
		}
		testOracles(t, stored, g, ids, 5, ways(0))
	})
	t.Run("as-Caida20071105", func(t *testing.T) {
		if testing.Short() {
			t.Skip("it runs every program over a real graph")
		}
		file := filepath.Join(testgraph.Shared(t), "as-Caida20071105-weighted.txt.gz")
		ids, g := testgraph.LoadEdges(t, "as-Caida20071105-weighted", true)
		testOracles(t, imported(t, garaph.ImportOptions{
			Edges:   garaph.EdgeOptions{Undirected: true},
			Storage: ingest.StorageOptions{ShardVertices: 1000},
		}, file), g, ids, 5, ways(0))
	})
}

func testOracles(t *testing.T, g *garaph.Graph, o oracle.Graph, ids []int64, source uint32, ways []way) {
	symmetric := g.Catalogue().Symmetric
	byID := func(of func(v int) float64) map[int64]float64 {
		m := make(map[int64]float64, len(ids))
		for v, id := range ids {
			m[id] = of(v)
		}
		return m
	}
	list := func(values []float64) map[int64]float64 { return byID(func(v int) float64 { return values[v] }) }

	in, _ := oracle.Degrees(o)
	alpha := 1.0
	for _, d := range in {
		alpha = min(alpha, 0.5/float64(max(d, 1)))
	}
	const k, seed, rounds = 3, 7, 30
	core := oracle.KCore(o, k, symmetric)
	label := oracleLPA(o, seed, rounds, symmetric)
	widths := list(oracle.SSWP(o, source))
	walks := list(oracle.Katz(o, alpha, 1, 60))
	heats := list(oracle.Heat(o, source, 0.2, rounds))
	activities := list(oracle.Neural(o, 0.1, 0.1, 1e-12))
	cores := byID(func(v int) float64 {
		if core[v] {
			return 1
		}
		return 0
	})
	labels := byID(func(v int) float64 { return float64(ids[label[v]]) })

	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			opt := w.o
			same(t, "sswp", rows(t, g, programs.SSWP[float32]{Source: source}, opt), widths, 0)
			same(t, "kcore", rows(t, g, programs.KCore{K: k}, opt), cores, 0)
			testSources(t, g, o, ids, opt)
			same(t, "katz 32", rows(t, g, programs.Katz[float32]{Alpha: alpha, Beta: 1, Tolerance: 1e-6}, opt), walks, 1e-5)
			same(t, "katz 64", rows(t, g, programs.Katz[float64]{Alpha: alpha, Beta: 1, Tolerance: 1e-10}, opt), walks, 1e-9)
			same(t, "neural", rows(t, g, programs.Neural{Gain: 0.1, Bias: 0.1, Tolerance: 1e-7}, opt), activities, 1e-4)
			if len(ids) < 100 && symmetric && len(ids) > 1 {
				p := programs.Circuit{Source: source, Ground: source + 1, Volts: 10, Tolerance: 1e-8}
				opt.Iterations = 20_000
				same(t, "circuit", rows(t, g, p, opt), list(oracle.Circuit(o, source, source+1, 10, 1e-12)), 1e-3)
			}
			if opt.Mode == dispatcher.Sync { // in async mode these depend on where pages end
				opt.Iterations = rounds
				same(t, "lpa", rows(t, g, programs.LPA{Seed: seed}, opt), labels, 0)
				same(t, "heat", rows(t, g, programs.Heat{Source: source, Step: 0.2}, opt), heats, 1e-4)
			}
		})
	}
}

// testSources compares programs of several sources.
func testSources(t *testing.T, g *garaph.Graph, o oracle.Graph, ids []int64, opt garaph.RunOptions) {
	n := uint32(len(ids))
	sources := slices.Compact([]uint32{0, n / 3, n - 1})
	if sources[0] == sources[len(sources)-1] {
		return
	}
	hops, lengths, widths := map[int64]float64{}, map[int64]float64{}, map[int64]float64{}
	for _, source := range sources {
		all, far, wide := oracle.BFS(o, source), oracle.SSSP(o, source), oracle.SSWP(o, source)
		for v, id := range ids {
			if _, seen := lengths[id]; !seen {
				hops[id], lengths[id], widths[id] = math.Inf(1), math.Inf(1), math.Inf(-1)
			}
			if all[v] != gas.Unreached {
				hops[id] = min(hops[id], float64(all[v]))
			}
			lengths[id], widths[id] = min(lengths[id], far[v]), max(widths[id], wide[v])
		}
	}
	first, more := sources[0], sources[1:]
	same(t, "bfs of several sources", rows(t, g, programs.BFS{Source: first, More: more}, opt), hops, 0)
	same(t, "sssp of several sources", rows(t, g, programs.SSSP[float64]{Source: first, More: more}, opt), lengths, 1e-12)
	same(t, "sswp of several sources", rows(t, g, programs.SSWP[float32]{Source: first, More: more}, opt), widths, 0)
	alike, ranks := o, map[int64]float64{}
	alike.Edges = slices.Clone(o.Edges)
	for i := range alike.Edges {
		alike.Edges[i].Weight = 1
	}
	for v, rank := range oracleBiasedPageRank(alike, 0.85, sources, 1e-12) {
		ranks[ids[v]] = rank
	}
	same(t, "personalised pagerank 64", rows(t, g,
		programs.PersonalisedPageRank[float64]{Damping: 0.85, Tolerance: 1e-13, Sources: programs.SourcesOf(sources)},
		opt), ranks, 1e-5)
	same(t, "personalised pagerank 32", rows(t, g,
		programs.PersonalisedPageRank[float32]{Damping: 0.85, Tolerance: 1e-12, Sources: programs.SourcesOf(sources)},
		opt), ranks, 1e-3)
	if c := g.Catalogue(); !c.RowWeights() && !c.OneSide() {
		return // its out-edges have no weights
	}
	sums, err := g.Strengths(t.Context(), garaph.AlgorithmOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer sums.Close()
	for _, from := range [][]uint32{nil, sources} {
		ranks := map[int64]float64{}
		for v, rank := range oracleBiasedPageRank(o, 0.85, from, 1e-12) {
			ranks[ids[v]] = rank
		}
		p64 := programs.BiasedPageRank[float64]{
			Damping: 0.85, Tolerance: 1e-13, Strength: sums.Of, Sources: programs.SourcesOf(from),
		}
		same(t, "biased pagerank 64", rows(t, g, p64, opt), ranks, 1e-5)
		p32 := programs.BiasedPageRank[float32]{
			Damping: 0.85, Tolerance: 1e-12, Strength: sums.Of, Sources: programs.SourcesOf(from),
		}
		same(t, "biased pagerank 32", rows(t, g, p32, opt), ranks, 1e-3)
	}
}

// last is WCC the other way round: what it inherits from a compiled program are
// loops of another program.
type last struct{ programs.WCC }

func (last) Zero() uint32                                           { return 0 }
func (last) Sum(a, b uint32) uint32                                 { return max(a, b) }
func (last) Apply(_ gas.Vertex, old, acc uint32, _ gas.Step) uint32 { return max(old, acc) }

// TestEmbedded checks that a program that embeds a compiled one is run by its own methods.
func TestEmbedded(t *testing.T) {
	if _, ok := any(last{}).(compiled.Program[uint32, uint32]); !ok {
		t.Fatal("no loops are inherited: this test tests nothing")
	}
	path := filepath.Join(t.TempDir(), "test.graph")
	if err := teststore.Write(path, testgraph.TwoComponents(), teststore.Options{}); err != nil {
		t.Fatal(err)
	}
	g, err := garaph.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for _, w := range ways(0) {
		t.Run(w.name, func(t *testing.T) {
			same(t, "last of the component", rows(t, g, last{}, w.o), map[int64]float64{0: 4, 1: 5, 2: 4, 3: 5, 4: 4, 5: 5}, 0)
		})
	}
}
