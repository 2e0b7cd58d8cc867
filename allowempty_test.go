package garaph_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/programs"
)

// TestEmptyGraph checks that an empty table is a graph without vertices where that is allowed, and
// has results without rows.
func TestEmptyGraph(t *testing.T) {
	folder := t.TempDir()
	name, path := filepath.Join(folder, "e.csv"), filepath.Join(folder, "e.graph")
	if err := os.WriteFile(name, []byte("source,target,weight\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := garaph.Import(t.Context(), []string{name}, path, garaph.ImportOptions{AllowEmpty: true}); err != nil {
		t.Fatal(err)
	}
	g, err := garaph.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for what, r := range map[string]func() (*garaph.Result, error){
		"pagerank": func() (*garaph.Result, error) {
			return garaph.Run(t.Context(), g, programs.PageRank[float64]{Damping: 0.85, Tolerance: 1e-6}, garaph.RunOptions{})
		},
		"wcc": func() (*garaph.Result, error) {
			return garaph.Run(t.Context(), g, programs.WCC{}, garaph.RunOptions{Memory: 1 << 30})
		},
		"components": func() (*garaph.Result, error) {
			return garaph.RunAlgorithm(t.Context(), g, algorithms.Components{}, garaph.AlgorithmOptions{})
		},
		"coreness": func() (*garaph.Result, error) {
			return garaph.RunAlgorithm(t.Context(), g, algorithms.Coreness{}, garaph.AlgorithmOptions{})
		},
		"truss": func() (*garaph.Result, error) {
			return garaph.RunAlgorithm(t.Context(), g, algorithms.Truss{}, garaph.AlgorithmOptions{})
		},
	} {
		result, err := r()
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		for _, format := range []string{"csv", "ndjson", "parquet", "arrow", "npy"} {
			var out strings.Builder
			if err := result.Write(&out, format); err != nil || format == "csv" && strings.Count(out.String(), "\n") != 1 {
				t.Errorf("%s, %s: %q, %v", what, format, out.String(), err)
			}
		}
		result.Close()
	}
}
