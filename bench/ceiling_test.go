package bench

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/rows"
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
			e, err := loadEdges(t.Context(), g.Store(), threads, 1<<30)
			if err != nil {
				t.Fatal(err)
			}
			defer e.free()
			if c := g.Catalogue(); e.count != c.Edges || e.shards != len(c.Shards) {
				t.Fatalf("%s: loaded %d edges of %d shards, the graph has %d and %d", layout, e.count, e.shards, c.Edges, len(c.Shards))
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
		e, err := loadEdges(t.Context(), g.Store(), 1, 1<<30)
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

// TestGatherPacked: a gather reads what the side says, in all widths that its edges take.
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
			if err := p.Sorted(shard.Header{Vertices: vertices}, nbr, slot, nil); err != nil {
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
				t.Errorf("gaps of %d, %d vertices: the sources of %d slots sum to %g, want %g of %d", 1<<shift, vertices, e.slots, got, want, e.count)
			}
		}
	}
}

func TestGatherOnly(t *testing.T) {
	values := []float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}
	for n := range 20 {
		var sources []uint32
		var want float64
		for i := range n {
			sources = append(sources, uint32(i*7%10))
			want += values[i*7%10]
		}
		if got := gatherOnly(values, sources); got != want {
			t.Errorf("%d sources sum to %g, want %g", n, got, want)
		}
	}
}

func TestAddPieces(t *testing.T) {
	var e edges
	e.add(make([]uint32, 2*edgesPerTask+1))
	e.add(nil)
	e.add(make([]uint32, 3))
	var sizes []int
	for _, p := range e.tasks {
		sizes = append(sizes, len(p))
	}
	if want := []int{edgesPerTask, edgesPerTask, 1, 3}; !slices.Equal(sizes, want) || e.count != 2*edgesPerTask+4 {
		t.Errorf("tasks of %d edges of %d, want %d", sizes, e.count, want)
	}
}

func TestChooseShards(t *testing.T) {
	c := &store.Catalogue{}
	for i := range 100 {
		c.Shards = append(c.Shards, store.ShardInfo{First: uint32(i), Vertices: 1, In: 1000, Blobs: [2]store.Extent{{Bytes: rows.Size(1, 1000, false)}}})
	}
	size := c.Bytes(0, 0)
	for _, test := range []struct {
		limit int64
		want  int
	}{{1 << 60, 100}, {100 * size, 100}, {50 * size, 50}, {size, 1}, {0, 1}} {
		chosen, total := chooseShards(c, test.limit)
		if len(chosen) != test.want || total != int64(test.want)*size {
			t.Errorf("limit of %d shards: %d chosen, %d bytes; want %d", test.limit/size, len(chosen), total, test.want)
		}
		for k, s := range chosen {
			if s.at != int64(k)*size || s.size != size {
				t.Errorf("shard %d lies at %d, want %d", s.index, s.at, int64(k)*size)
			}
		}
	}
	if chosen, _ := chooseShards(c, 10*size); chosen[0].index > 10 || chosen[9].index < 90 {
		t.Errorf("ten shards from %d to %d are not from all over the graph", chosen[0].index, chosen[9].index)
	}
}

func TestCopySpeed(t *testing.T) {
	v, err := copySpeed(t.Context(), 4*copyPart, 2)
	if err != nil {
		t.Fatal(err)
	}
	plausible(t, "stream copy", v, 1e7, 1e14)
}

func TestCopyBytes(t *testing.T) {
	for _, test := range []struct {
		m    Machine
		want int64
	}{
		{Machine{}, 64 << 20},
		{Machine{Cache: 32 << 20, Memory: 64 << 30}, 64 << 20},
		{Machine{Cache: 64 << 20, Memory: 64 << 30}, 128 << 20},
		{Machine{Cache: 256 << 20, Memory: 4 << 30}, 256 << 20},
		{Machine{Memory: 1 << 20}, copyPart},
	} {
		if got := test.m.copyBytes(); got != test.want {
			t.Errorf("%+v: %d bytes, want %d", test.m, got, test.want)
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
	if !errors.Is(err, context.Canceled) || passes != 3 {
		t.Errorf("%d passes, error %v; want 3 and a cancellation", passes, err)
	}
	broken := errors.New("broken")
	if _, err := speed(t.Context(), 1, func() error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of the pass", err)
	}
}
