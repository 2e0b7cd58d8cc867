package cli

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/cmd/garaph/cli/report"
	"github.com/garaph/garaph/ingest"
)

// TestDegrees checks that of graphs of many shards, with degrees beyond those that are counted
// densely, the distribution is that of the edges as they are counted one by one.
func TestDegrees(t *testing.T) {
	const n = 400
	r := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	in, out := make([]uint64, n), make([]uint64, n)
	edge := func(u, v int) {
		fmt.Fprintf(&text, "%d %d\n", u, v)
		out[u]++
		in[v]++
	}
	for v := range n {
		edge(v, (v+1)%n) // so that ids are dense, and vertices are in their order
	}
	for range 20_000 {
		edge(r.IntN(n), 7+r.IntN(3)) // three with large degrees
	}
	for range 700 {
		edge(r.IntN(1+r.IntN(n)), r.IntN(n))
	}
	dir := memoryDir(t)
	edges, graph := filepath.Join(dir, "edges.txt"), filepath.Join(dir, "g")
	if err := os.WriteFile(edges, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := garaph.Import(t.Context(), []string{edges}, graph,
		garaph.ImportOptions{Storage: ingest.StorageOptions{ShardVertices: 64}}); err != nil {
		t.Fatal(err)
	}
	i, err := describe(t.Context(), graph, true)
	if err != nil {
		t.Fatal(err)
	}
	if i.Shards < 2 || len(i.Degrees) != 3 {
		t.Fatalf("%d shards, %d distributions", i.Shards, len(i.Degrees))
	}
	total := make([]uint64, n)
	for v := range total {
		total[v] = in[v] + out[v]
	}
	for k, degrees := range [][]uint64{in, out, total} {
		checkDegrees(t, i.Degrees[k], degrees)
	}
}

func checkDegrees(t *testing.T, d report.Degrees, degrees []uint64) {
	t.Helper()
	sorted := slices.Sorted(slices.Values(degrees))
	n, sum := len(sorted), uint64(0)
	for _, x := range sorted {
		sum += x
	}
	if d.Min != sorted[0] || d.Median != sorted[(n+1)/2-1] || d.P99 != sorted[(99*n+99)/100-1] || d.Max != sorted[n-1] {
		t.Errorf("%s: %+v", d.Direction, d)
	}
	if want := strconv.Itoa(slices.Index(degrees, d.Max)); d.MaxVertex != want {
		t.Errorf("%s: the largest is vertex %s, want %s", d.Direction, d.MaxVertex, want)
	}
	if want := float64(sum) / float64(n); d.Mean != want {
		t.Errorf("%s: mean %g, want %g", d.Direction, d.Mean, want)
	}
	seen, next := uint64(0), uint64(0)
	for _, b := range d.Bins {
		want := uint64(0)
		for _, x := range degrees {
			if b.From <= x && x <= b.To {
				want++
			}
		}
		if b.From != next || b.Vertices != want || b.Share != float64(want)/float64(n) {
			t.Errorf("%s: %+v, want %d vertices from %d", d.Direction, b, want, next)
		}
		seen, next = seen+b.Vertices, b.To+1
	}
	if seen != uint64(n) || d.Bins[len(d.Bins)-1].Vertices == 0 {
		t.Errorf("%s: bins have %d of %d vertices: %+v", d.Direction, seen, n, d.Bins)
	}
}
