package bench

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tableOf returns the table whose first column has a name; nil when there is none.
func tableOf(r *Report, name string) *Table {
	for _, t := range r.Tables {
		if strings.HasPrefix(t.Columns[0], name) {
			return t
		}
	}
	return nil
}

// column returns what a table has in the column of that name, row by row.
func column[T any](t testing.TB, table *Table, name string) (cells []T) {
	t.Helper()
	if table == nil {
		t.Fatalf("no table with %s", name)
	}
	i := slices.Index(table.Columns, name)
	if i < 0 {
		t.Fatalf("no column %s in %v", name, table.Columns)
	}
	for _, row := range table.Rows {
		if len(row) != len(table.Columns) {
			t.Fatalf("row %v of columns %v", row, table.Columns)
		}
		cells = append(cells, row[i].(T))
	}
	return cells
}

// medians is column for figures, all of which are known.
func medians(t testing.TB, table *Table, name string) (list []float64) {
	t.Helper()
	for _, s := range column[*Spread](t, table, name) {
		list = append(list, s.Median)
	}
	return list
}

// rmatGraph imports a generated graph with even shards for the time of the test.
func rmatGraph(t testing.TB, scale, degree, shardVertices int, layout ...store.Layout) *garaph.Graph {
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
	if _, err := garaph.Import(t.Context(), []string{raw}, path,
		garaph.ImportOptions{Storage: ingest.StorageOptions{ShardVertices: shardVertices,
			Layout: cmp.Or(layout...)}}); err != nil {
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
