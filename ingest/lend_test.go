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

// TestLend: however many vertices come, their arrays and the blocks that may have memory stay within
// what a budget has for both; from when numbers come from a map on, blocks have what is their own.
func TestLend(tt *testing.T) {
	rapid.Check(tt, func(t *rapid.T) {
		b, w := benchBuilder(tt, IDInt)
		defer func() { b.close(); _ = w.Abort() }()
		all := b.plan.arrays + b.plan.names + int64(b.plan.blocks)*blockBytes
		within := func(vertices uint64) {
			if got := int64(b.spill.room)*blockBytes + b.reserved + int64(vertices)*b.vertexBytes(); got > all {
				t.Fatalf("%d vertices and %d blocks take %d bytes, there are %d", vertices, b.spill.room, got, all)
			}
		}
		within(0)
		if b.spill.room <= b.plan.blocks {
			t.Fatalf("there is room for %d blocks before any vertex, %d are their own", b.spill.room, b.plan.blocks)
		}
		for top := uint64(0); top < b.most; {
			if err := b.rise(uint32(top)); err != nil {
				t.Fatal(err)
			}
			within(top + 1)
			top += rapid.Uint64Range(1, b.most/4).Draw(t, "more")
		}
		if err := b.useMap(); err != nil {
			t.Fatal(err)
		}
		if b.spill.room != b.plan.blocks {
			t.Fatalf("with numbers from a map, there is room for %d blocks, %d are their own", b.spill.room, b.plan.blocks)
		}
	})
}
