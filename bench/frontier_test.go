package bench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/store"
)

// searched is a graph of lines of edges to search in, directed or not.
func searched(t testing.TB, lines []byte, undirected bool) *garaph.Graph {
	t.Helper()
	folder := t.TempDir()
	edges, path := filepath.Join(folder, "edges.txt"), filepath.Join(folder, "graph")
	if err := os.WriteFile(edges, lines, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ingest.Import(t.Context(), []string{edges}, path, ingest.Options{Storage: ingest.StorageOptions{Layout: store.Packed}, Edges: ingest.EdgeOptions{Undirected: undirected}}); err != nil {
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

func generatedLines(t testing.TB, o GenOptions) []byte {
	t.Helper()
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	o.Weights, o.Seed = true, 1
	if err := errors.Join(Generate(t.Context(), w, o, nil), w.Flush()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// starLines is a hub with so many leaves, pathLines a path.
func starLines(leaves int) []byte {
	var b bytes.Buffer
	for v := range leaves {
		fmt.Fprintf(&b, "%d %d %d\n", leaves/2, v+leaves, v%9+1)
	}
	return b.Bytes()
}

func pathLines(n int) []byte {
	var b bytes.Buffer
	for v := range n - 1 {
		fmt.Fprintf(&b, "%d %d %d\n", v, v+1, v%9+1)
	}
	return b.Bytes()
}

// searchEverywhere compares searches by every policy, filter and direction with pulls of the CPU,
// with all edges on the device and with few.
func searchEverywhere(t *testing.T, g *garaph.Graph, d device.Device) {
	t.Helper()
	pages, err := page.New(g.Store(), page.Options{Gather: []shard.Direction{shard.In}, Encodings: []uint16{packed.Version}, Threads: 2, Memory: d})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := pages.Close(); err != nil {
			t.Error(err)
		}
	}()
	m := &gpuMeasurement{graph: g, device: d, pages: pages, opt: GPUOptions{Threads: 2}}
	for turn, edges := range []int64{0, 4096} {
		searchProgram(t, m, edges, turn, func(source uint32) gas.Program[uint32, uint32] { return programs.BFS{Source: source} })
		searchProgram(t, m, edges, turn+1, func(source uint32) gas.Program[float32, float32] { return programs.SSSP[float32]{Source: source} })
		searchProgram(t, m, edges, turn+2, func(source uint32) gas.Program[float64, float64] { return programs.SSSP[float64]{Source: source} })
		searchProgram(t, m, edges, turn+3, func(source uint32) gas.Program[float32, float32] { return programs.SSWP{Source: source} })
		if g.Catalogue().Symmetric {
			searchProgram(t, m, edges, turn+4, func(uint32) gas.Program[uint32, uint32] { return programs.WCC{} })
		}
	}
}

func searchProgram[V comparable, A any](t *testing.T, m *gpuMeasurement, edges int64, turn int, program func(source uint32) gas.Program[V, A]) {
	t.Helper()
	source, err := sourceOf(t.Context(), m.graph, "")
	if err != nil {
		t.Fatal(err)
	}
	var want []V
	j, err := dispatcher.New(m.graph.Store(), program(source), dispatcher.Options{Device: dispatcher.CPU, Method: dispatcher.NotifyPull})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if _, err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	err = j.Values(func(_ []gas.Vertex, values []V) error {
		want = append(want, values...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	x, err := newSearch(t.Context(), m, program, edges)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := x.close(); err != nil {
			t.Error(err)
		}
	}()
	for _, w := range testsize.Some(waysToSearch(x.rows[1] != nil), 4, turn) {
		how, err := gpuengine.ParseAdvancing(w.advance, w.filter, w.direction)
		if err == nil {
			_, err = x.search(source, how, 0)
		}
		if err == nil {
			err = compare(source, x.job.arrays.Next, want)
		}
		if err != nil {
			t.Fatalf("%T, %+v, %d bytes of edges on the device: %v", program(source), w, edges, err)
		}
	}
}

// wayToSearch is how frontiers are advanced, in the names of options.
type wayToSearch struct{ advance, filter, direction string }

// waysToSearch are all of them. Without rows of in-edges a search pushes in any case.
func waysToSearch(inRows bool) (list []wayToSearch) {
	directions := gpuengine.DirectionNames
	if !inRows {
		directions = directions[:1]
	}
	for _, advance := range gpuengine.AdvanceNames {
		for _, filter := range gpuengine.FilterNames {
			for _, direction := range directions {
				list = append(list, wayToSearch{advance, filter, direction})
			}
		}
	}
	return list
}

// TestSearches: on the emulated device.
func TestSearches(t *testing.T) {
	for name, lines := range map[string][]byte{
		"rmat": generatedLines(t, GenOptions{Kind: RMAT, Scale: 9, Degree: 8}),
		"grid": generatedLines(t, GenOptions{Kind: Grid, Rows: 20, Cols: 20}),
		"star": starLines(3000),
		"path": pathLines(60),
	} {
		for _, undirected := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/undirected=%v", name, undirected), func(t *testing.T) {
				d := device.NewEmulated(device.EmulatedOptions{})
				searchEverywhere(t, searched(t, lines, undirected), d)
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestMeasureFrontiers: every search has a row for each policy.
func TestMeasureFrontiers(t *testing.T) {
	g := searched(t, generatedLines(t, GenOptions{Kind: RMAT, Scale: 8, Degree: 8}), true)
	r, err := MeasureFrontiers(t.Context(), g, FrontierOptions{GPU: device.EmulatedName, Sources: 3, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(medians(t, tableOf(r, "search"), "seconds")), 2*len(gpuengine.AdvanceNames); got != want {
		t.Errorf("%d rows, want %d", got, want)
	}
}
