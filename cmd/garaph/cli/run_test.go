package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestNoLeaks runs commands one after another in this process: every goroutine
// they start has ended with them, also after a cancellation.
func TestNoLeaks(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	edges := edgeFile(t, 12)
	graph := filepath.Join(t.TempDir(), "graph")
	for _, args := range [][]string{
		{"import", edges, graph},
		{"run", "pagerank", graph, "--json"},
		{"run", "wcc", edges, "--output", filepath.Join(t.TempDir(), "out.parquet")},
		{"verify", graph},
		{"info", graph},
		{"run", "bfs", graph, "--source", "none"},
		{"run", "bfs", graph, "--nonsense"},
		{"generate", "grid"},
	} {
		var stderr bytes.Buffer
		code := Run(t.Context(), args, strings.NewReader(""), &bytes.Buffer{}, &stderr)
		if failing := args[0] == "run" && args[1] == "bfs"; failing != (code != 0) {
			t.Errorf("%v: exit code %d\n%s", args, code, stderr.String())
		}
	}
	folder := t.TempDir()
	for _, args := range [][]string{
		endless(graph),
		{"generate", "rmat", "--scale", "30"},
		{"generate", "rmat", "--scale", "30", "--output", filepath.Join(folder, "graph.txt")},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		if code := Run(ctx, args, nil, &bytes.Buffer{}, &bytes.Buffer{}); code != exitInterrupted {
			t.Errorf("%v: exit code %d", args, code)
		}
		cancel()
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, error %v", left, err)
	}
}

// TestPeakMemory checks that the peak that a run reports includes writing its results.
func TestPeakMemory(t *testing.T) {
	var all bytes.Buffer
	code := Run(t.Context(), []string{"run", "wcc", "-", "--output", "-"}, strings.NewReader("1 2\n"), &all, &all)
	if code != exitDone {
		t.Fatalf("exit code %d\n%s", code, all.String())
	}
	rows, peak := strings.Index(all.String(), "1\t1\n2\t1\n"), strings.Index(all.String(), "peak memory")
	if rows < 0 || peak < rows {
		t.Errorf("the peak was reported before the results were written:\n%s", all.String())
	}
}
