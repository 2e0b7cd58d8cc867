package bench

import (
	"context"
	"errors"
	"testing"

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
			if c := g.Catalogue(); uint64(len(e.sources)) != c.Edges || e.shards != len(c.Shards) {
				t.Fatalf("%s: loaded %d edges of %d shards, the graph has %d and %d", layout, len(e.sources), e.shards, c.Edges,
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

// TestLoadEdges checks that a part of the edges is from all over the graph.
func TestLoadEdges(t *testing.T) {
	g := rmatGraph(t, 12, 8, 100)
	all, n := 4*int64(g.Catalogue().Edges), len(g.Catalogue().Shards)
	for limit, want := range map[int64]int{all: n, all / 4: (n + 4) / 5, 1: 1} {
		e, err := loadEdges(t.Context(), g, 2, limit)
		if err != nil {
			t.Fatal(err)
		}
		e.free()
		if e.shards < want-1 || e.shards > want+n/15 || uint64(len(e.sources)) > g.Catalogue().Edges {
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
