package ingest

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestRoom: whatever room blocks are left while they come, no more of them have memory, and what
// was put into them comes out.
func TestRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const most = 20
		s, err := newSpill("", most, rapid.IntRange(0, most).Draw(t, "room"), func(int64) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		s.lent = true
		w := s.writer(4, false)
		w.shift = 30
		var want [4][]uint32
		within := func() {
			if held := most - s.fresh - len(s.bare); held != s.used || s.used > max(s.room, len(w.pending)) {
				t.Fatalf("%d blocks have memory, %d are counted, there is room for %d", held, s.used, s.room)
			}
		}
		for range rapid.IntRange(1, 12).Draw(t, "turns") {
			src := rapid.Uint32().Draw(t, "source")
			for i := range rapid.SampledFrom([]uint32{0, 5, 9_000, 30_000}).Draw(t, "edges") {
				dst := i * 2654435761
				if err := w.add(dst>>30, src+i, dst, 1); err != nil {
					t.Fatal(err)
				}
				want[dst>>30] = append(want[dst>>30], src+i, dst)
			}
			within()
			if err := s.setRoom(rapid.IntRange(0, most).Draw(t, "room")); err != nil {
				t.Fatal(err)
			}
			within()
		}
		w.flush()
		if err := s.keepRoom(rapid.IntRange(0, most).Draw(t, "room")); err != nil {
			t.Fatal(err)
		}
		if s.used > s.room {
			t.Fatalf("%d blocks have memory, there is room for %d", s.used, s.room)
		}
		for k, blocks := range w.buckets {
			var got []uint32
			err := s.eachUnpacked(context.Background(), blocks, func(records []uint32) error {
				got = append(got, records...)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want[k]) {
				t.Fatalf("bucket %d: %d numbers came out, %d went in, or others", k, len(got), len(want[k]))
			}
		}
	})
}
