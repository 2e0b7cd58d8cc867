package build

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/garaph/garaph/store"
)

// TestEnded checks that loops over all vertices or all edges end soon after their context,
// also between reading and sorting.
func TestEnded(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	path := filepath.Join(t.TempDir(), "g")
	const ids = 3 * askEvery
	t.Run("ids", func(t *testing.T) {
		for name, m := range map[string]*numbering{
			"sparse": {n: ids, kind: store.IDInt, ints: make([]numbered, ids)},
			"gaps":   {n: ids, kind: store.IDInt, first: 1},
		} {
			w, err := store.Create(path, false)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.write(ended, w); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
			if err := w.Abort(); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("edges", func(t *testing.T) {
		s := &spill{}
		b := newBlock(new(buffer), 0, 5, recordForm{low: 12, bytes: 5, step: 5})
		err := s.each(ended, []*block{b}, func(*block, *buffer) error {
			t.Error("a block was read")
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	t.Run("small integers before the map", func(t *testing.T) {
		b := &Builder{spill: new(spill), idNumbers: idNumbers{before: make([]uint64, ids)}}
		if err := b.renumber(ended); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// TestTooMany checks that provisional numbers stay within their range, however
// many ids a stripe has.
func TestTooMany(t *testing.T) {
	for _, i := range []uint32{0, maxID/stripes - 1, maxID / stripes, 1 << 31, 1<<32 - 1} {
		if got := provisional(i, stripes-1); got > maxID || i < maxID/stripes && got != i*stripes+stripes-1 {
			t.Errorf("id %d of a stripe has number %d", i, got)
		}
	}
}
