//go:build cuda

package bench

import (
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
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/programs"
)

// TestCUDAFrontier compares searches on a GPU by policies, filters and directions, with all edges there
// and with few, with pulls of the CPU.
func TestCUDAFrontier(t *testing.T) {
	d, err := device.Open("0")
	if errors.Is(err, device.ErrNoDevice) {
		t.Skipf("this test needs a GPU: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close() // searches open it again, which takes no time while it is open
	searches := append(workloads[2:],
		workload{"sssp64", gather8, runner(func(s uint32) gas.Program[float64,
			float64] {
			return programs.SSSP[float64]{Source: s}
		})},
		workload{"sswp", gather4, runner(func(s uint32) gas.Program[float32,
			float32] {
			return programs.SSWP[float32]{Source: s}
		})})
	for name, lines := range map[string][]byte{
		"path":      chain(100, 1),
		"long path": chain(10_000, 1),
		"star":      chain(50_000, 0),
		"rmat":      generate(t, GenOptions{Kind: RMAT, Scale: 14, Degree: 16, Weights: true, Seed: 1}),
		"grid":      generate(t, GenOptions{Kind: Grid, Rows: 100, Cols: 100, Weights: true, Seed: 1}),
		"few edges": []byte("0 1 1\n1 1 2\n1 2 3\n1 2 1\n70000 70001 1\n"),
	} {
		for _, undirected := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/undirected=%v", name, undirected), func(t *testing.T) {
				edges, path := filepath.Join(t.TempDir(), "edges.txt"), filepath.Join(t.TempDir(), "graph")
				if err := os.WriteFile(edges, lines, 0o600); err != nil {
					t.Fatal(err)
				}
				if _, err := garaph.Import(t.Context(), []string{edges}, path,
					garaph.ImportOptions{Edges: garaph.EdgeOptions{Undirected: undirected}}); err != nil {
					t.Fatal(err)
				}
				g, err := garaph.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				defer g.Close()
				for turn, w := range searches {
					if w.name != "wcc" || undirected { // of a directed graph it reads both directions
						searchEverywhere(t, g, w, turn)
					}
				}
			})
		}
	}
}

// chain has n edges with weights, the vertices of a path if step is 1, or of a star if it is 0.
func chain(n, step int) []byte {
	var b bytes.Buffer
	for v := range n {
		fmt.Fprintf(&b, "%d %d %d\n", v*step, v+1, v%9+1)
	}
	return b.Bytes()
}

func searchEverywhere(t *testing.T, g *garaph.Graph, w workload, turn int) {
	t.Helper()
	values := func(o garaph.RunOptions) string {
		r, err := w.run(t.Context(), g, 0, o)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := errors.Join(r.Write(&b, "tsv"), r.Close()); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	want := values(garaph.RunOptions{Device: dispatcher.CPU, Method: dispatcher.Pull})
	var ways []gpuengine.Advancing
	for _, advance := range gpuengine.AdvanceNames {
		for _, filter := range gpuengine.FilterNames {
			for _, direction := range gpuengine.DirectionNames {
				how, err := gpuengine.ParseAdvancing(advance, filter, direction)
				if err != nil {
					t.Fatal(err)
				}
				ways = append(ways, how)
			}
		}
	}
	for i, how := range testsize.Some(ways, 4, turn) {
		o := garaph.RunOptions{Device: dispatcher.GPU, Method: dispatcher.Frontier,
			GPU: garaph.GPUOptions{Name: "0", Advancing: how}}
		if i%2 == 1 {
			o.GPU.Memory = 64 << 20 // few edges stay there, of the larger graphs
		}
		if values(o) != want {
			t.Fatalf("%s by %+v: values are not those of pulls", w.name, how)
		}
	}
}
