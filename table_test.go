package garaph_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/gas"
)

// badResult panics when its values are written.
type badResult struct{}

func (badResult) Init(gas.Vertex) (uint32, bool)                       { return 0, true }
func (badResult) Zero() uint32                                         { return 0 }
func (badResult) Gather(uint32, gas.Edge, uint32) uint32               { return 1 }
func (badResult) Sum(a, b uint32) uint32                               { return a + b }
func (badResult) Apply(_ gas.Vertex, _, acc uint32, _ gas.Step) uint32 { return acc }
func (badResult) Activate(_ gas.Vertex, old, now uint32) bool          { return old != now }
func (badResult) Result(gas.Vertex, uint32) int64                      { panic("no result") }

// TestResultPanic: a panic of a Result method ends as an error that names the
// program and shows where it was, and no file appears.
func TestResultPanic(t *testing.T) {
	folder := t.TempDir()
	edges, out := filepath.Join(folder, "edges.txt"), filepath.Join(folder, "out.tsv")
	if err := os.WriteFile(edges, []byte("1 2\n2 3\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	g := imported(t, garaph.ImportOptions{}, edges)
	r, err := garaph.Run(context.Background(), g, badResult{}, garaph.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	err = r.WriteFile(out, "")
	if err == nil || !strings.Contains(err.Error(), "badResult panicked: no result") || !strings.Contains(err.Error(), "table_test.go") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("there is a file of results")
	}
}
