package store_test

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// forge stores a symmetric graph with weights of one shard, 0 → 1 → 2 → 0, after
// change had its way with the side and the catalogue. All checksums are sound.
func forge(t *testing.T, change func(s *rows.Side, c *store.Catalogue)) *store.Store {
	t.Helper()
	path := filepath.Join(memoryDir(t), "g")
	w, err := store.Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	blob := aligned(int(rows.Size(3, 3, 4)))
	side := rows.Layout(blob, shard.In, 0, 0, 3, 3, 4)
	copy(side.Off, []uint32{0, 1, 2, 3})
	copy(side.Nbr, []uint32{2, 0, 1})
	copy(side.Weight, []float32{1, 2, 3})
	cat := &store.Catalogue{Vertices: 3, Edges: 3, Weighted: true, Symmetric: true,
		Shards: []store.ShardInfo{{Vertices: 3, In: 3, Out: 3}}}
	change(side, cat)
	cat.Shards[0].InSum = rows.Seal(blob)
	if err := errors.Join(w.PutShard(0, side), w.IDs(store.IDBase, 0).Finish(), w.Commit(cat)); err != nil {
		t.Fatal(err)
	}
	return open(t, path)
}

// TestForgedShards checks that sound checksums over what no engine could work with.
func TestForgedShards(t *testing.T) {
	for _, c := range []struct {
		name, says string
		change     func(s *rows.Side, c *store.Catalogue)
	}{
		{"nothing", "", func(*rows.Side, *store.Catalogue) {}},
		{"neighbour", "vertex 1 has neighbour 3, the graph has 3 vertices",
			func(s *rows.Side, _ *store.Catalogue) { s.Nbr[1] = 3 }},
		{"large neighbour", "vertex 2 has neighbour 4294967295",
			func(s *rows.Side, _ *store.Catalogue) { s.Nbr[2] = math.MaxUint32 }},
		{"weight", "weight -1, number 0", func(s *rows.Side, _ *store.Catalogue) { s.Weight[0] = -1 }},
		{"edges", "the catalogue expects an in side of 4",
			func(_ *rows.Side, c *store.Catalogue) { c.Edges, c.Shards[0].In, c.Shards[0].Out = 4, 4, 4 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := forge(t, c.change)
			buf := aligned(int(s.Catalogue().Bytes(shard.In, 0)))
			_, read := s.ReadShard(shard.In, 0, buf)
			_, streamed := s.Read(shard.Out, 0, buf, streaming)
			var verified error
			if err := s.Verify(context.Background(), 1, func(int64) {}, func(err error) { verified = err }); err != nil {
				t.Fatal(err)
			}
			for way, err := range map[string]error{"read": read, "streamed": streamed, "verified": verified} {
				if errors.Is(err, store.ErrDamaged) != (c.says != "") || c.says != "" && !strings.Contains(err.Error(), c.says) {
					t.Errorf("%s: %v, want %q", way, err, c.says)
				}
			}
		})
	}
}

// TestHostileFolders checks that whatever stands in the folder of a graph, opening it ends
// soon, with an error that names it, and leaves all of it as it was.
func TestHostileFolders(t *testing.T) {
	put := func(name string, b []byte) func(string) error {
		return func(path string) error { return os.WriteFile(filepath.Join(path, name), b, 0o666) }
	}
	grow := func(name string, n int64) func(string) error {
		return func(path string) error { return os.Truncate(filepath.Join(path, name), n) }
	}
	kinds := map[string]func(name string) error{
		"link":   func(name string) error { return os.Symlink(name+".aside", name) },
		"FIFO":   func(name string) error { return unix.Mkfifo(name, 0o666) },
		"folder": func(name string) error { return os.Mkdir(name, 0o777) },
		// the path may be too long to listen at
		"socket": func(name string) error { return unix.Mknod(name, unix.S_IFSOCK|0o666, 0) },
	}
	type hostile struct {
		name, says string
		change     func(path string) error
	}
	list := []hostile{
		{"sparse marker", "GARAPH", grow("GARAPH", 1<<40)},
		{"table of keys", "", put("db/00001.mem", []byte("x"))},
		{"no table", "", func(path string) error { return os.Remove(filepath.Join(path, "db/000001.sst")) }},
		{"no manifest", "", func(path string) error { return os.Remove(filepath.Join(path, "db/MANIFEST")) }},
		{"manifest of another", "", put("db/MANIFEST", []byte("Bdgr\x00\x00\x00\x07"))},
		{"record of 4 GiB", "", put("db/MANIFEST", []byte("Bdgr\x00\x00\x00\x08\xff\xff\xff\xff1234"))},
		{"no directory", "", func(path string) error { return os.RemoveAll(filepath.Join(path, "db")) }},
	}
	for kind, make := range kinds {
		for _, name := range []string{"GARAPH", "db", "db/000001.sst", "db/000001.vlog", "db/MANIFEST", "db/KEYREGISTRY",
			"db/DISCARD", "payload"} {
			if name != "GARAPH" && kind == "folder" {
				continue
			}
			list = append(list, hostile{kind + " for " + name, filepath.Base(name), func(path string) error {
				name := filepath.Join(path, name)
				return errors.Join(os.Rename(name, name+".aside"), make(name))
			}})
		}
	}
	for _, c := range list {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(memoryDir(t), "g")
			write(t, path, random(1, 40, 4000), teststore.Options{ShardVertices: 10})
			if err := c.change(path); err != nil {
				t.Fatal(err)
			}
			before := tree(t, path)
			ended := make(chan error, 1)
			go func() {
				s, err := store.Open(path)
				if err == nil {
					err = errors.Join(errors.New("opened"), s.Close())
				}
				ended <- err
			}()
			select {
			case err := <-ended:
				if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) ||
					strings.Contains(err.Error(), "/proc/self") {
					t.Errorf("got %v, want %q", err, c.says)
				}
			case <-time.After(time.Minute):
				t.Fatal("it hangs")
			}
			if after := tree(t, path); !slices.Equal(before, after) {
				t.Errorf("the folder had %v, and has %v", before, after)
			}
		})
	}
}

// tree lists all that lies below a folder.
func tree(t *testing.T, path string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(path, func(name string, _ fs.DirEntry, err error) error {
		list = append(list, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestLockOfAnother checks that a file of the user with the name of the lock for imports stays,
// and nothing is waited for.
func TestLockOfAnother(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"a file": func(path string) error { return os.WriteFile(path, []byte("mine"), 0o666) },
		"a FIFO": func(path string) error { return unix.Mkfifo(path, 0o666) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			lock := filepath.Join(dir, ".g.lock")
			if err := make(lock); err != nil {
				t.Fatal(err)
			}
			w, err := store.Create(filepath.Join(dir, "g"), false)
			if err == nil {
				err = errors.Join(errors.New("it was begun"), w.Abort())
			}
			if !strings.Contains(err.Error(), lock+" has the name of the lock for imports, and is none; move it away") {
				t.Error(err)
			}
			if _, err := os.Lstat(lock); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestReadOnlyFolder checks that an import to a folder in which nothing may be made says so.
func TestReadOnlyFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write anywhere")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Create(filepath.Join(dir, "g"), false); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
}
