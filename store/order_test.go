package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// ordered stores n vertices without edges by degree, with ids by place.
func ordered(t *testing.T, path string, ids []uint32) error {
	t.Helper()
	w, err := store.Create(path, true)
	if err != nil {
		t.Fatal(err)
	}
	blob := aligned(int(rows.Size(len(ids), 0, 0)))
	side := rows.Layout(blob, shard.In, 0, 0, len(ids), 0, 0)
	cat := &store.Catalogue{Vertices: uint32(len(ids)), Symmetric: true,
		Shards: []store.ShardInfo{{Vertices: len(ids), InSum: rows.Seal(blob)}}}
	err = errors.Join(w.PutShard(0, side), w.IDs(store.IDBase, 0).Finish(), w.PutOrder(store.ByDegree, ids))
	if err != nil {
		t.Fatal(err)
	}
	return w.Commit(cat)
}

func TestOrderedIDs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "graph")
	want := []uint32{4, 0, 3, 1, 2}
	if err := ordered(t, path, want); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	got, err := s.OrderedIDs()
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, expected %v", got, err, want)
	}
	if at := store.Place(got, 1); at != 3 {
		t.Errorf("vertex 1 is at place %d, expected 3", at)
	}
	hostmem.Free(got)
}

// TestHostileOrder checks that an order that is none is damage.
func TestHostileOrder(t *testing.T) {
	for _, ids := range [][]uint32{{0, 0, 1}, {0, 1, 3}} {
		path := filepath.Join(t.TempDir(), "graph")
		if err := ordered(t, path, ids); err != nil {
			t.Fatal(err)
		}
		if _, err := open(t, path).OrderedIDs(); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("%v: %v", ids, err)
		}
	}
}

// TestDamagedOrder flips a bit of the order.
func TestDamagedOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "graph")
	if err := ordered(t, path, []uint32{2, 1, 0}); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	e := s.Catalogue().Ordering.Blocks[0]
	f, err := os.OpenFile(filepath.Join(path, "payload"), os.O_RDWR, 0)
	if err == nil {
		_, err = f.WriteAt([]byte{1}, e.Off+e.Bytes-4)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.OrderedIDs(); !errors.Is(err, store.ErrDamaged) {
		t.Errorf("a damaged order: %v", err)
	}
}
