package bench

import (
	"context"
	"errors"
	"testing"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/store"
)

var layouts = []store.Layout{store.CSC, store.Packed}

// A machine of today gathers along more than a million edges a second, and
// along less than a trillion.
func plausible(t *testing.T, what string, speed, least, most float64) {
	t.Helper()
	if !(speed > least && speed < most) {
		t.Errorf("%s: %g per second, want more than %g and less than %g", what, speed, least, most)
	}
}

func TestGatherSpeed(t *testing.T) {
	for _, layout := range layouts {
		g := rmatGraph(t, 12, 8, 500, layout)
		for _, threads := range []int{1, 3} {
			e, err := loadEdges(t.Context(), g, threads, 1<<30)
			if err != nil {
				t.Fatal(err)
			}
			defer e.free()
			if c := g.Catalogue(); e.count != c.Edges || e.shards != len(c.Shards) {
				t.Fatalf("%s: loaded %d edges of %d shards, the graph has %d and %d", layout, e.count, e.shards, c.Edges,
					len(c.Shards))
			}
			single, err := gatherSpeed[float32](t.Context(), e, g.Catalogue().Vertices, threads)
			if err != nil {
				t.Fatal(err)
			}
			double, err := gatherSpeed[float64](t.Context(), e, g.Catalogue().Vertices, threads)
			if err != nil {
				t.Fatal(err)
			}
			plausible(t, "gather-only, 4 bytes", single, 1e5, 1e12)
			plausible(t, "gather-only, 8 bytes", double, 1e5, 1e12)
		}
	}
}

// What a pass skips is missed: the ceiling would be too high.
func TestGatherSpeedCounts(t *testing.T) {
	for _, layout := range layouts {
		g := rmatGraph(t, 8, 4, 0, layout)
		e, err := loadEdges(t.Context(), g, 1, 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		defer e.free()
		if layout == store.Packed {
			e.packed[0].runs[0].From++
		} else {
			e.tasks[0] = e.tasks[0][1:]
		}
		if v, err := gatherSpeed[float32](t.Context(), e, g.Catalogue().Vertices, 1); err == nil {
			t.Fatalf("%s: %g edges/s with an edge missing, want an error", layout, v)
		}
	}
}

// TestGatherPacked checks that a gather reads what the side says, in all widths that its edges
// take.
func TestGatherPacked(t *testing.T) {
	for _, shift := range []uint{0, 4, 9, 13, 17, 21} {
		var nbr []uint32
		var slot []uint16
		want := 0.0
		values := make([]float64, 1024<<shift)
		for i := range uint32(1024) {
			nbr, slot = append(nbr, i<<shift), append(slot, uint16(i%7))
			values[i<<shift] = float64(i)
			want += float64(i)
		}
		for _, vertices := range []int{7, 20000} {
			var p packed.Packer
			if err := p.Sorted(shard.Header{Vertices: vertices}, nbr, slot, shard.Plane{}); err != nil {
				t.Fatal(err)
			}
			blob := make([]byte, p.Size())
			p.Write(blob)
			side, err := packed.Decode(blob)
			if err != nil {
				t.Fatal(err)
			}
			var e edges
			e.addPacked([]*packed.Side{side})
			if got := gatherPacked(values, e.packed[0]); got != want || e.slots != e.count {
				t.Errorf("gaps of %d, %d vertices: the sources of %d slots sum to %g, want %g of %d", 1<<shift, vertices, e.slots,
					got, want, e.count)
			}
		}
	}
}

// TestLoadEdges checks that a part of the edges is from all over the graph.
func TestLoadEdges(t *testing.T) {
	g := rmatGraph(t, 12, 8, 100)
	all, n := sideBytes(g.Catalogue(), shard.In), len(g.Catalogue().Shards)
	for limit, want := range map[int64]int{all: n, all / 4: (n + 4) / 5, 1: 1} {
		e, err := loadEdges(t.Context(), g, 2, limit)
		if err != nil {
			t.Fatal(err)
		}
		e.free()
		if e.shards < want-1 || e.shards > want+n/15 || e.count > g.Catalogue().Edges {
			t.Errorf("limit of %d bytes: %d of %d shards, want about %d", limit, e.shards, n, want)
		}
	}
}

func TestSpeedStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	passes := 0
	_, err := speed(ctx, 1, func() error {
		if passes++; passes == 3 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || passes > 4 {
		t.Errorf("%d passes, error %v; want a cancellation after 3", passes, err)
	}
	broken := errors.New("broken")
	if _, err := speed(t.Context(), 1, func() error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of the pass", err)
	}
}
