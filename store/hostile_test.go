package store_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// forge stores a symmetric graph with weights of one shard, 0 → 1 → 2 → 0, after
// change had its way with the side and the catalogue. All checksums are sound.
func forge(t *testing.T, change func(s *shard.Side, c *store.Catalogue)) *store.Store {
	t.Helper()
	path := filepath.Join(memoryDir(t), "g")
	w, err := store.Create(path, false)
	if err != nil {
		t.Fatal(err)
	}
	blob := aligned(int(shard.Size(3, 3, true)))
	side := shard.Layout(blob, shard.In, 0, 0, 3, 3, true)
	copy(side.Off, []uint32{0, 1, 2, 3})
	copy(side.Nbr, []uint32{2, 0, 1})
	copy(side.Weight, []float32{1, 2, 3})
	cat := &store.Catalogue{Vertices: 3, Edges: 3, Weighted: true, Symmetric: true, Shards: []store.ShardInfo{{Vertices: 3, In: 3, Out: 3}}}
	change(&side, cat)
	cat.Shards[0].InSum = shard.Seal(blob)
	if err := errors.Join(w.PutShard(shard.In, 0, blob), w.IDs(store.IDBase, 0).Finish(), w.Commit(cat)); err != nil {
		t.Fatal(err)
	}
	return open(t, path)
}

// TestForgedShards: sound checksums over what no engine could work with.
func TestForgedShards(t *testing.T) {
	for _, c := range []struct {
		name, says string
		change     func(s *shard.Side, c *store.Catalogue)
	}{
		{"nothing", "", func(*shard.Side, *store.Catalogue) {}},
		{"neighbour", "vertex 1 has neighbour 3, the graph has 3 vertices", func(s *shard.Side, _ *store.Catalogue) { s.Nbr[1] = 3 }},
		{"large neighbour", "vertex 2 has neighbour 4294967295", func(s *shard.Side, _ *store.Catalogue) { s.Nbr[2] = math.MaxUint32 }},
		{"weight", "weight -1 of edge 0", func(s *shard.Side, _ *store.Catalogue) { s.Weight[0] = -1 }},
		{"edges", "the catalogue expects an in side of 4", func(_ *shard.Side, c *store.Catalogue) { c.Edges, c.Shards[0].In, c.Shards[0].Out = 4, 4, 4 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := forge(t, c.change)
			buf := aligned(int(s.Catalogue().Bytes(shard.In, 0)))
			_, read := s.ReadShard(shard.In, 0, buf)
			_, streamed := s.StreamShard(shard.Out, 0, buf)
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
