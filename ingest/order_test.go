package ingest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// TestOrder checks that vertices are stored by degree, equal ones by id, whatever the threads and the budget.
func TestOrder(t *testing.T) {
	dir := t.TempDir()
	edges := filepath.Join(dir, "edges.txt")
	var text strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&text, "v%d v%d\n", i*i%1009*(i%7), i*7919%2003)
	}
	for i := range 70_000 { // two vertices of more edges than are counted by degree
		fmt.Fprintf(&text, "v5 v%d\nv3 v%d\n", i%500, i%600)
	}
	if err := os.WriteFile(edges, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	fingerprints := map[string]bool{}
	for _, o := range []Options{{Threads: 1, Memory: 200 << 20}, {Threads: 3}, {Threads: 2, Edges: EdgeOptions{Undirected: true}}} {
		o.Force, o.Storage = true, StorageOptions{Order: store.ByDegree, ShardVertices: 100}
		path := filepath.Join(dir, "graph")
		if _, err := Import(context.Background(), []string{edges}, path, o); err != nil {
			t.Fatal(err)
		}
		if !o.Edges.Undirected {
			fingerprints[fingerprint(t, path)] = true
		}
		s, err := store.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		ids, err := s.OrderedIDs()
		if err != nil || s.Catalogue().Order() != store.ByDegree {
			t.Fatal(s.Catalogue().Order(), err)
		}
		var degrees []uint32
		for i := range s.Catalogue().Shards {
			in, err := s.Degrees(shard.In, i)
			if err != nil {
				t.Fatal(err)
			}
			out, err := s.Degrees(shard.Out, i)
			if err != nil {
				t.Fatal(err)
			}
			for v := range in {
				if s.Catalogue().Symmetric {
					out[v] = 0
				}
				degrees = append(degrees, in[v]+out[v])
			}
		}
		for p := 1; p < len(ids); p++ {
			if degrees[p] > degrees[p-1] || degrees[p] == degrees[p-1] && ids[p] < ids[p-1] {
				t.Fatalf("place %d: degree %d and id %d after %d and %d", p, degrees[p], ids[p], degrees[p-1], ids[p-1])
			}
		}
		all := slices.Clone(ids)
		slices.Sort(all)
		for v, id := range all {
			if int(id) != v {
				t.Fatalf("id %d is missing", v)
			}
		}
		hostmem.Free(ids)
		if err := s.Verify(context.Background(), 2, func(int64) {}, func(err error) { t.Error(err) }); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if len(fingerprints) != 1 {
		t.Errorf("%d fingerprints of one graph", len(fingerprints))
	}
}
