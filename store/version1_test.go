package store_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/internal/testsize"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// version1 unpacks a graph that a build wrote before there was a payload, with named
// vertices and weights, and the edge list that it was made of.
func version1(t *testing.T) (edges, graph string) { return unpacked(t, "version1") }

// unpacked unpacks a graph that an earlier build wrote, and the edge list that it was made of.
func unpacked(t *testing.T, version string) (edges, graph string) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", version+".tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	dir := memoryDir(t)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return filepath.Join(dir, "old.tsv"), filepath.Join(dir, "old.graph")
		}
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, h.Name)
		if h.FileInfo().IsDir() {
			err = os.Mkdir(name, 0o777)
		} else {
			var text []byte
			if text, err = io.ReadAll(r); err == nil {
				err = os.WriteFile(name, text, 0o666)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestVersion1: an old graph is the same as one that is imported now.
func TestVersion1(t *testing.T) {
	edges, path := version1(t)
	now := filepath.Join(filepath.Dir(path), "now")
	if _, err := ingest.Import(context.Background(), []string{edges}, now, ingest.Options{Storage: ingest.StorageOptions{Layout: store.CSC}}); err != nil {
		t.Fatal(err)
	}
	old, fresh := open(t, path), open(t, now)
	if a, b := old.Catalogue().Fingerprint, fresh.Catalogue().Fingerprint; a != b {
		t.Errorf("fingerprints %s and %s", a, b)
	}
	for _, dir := range []shard.Direction{shard.In, shard.Out} {
		if neighbours(t, old, dir) != neighbours(t, fresh, dir) {
			t.Errorf("the %s sides differ", dir)
		}
		buf := aligned(int(old.Catalogue().Bytes(dir, 0)))
		if _, err := old.StreamShard(dir, 0, buf, shard.Side.CheckValues); err != nil {
			t.Error(err)
		}
		old.Prefetch(dir, 0)
		a, errA := old.Degrees(dir, 0)
		if b, errB := fresh.Degrees(dir, 0); errors.Join(errA, errB) != nil || !slices.Equal(a, b) {
			t.Errorf("degrees %v and %v: %v", a, b, errors.Join(errA, errB))
		}
	}
	for v := range old.Catalogue().Vertices {
		a, errA := old.IDs().Text(v)
		b, errB := fresh.IDs().Text(v)
		if at, err := old.Lookup(a); a != b || at != v || errors.Join(errA, errB, err) != nil {
			t.Fatalf("vertex %d: %s, %s, looked up %d: %v", v, a, b, at, errors.Join(errA, errB, err))
		}
	}
	err := old.Verify(context.Background(), 2, func(int64) {}, func(err error) { t.Error(err) })
	if err != nil {
		t.Error(err)
	}
	if k := old.AccessRatio(); k != 1 {
		t.Errorf("its disk was measured: %v", k)
	}
}

// TestVersion1Damage: each flipped byte of the value log is reported or changes
// nothing, and Close ends.
func TestVersion1Damage(t *testing.T) {
	_, path := version1(t)
	s := open(t, path)
	want := neighbours(t, s, shard.In) + neighbours(t, s, shard.Out)
	logs, err := filepath.Glob(filepath.Join(path, "db", "*.vlog"))
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	sound, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	most := 35
	if testsize.Long {
		most = 7
	}
	for i := 0; i < len(sound); i += 1 + i%most {
		b := bytes.Clone(sound)
		b[i] ^= 1 << (i % 8)
		if err := os.WriteFile(logs[0], b, 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := store.Open(path)
		if errors.Is(err, store.ErrDamaged) {
			continue
		}
		if err != nil {
			t.Fatalf("byte %d: %v", i, err)
		}
		found := 0
		if err := s.Verify(context.Background(), 1, func(int64) {}, func(error) { found++ }); err != nil {
			t.Fatal(err)
		}
		if found == 0 && neighbours(t, s, shard.In)+neighbours(t, s, shard.Out) != want {
			t.Errorf("byte %d: another graph, and nothing reported", i)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestVersion1Upgraded: an old graph is upgraded to the one that an import makes now, and
// keeps when and from what it was made.
func TestVersion1Upgraded(t *testing.T) {
	edges, path := version1(t)
	before := *open(t, path).Catalogue()
	if _, err := ingest.Upgrade(t.Context(), path, ingest.UpgradeOptions{}); err != nil {
		t.Fatal(err)
	}
	now := filepath.Join(filepath.Dir(path), "now")
	if _, err := ingest.Import(t.Context(), []string{edges}, now, ingest.Options{}); err != nil {
		t.Fatal(err)
	}
	s, fresh := open(t, path), open(t, now)
	got, want := s.Catalogue(), fresh.Catalogue()
	if got.Fingerprint != want.Fingerprint || got.Layout != store.Packed {
		t.Errorf("fingerprint %s of layout %q, want %s", got.Fingerprint, got.Layout, want.Fingerprint)
	}
	if !got.Created.Equal(before.Created) || !slices.Equal(got.Source, before.Source) {
		t.Errorf("created %v from %v, before %v from %v", got.Created, got.Source, before.Created, before.Source)
	}
	if err := s.Verify(t.Context(), 2, func(int64) {}, func(err error) { t.Error(err) }); err != nil {
		t.Error(err)
	}
}
