package bench

import (
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/garaph/garaph"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rmatGraph imports a generated graph with even shards for the time of the test.
func rmatGraph(t testing.TB, scale, degree, shardVertices int) *garaph.Graph {
	t.Helper()
	dir := t.TempDir()
	raw, path := filepath.Join(dir, "edges.bin"), filepath.Join(dir, "rmat.graph")
	f, err := os.Create(raw)
	if err != nil {
		t.Fatal(err)
	}
	o := GenOptions{Kind: RMAT, Scale: scale, Degree: degree, Permute: true, Format: Raw}
	if err := Generate(t.Context(), f, o, nil); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := garaph.Import(t.Context(), []string{raw}, path, garaph.ImportOptions{ShardVertices: shardVertices}); err != nil {
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
