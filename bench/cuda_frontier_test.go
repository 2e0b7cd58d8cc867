//go:build cuda

package bench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/garaph/garaph/dispatcher"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/programs"
	"github.com/garaph/garaph/store"
)

// TestCUDAFrontier compares searches on a GPU by policies, filters and directions, with all edges there
// and with few, with pulls of the CPU.
func TestCUDAFrontier(t *testing.T) {
	d, err := device.Open("0")
	if errors.Is(err, device.ErrNoDevice) {
		t.Skipf("this test needs a GPU: %v", err)
	}
	if err == nil {
		err = d.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, lines := range map[string][]byte{
		"path":      chain(100, 1, 1),
		"long path": chain(200_000, 1, 1),
		"star":      chain(50_000, 0, 1),
		"rmat":      generatedLines(t, GenOptions{Kind: RMAT, Scale: 14, Degree: 16}),
		"grid":      generatedLines(t, GenOptions{Kind: Grid, Rows: 100, Cols: 100}),
		"few edges": []byte("0 1 1\n1 1 2\n1 2 3\n1 2 1\n70000 70001 1\n"),
	} {
		for turn, undirected := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/undirected=%v", name, undirected), func(t *testing.T) {
				s := imported(t, lines, undirected)
				searchEverywhere[uint32, uint32](t, s, programs.BFS{}, turn)
				searchEverywhere[float32, float32](t, s, programs.SSSP[float32]{}, turn+1)
				searchEverywhere[float64, float64](t, s, programs.SSSP[float64]{}, turn+2)
				searchEverywhere[float32, float32](t, s, programs.SSWP{}, turn+3)
				if undirected {
					searchEverywhere[uint32, uint32](t, s, programs.WCC{}, turn+4)
				}
			})
		}
	}
}

// chain has n edges with weights, whose ends go up by src and dst from one to the next.
func chain(n, src, dst int) []byte {
	var b bytes.Buffer
	for v := range n {
		fmt.Fprintf(&b, "%d %d %d\n", v*src, v*dst+1, v%9+1)
	}
	return b.Bytes()
}

func generatedLines(t *testing.T, o GenOptions) []byte {
	t.Helper()
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	o.Weights, o.Seed = true, 1
	if err := errors.Join(Generate(t.Context(), w, o, nil), w.Flush()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func imported(t *testing.T, lines []byte, undirected bool) *store.Store {
	t.Helper()
	edges, path := filepath.Join(t.TempDir(), "edges.txt"), filepath.Join(t.TempDir(), "graph")
	if err := os.WriteFile(edges, lines, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ingest.Import(t.Context(), []string{edges}, path, ingest.Options{Edges: ingest.EdgeOptions{Undirected: undirected}}); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func searchEverywhere[V comparable, A any](t *testing.T, s *store.Store, p gas.Program[V, A], turn int) {
	t.Helper()
	want := valuesOf(t, s, p, dispatcher.Options{Device: dispatcher.CPU, Method: dispatcher.Pull})
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
		o := dispatcher.Options{Device: dispatcher.GPU, Method: dispatcher.Frontier, GPU: dispatcher.GPUOptions{Name: "0", Advancing: how}}
		if i%2 == 1 {
			o.GPU.Memory = 64 << 20 // few edges stay there, of the larger graphs
		}
		if got := valuesOf(t, s, p, o); !slices.Equal(got, want) {
			t.Fatalf("%T by %+v: values are not those of pulls", p, how)
		}
	}
}

func valuesOf[V, A any](t *testing.T, s *store.Store, p gas.Program[V, A], o dispatcher.Options) (all []V) {
	t.Helper()
	j, err := dispatcher.New(s, p, o)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if _, err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	err = j.Values(func(_ []gas.Vertex, values []V) error {
		all = append(all, values...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
