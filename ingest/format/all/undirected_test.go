package all_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/ingest/build"
	"github.com/garaph/garaph/ingest/read"
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/store"
)

// TestImportUndirectedSG checks that an undirected GAP graph is stored as an edge list of half of its
// entries is with --undirected, and beside a directed one as its entries are.
func TestImportUndirectedSG(t *testing.T) {
	folder := t.TempDir()
	write := func(name string, content []byte) string {
		name = filepath.Join(folder, name)
		if err := os.WriteFile(name, content, 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	r := rand.New(rand.NewPCG(1, 2))
	cases := 10
	if testsize.Long {
		cases = 100
	}
	for range cases {
		n := 1 + r.Uint64N(20)
		both := []edgeGiven{{n - 1, n - 1, 1}}
		text := fmt.Sprintf("%d %d 1\n", n-1, n-1)
		for range r.IntN(60) {
			u, v := r.Uint64N(n), r.Uint64N(n)
			w := float32(r.IntN(10))
			both = append(both, edgeGiven{u, v, w})
			if u != v {
				both = append(both, edgeGiven{v, u, w})
			}
			text += fmt.Sprintf("%d %d %v\n", u, v, w)
		}
		o := ingest.Options{
			Force: true, Weights: read.WeightsYes, Edges: build.EdgeOptions{
				Parallel: []build.Parallel{build.ParallelKeep, build.ParallelMin}[r.IntN(2)], DropSelfLoops: r.IntN(2) == 0,
			},
			Storage: build.StorageOptions{Layout: []store.Layout{store.CSC, store.Packed}[r.IntN(2)], ShardVertices: 3},
		}
		sg, list := write("g.wsg", writeSG(both, int(n), true, false)), write("g.txt", []byte(text))
		imported := func(o ingest.Options, files ...string) *store.Catalogue {
			path := filepath.Join(folder, "graph")
			if _, err := ingest.Import(t.Context(), files, path, o); err != nil {
				t.Fatal(err)
			}
			s, err := store.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			return s.Catalogue()
		}
		got := imported(o, sg)
		undirected := o
		undirected.Edges.Undirected = true
		again := imported(undirected, sg)
		undirected.IDs = read.IDsDense
		want := imported(undirected, list)
		if !got.Symmetric || got.Fingerprint != want.Fingerprint || again.Fingerprint != want.Fingerprint {
			t.Fatalf("got %+v, with --undirected %+v, want %+v", got, again, want)
		}
		directed := write("d.wsg", writeSG([]edgeGiven{{0, n - 1, 4}}, int(n), true, true))
		if imported(o, sg, directed).Symmetric {
			t.Fatal("symmetric beside a directed graph")
		}
	}
}
