package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGoneReader checks that a command whose output is no longer read ends with the exit code of SIGPIPE, and says
// nothing, as the reader that closed it wants no more.
func TestGoneReader(t *testing.T) {
	folder := t.TempDir()
	edges, graph := filepath.Join(folder, "edges.txt"), filepath.Join(folder, "g")
	if err := os.WriteFile(edges, []byte("1 2\n2 3\n3 1\n1 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	if code := Run(t.Context(), []string{"import", "-q", edges, graph}, nil, io.Discard, &stderr); code != exitDone {
		t.Fatal(stderr.String())
	}
	for _, line := range []string{
		"export G", "export G --format graphml", "export G --format ligra", "path G 1 3", "path G 1 3 --json",
		"neighbors G 1", "info G", "info G --json", "info G --degrees",
		"run bfs G --source 1 -o -", "run bfs G --source 1 -o - --output-format npy",
		"run bfs G --source 1 -o - --output-format parquet", "run pagerank G --top 2", "run triangles G --json",
		"community G --query 1 --max-size 3", "jobs G", "verify G", "verify G --json", "programs", "devices", "version",
		"help", "help run", "run --help", "generate grid --rows 3 --cols 3",
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		_ = r.Close()
		var stderr bytes.Buffer
		code := Run(t.Context(), append(strings.Fields(strings.ReplaceAll(line, "G", graph)), "-q"), nil, w, &stderr)
		_ = w.Close()
		if code != exitPipe || stderr.Len() > 0 {
			t.Errorf("%s: exit code %d: %s", line, code, &stderr)
		}
	}
}
