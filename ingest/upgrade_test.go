package ingest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/garaph/garaph/internal/oracle"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// ring imports a ring of n vertices, in shards of at most so many.
func ring(t *testing.T, layout store.Layout, n, shardVertices int) (path string) {
	t.Helper()
	folder := t.TempDir()
	var text strings.Builder
	for v := range n {
		fmt.Fprintf(&text, "v%d v%d %d\n", v, (v+1)%n, v%7)
	}
	edges := filepath.Join(folder, "edges.txt")
	if err := os.WriteFile(edges, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(folder, "graph")
	if _, err := Import(t.Context(), []string{edges}, path, Options{Storage: StorageOptions{Layout: layout, ShardVertices: shardVertices}}); err != nil {
		t.Fatal(err)
	}
	return path
}

// catalogueOf opens a graph.
func catalogueOf(t *testing.T, path string) store.Catalogue {
	t.Helper()
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return *s.Catalogue()
}

// TestUpgradeRefused: a graph that is not upgraded stays as it is, and nothing is left
// beside it.
func TestUpgradeRefused(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		name          string
		shardVertices int
		ctx           context.Context
		o             UpgradeOptions
		damage        bool
		want          string
	}{
		{"cancelled", 100, cancelled, UpgradeOptions{}, false, "context canceled"},
		{"little memory", 100, t.Context(), UpgradeOptions{Memory: 100 << 20}, false, "below the least one of 188MiB"},
		{"a shard that is too large", shard.MaxVertices, t.Context(), UpgradeOptions{}, false, "shard 0 has 65536 vertices, a packed one at most 65535"},
		{"damage", 100, t.Context(), UpgradeOptions{Threads: 3}, true, "damaged"},
		{"packed, cancelled", 100, cancelled, UpgradeOptions{Rows: true}, false, "context canceled"},
		{"packed, little memory", 100, t.Context(), UpgradeOptions{Rows: true, Memory: 100 << 20}, false, "below the least one of 188MiB"},
		{"packed, damage", 100, t.Context(), UpgradeOptions{Rows: true, Threads: 3}, true, "damaged"},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := 1000
			if test.shardVertices == shard.MaxVertices {
				n = shard.MaxVertices
			}
			layout := store.CSC
			if test.o.Rows {
				layout = store.Packed
			}
			path := ring(t, layout, n, test.shardVertices)
			before := catalogueOf(t, path)
			if test.damage {
				payload := filepath.Join(path, "payload")
				b, err := os.ReadFile(payload)
				if err != nil {
					t.Fatal(err)
				}
				b[before.Shards[5].Blobs[shard.In].Off+70] ^= 1
				if err := os.WriteFile(payload, b, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			_, err := Upgrade(test.ctx, path, test.o)
			if err == nil || !strings.Contains(err.Error(), test.want) || test.damage && !errors.Is(err, store.ErrDamaged) {
				t.Errorf("got %v, want %s", err, test.want)
			}
			if now := catalogueOf(t, path).Fingerprint; now != before.Fingerprint {
				t.Errorf("fingerprint %s, before %s", now, before.Fingerprint)
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestForeignLayout: a layout that no import writes is refused.
func TestForeignLayout(t *testing.T) {
	path := filepath.Join(t.TempDir(), "graph")
	if err := teststore.Write(path, oracle.Graph{N: 2, Edges: []oracle.Edge{{Src: 0, Dst: 1}}}, teststore.Options{Layout: teststore.Varint}); err != nil {
		t.Fatal(err)
	}
	if _, err := Upgrade(t.Context(), path, UpgradeOptions{}); err == nil || !strings.Contains(err.Error(), "has the layout varint") {
		t.Errorf("upgrade: %v", err)
	}
	for _, layout := range []store.Layout{teststore.Varint, "none"} {
		if _, err := Import(t.Context(), []string{"nosuch"}, path, Options{Storage: StorageOptions{Layout: layout}}); err == nil || !strings.Contains(err.Error(), "expected packed or csc") {
			t.Errorf("import with %s: %v", layout, err)
		}
	}
}

// TestUpgradeForged: a graph whose out-edges are not its in-edges is damaged, whether that
// shows in a shard or in a group of them.
func TestUpgradeForged(t *testing.T) {
	const n = 40
	o := teststore.Options{Weighted: true, ShardVertices: 4}
	g := oracle.Graph{N: n}
	for v := range uint32(n) {
		for range 4 {
			g.Edges = append(g.Edges, oracle.Edge{Src: n - 1, Dst: v, Weight: 1})
			o.Out = append(o.Out, oracle.Edge{Src: v, Dst: v, Weight: 1})
		}
	}
	defer func(edges uint64) { cacheEdges = edges }(cacheEdges)
	for _, cacheEdges = range []uint64{1 << 17, 8} {
		path := filepath.Join(t.TempDir(), "graph")
		if err := teststore.Write(path, g, o); err != nil {
			t.Fatal(err)
		}
		if _, err := Upgrade(t.Context(), path, UpgradeOptions{}); !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "more edges of the out side") {
			t.Errorf("groups of %d edges: %v", cacheEdges, err)
		}
	}
}

// TestUpgradeProgress: at the end all bytes of the old graph are done.
func TestUpgradeProgress(t *testing.T) {
	path := ring(t, store.CSC, 1000, 100)
	var last Progress
	if _, err := Upgrade(t.Context(), path, UpgradeOptions{Threads: 1, Progress: func(p Progress) { last = p }}); err != nil {
		t.Fatal(err)
	}
	if last.Phase != Rewriting || last.Done != last.Total || last.Total == 0 {
		t.Errorf("at last %+v", last)
	}
}

// TestUpgradeRows: a packed graph gets the rows of in-edges that an import with Rows
// makes, also of vertices with more edges than a shard. It is the same graph otherwise,
// and sound.
func TestUpgradeRows(t *testing.T) {
	old := maxShardEdges
	maxShardEdges = 300
	t.Cleanup(func() { maxShardEdges = old })
	for _, weights := range []bool{false, true} {
		t.Run(fmt.Sprintf("weights=%v", weights), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			var text strings.Builder
			for i := range 5000 {
				src, dst := rng.IntN(400), rng.IntN(400)
				if i%5 == 0 {
					dst = 7
				}
				if fmt.Fprint(&text, src, dst); weights {
					fmt.Fprint(&text, " ", i%11)
				}
				text.WriteByte('\n')
			}
			edges := filepath.Join(t.TempDir(), "edges.txt")
			if err := os.WriteFile(edges, []byte(text.String()), 0o666); err != nil {
				t.Fatal(err)
			}
			var list [2]store.Catalogue
			for i, with := range []bool{true, false} {
				path := filepath.Join(filepath.Dir(edges), fmt.Sprint("graph", i))
				if _, err := Import(t.Context(), []string{edges}, path, Options{Storage: StorageOptions{ShardVertices: 50, Rows: with, Layout: store.Packed}}); err != nil {
					t.Fatal(err)
				}
				before := catalogueOf(t, path)
				if !with {
					if _, err := Upgrade(t.Context(), path, UpgradeOptions{Rows: true, Threads: 2}); err != nil {
						t.Fatal(err)
					}
				}
				list[i] = catalogueOf(t, path)
				if list[i].Fingerprint != before.Fingerprint || !list[i].Created.Equal(before.Created) {
					t.Errorf("%+v, before %+v", list[i], before)
				}
				verified(t, path)
			}
			for i, want := range list[0].Shards {
				want.Blobs[0].Off, want.Blobs[1].Off = 0, 0
				got := list[1].Shards[i]
				got.Blobs[0].Off, got.Blobs[1].Off = 0, 0
				if a, b := list[1].Bytes(shard.InRows, i), list[0].Bytes(shard.InRows, i); got != want || a != b {
					t.Errorf("shard %d: %+v, import with rows %+v", i, got, want)
				}
			}
			if len(list[1].Shards) != len(list[0].Shards) || !list[1].InRows {
				t.Errorf("%d shards, want %d; in-rows: %v", len(list[1].Shards), len(list[0].Shards), list[1].InRows)
			}
			if err := checkUpgrade(&list[1], true, "graph", UpgradeOptions{Rows: true}); !errors.Is(err, ErrPacked) {
				t.Errorf("once more: %v", err)
			}
		})
	}
}

// verified reads all of a graph.
func verified(t *testing.T, path string) {
	t.Helper()
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Verify(t.Context(), 1, func(int64) {}, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
}

// TestUpgradePythonIDs: ids that the Python package alone knows go with the graph through an upgrade and
// with it when it is replaced; a link in their place is not followed.
func TestUpgradePythonIDs(t *testing.T) {
	for _, layout := range []store.Layout{store.CSC, store.Packed} {
		path := ring(t, layout, 100, 30)
		ids, want := filepath.Join(path, store.PythonIDs), "ids of 100 vertices"
		if err := os.WriteFile(ids, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Upgrade(t.Context(), path, UpgradeOptions{Rows: true}); err != nil {
			t.Fatalf("%s: %v", layout, err)
		}
		if catalogueOf(t, path).PythonIDs != "" {
			t.Errorf("%s: upgraded, and said to have such ids", layout)
		}
		if got, err := os.ReadFile(ids); err != nil || string(got) != want {
			t.Errorf("%s: upgraded: %q, %v", layout, got, err)
		}
		edges := filepath.Join(filepath.Dir(path), "edges.txt")
		if _, err := Import(t.Context(), []string{edges}, path, Options{Force: true, Storage: StorageOptions{Layout: layout, PythonIDs: "word"}}); err != nil {
			t.Fatalf("%s: %v", layout, err)
		}
		if catalogueOf(t, path).PythonIDs != "word" {
			t.Errorf("%s: imported with such ids, and not said to have them", layout)
		}
		if _, err := os.Stat(ids); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: after another import: %v", layout, err)
		}
		if _, err := Upgrade(t.Context(), path, UpgradeOptions{Rows: true}); err != nil || catalogueOf(t, path).PythonIDs != "word" {
			t.Errorf("%s: upgraded without the file: %v", layout, err)
		}
		if err := os.Symlink(edges, ids); err != nil {
			t.Fatal(err)
		}
		if _, err := Upgrade(t.Context(), path, UpgradeOptions{Rows: true}); err == nil {
			t.Errorf("%s: a link was followed", layout)
		}
	}
}
