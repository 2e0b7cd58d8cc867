package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/tinydisk"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// TestFullDisk fills the disk within an import, between the look at its free
// space and the writing: an error with what to do, and nothing is left.
func TestFullDisk(t *testing.T) {
	for _, at := range []int{0, 1, 2} {
		disk := tinydisk.Mount(t, 160<<20)
		path := filepath.Join(disk, "g")
		full := func(step int) {
			if step == at {
				tinydisk.Fill(t, disk, 0)
			}
		}
		err := func() error {
			full(0)
			w, err := store.Create(path, false)
			if err != nil {
				return err
			}
			full(1)
			blob := aligned(int(rows.Size(1<<16, 1<<16, 0)))
			side := rows.Layout(blob, shard.In, 0, 0, 1<<16, 1<<16, 0)
			info := store.ShardInfo{Vertices: 1 << 16, In: 1 << 16, InSum: rows.Seal(blob)}
			if err := w.PutShard(0, side); err != nil {
				return errors.Join(err, w.Abort())
			}
			if err := w.IDs(store.IDBase, 7).Finish(); err != nil {
				return errors.Join(err, w.Abort())
			}
			full(2)
			return w.Commit(&store.Catalogue{Vertices: 1 << 16, Edges: 1 << 16, Symmetric: true,
				Shards: []store.ShardInfo{info}})
		}()
		if !errors.Is(err, store.ErrNoSpace) || strings.Count(err.Error(), "import to "+path) != 1 ||
			!strings.Contains(err.Error(), "free some, or import to another disk") {
			t.Errorf("full at step %d: %v", at, err)
		}
		if err := os.Remove(filepath.Join(disk, "full")); err != nil {
			t.Fatal(err)
		}
		if left := entries(t, disk); len(left) > 0 {
			t.Errorf("full at step %d: %q is left", at, left)
		}
	}
}

// TestOwnRoom checks that room that the import has taken for its payload is free for it, and
// counted so in the error.
func TestOwnRoom(t *testing.T) {
	disk := tinydisk.Mount(t, 75<<20)
	w, err := store.Create(filepath.Join(disk, "g"), false)
	if err != nil {
		t.Fatal(err)
	}
	before := freeBytes(t, disk)
	blob := aligned(int(rows.Size(8, 8, 0)))
	side := rows.Layout(blob, shard.In, 0, 0, 8, 8, 0)
	rows.Seal(blob)
	if err := w.PutShard(0, side); err != nil {
		t.Fatal(err)
	}
	if err := w.CheckSpace(3 << 20); err != nil {
		t.Errorf("of %d MiB, 3 and 64 to spare: %v", before>>20, err)
	}
	want := fmt.Sprintf("%d MiB free, 164 MiB needed", before>>20)
	if err := w.CheckSpace(100 << 20); !errors.Is(err, store.ErrNoSpace) || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, expected %s", err, want)
	}
	if err := w.Abort(); err != nil {
		t.Error(err)
	}
}

// TestCutWhileOpen cuts the payload of an open graph: its shards are damaged, and the
// error says where it ends.
func TestCutWhileOpen(t *testing.T) {
	v := newVictim(t)
	s := open(t, v.path)
	big := place{shard.In, 1} // longer than a page
	if err := os.Truncate(v.log, int64(v.at(t, big)+len(v.sound[big])/2)); err != nil {
		t.Fatal(err)
	}
	_, err := s.ReadShard(big.dir, big.i, aligned(len(v.sound[big])))
	if !errors.Is(err, store.ErrDamaged) || !strings.Contains(fmt.Sprint(err), "payload ends at") {
		t.Errorf("got %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// freeBytes returns the number of free bytes on the disk of a folder.
func freeBytes(t testing.TB, dir string) int64 {
	t.Helper()
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		t.Fatal(err)
	}
	return int64(st.Bavail) * st.Bsize
}
