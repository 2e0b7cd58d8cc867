package store_test

import (
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/garaph/garaph/ingest"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// unpackedSide is a side of the first shard as plain rows.
func unpackedSide(t *testing.T, s *store.Store, dir shard.Direction) []any {
	t.Helper()
	side, err := s.ReadShard(dir, 0, aligned(int(s.Catalogue().Bytes(dir, 0))))
	if err != nil {
		t.Fatal(err)
	}
	h := side.Header()
	list := rows.Unpack(side.(rows.Unpacker), make([]byte, rows.Size(h.Vertices, h.Edges, h.Weighted)), h.Weighted)
	return []any{list.Off, list.Nbr, list.Weight}
}

// TestVersion2: a graph whose degrees are not compressed, and whose rows have wide indexes,
// is the same as one that is imported now, and so it is upgraded.
func TestVersion2(t *testing.T) {
	edges, path := unpacked(t, "version2")
	for _, undirected := range []bool{false, true} {
		testVersion2(t, edges, path, undirected)
		path = filepath.Join(filepath.Dir(path), "both.graph")
	}
}

func testVersion2(t *testing.T, edges, path string, undirected bool) {
	t.Helper()
	now := path + ".now"
	if _, err := ingest.Import(t.Context(), []string{edges}, now, ingest.Options{Edges: ingest.EdgeOptions{Undirected: undirected}, Storage: ingest.StorageOptions{Rows: true}}); err != nil {
		t.Fatal(err)
	}
	old, fresh := open(t, path), open(t, now)
	if old.Current() || !fresh.Current() {
		t.Errorf("of the version of today: %v and %v", old.Current(), fresh.Current())
	}
	same := func(old *store.Store) {
		t.Helper()
		for _, dir := range old.Catalogue().Sides() {
			if dir >= shard.OutWeights {
				continue
			}
			a, err := old.Degrees(dir, 0)
			if b, freshErr := fresh.Degrees(dir, 0); err != nil || freshErr != nil || !slices.Equal(a, b) {
				t.Errorf("degrees %v and %v: %v, %v", a, b, err, freshErr)
			}
			if !reflect.DeepEqual(unpackedSide(t, old, dir), unpackedSide(t, fresh, dir)) {
				t.Errorf("the %s sides differ", dir)
			}
		}
		if err := old.Verify(t.Context(), 2, func(int64) {}, func(err error) { t.Error(err) }); err != nil {
			t.Error(err)
		}
	}
	same(old)
	before := *old.Catalogue()
	if _, err := ingest.Upgrade(t.Context(), path, ingest.UpgradeOptions{}); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	same(s)
	if got := s.Catalogue(); got.Fingerprint != before.Fingerprint || !slices.Equal(got.Sides(), before.Sides()) || !got.Created.Equal(before.Created) || !s.Current() {
		t.Errorf("%+v, before %+v", got, before)
	}
}
