package ingest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// cscGraph imports a ring of n vertices, in shards of at most so many.
func cscGraph(t *testing.T, n, shardVertices int) (path string) {
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
	if _, err := Import(t.Context(), []string{edges}, path, Options{Layout: store.CSC, ShardVertices: shardVertices}); err != nil {
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
	} {
		t.Run(test.name, func(t *testing.T) {
			n := 1000
			if test.shardVertices == shard.MaxVertices {
				n = shard.MaxVertices
			}
			path := cscGraph(t, n, test.shardVertices)
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

// TestUpgradeProgress: at the end all bytes of the old graph are done.
func TestUpgradeProgress(t *testing.T) {
	path := cscGraph(t, 1000, 100)
	var last Progress
	if _, err := Upgrade(t.Context(), path, UpgradeOptions{Threads: 1, Progress: func(p Progress) { last = p }}); err != nil {
		t.Fatal(err)
	}
	if last.Phase != Rewriting || last.Done != last.Total || last.Total == 0 {
		t.Errorf("at last %+v", last)
	}
}
