package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/ingest"
)

// ring imports a ring of n vertices, each a shard.
func ring(t *testing.T, n int) (graph string) {
	t.Helper()
	dir := memoryDir(t)
	edges, graph := filepath.Join(dir, "edges.txt"), filepath.Join(dir, "g")
	var text strings.Builder
	for v := range n {
		fmt.Fprintf(&text, "%d %d\n", v, (v+1)%n)
	}
	if err := os.WriteFile(edges, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := garaph.Import(
		t.Context(), []string{edges}, graph,
		garaph.ImportOptions{Storage: ingest.StorageOptions{ShardVertices: 1}, Edges: garaph.EdgeOptions{Undirected: true}},
	); err != nil {
		t.Fatal(err)
	}
	return graph
}

// TestVerifyTellsSome checks that of very many damaged places the first ones are reported, and how
// many there are.
func TestVerifyTellsSome(t *testing.T) {
	const n = mostDamages + 6
	graph := ring(t, n/2) // shards have two sides
	payload := filepath.Join(graph, "payload")
	info, err := os.Stat(payload)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(payload, make([]byte, info.Size()), 0o666); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	code := Run(t.Context(), []string{"verify", graph, "-q"}, nil, &stdout, &stderr)
	if lines := strings.Count(stdout.String(), "\n"); code != exitFailed || lines != mostDamages+1 ||
		!strings.HasSuffix(stdout.String(), "\nand 6 more\n") {
		t.Errorf("exit code %d, %d lines", code, lines)
	}
}
