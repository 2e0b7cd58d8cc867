package gpuengine

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/teststore"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/store"
)

// TestLargeShards compares the engine with a direct evaluation on shards of thousands of
// edges, which take all of the least buffers, in many chunks: with all codings of
// weights, in several windows.
func TestLargeShards(t *testing.T) {
	for _, layout := range layouts {
		for distinct, name := range map[uint32]string{0: "unweighted", 200: "bytes", 3000: "words", 1 << 24: "floats"} {
			g := largeGraph(uint64(distinct))
			rng := rand.New(rand.NewPCG(5, 6))
			for i := range g.Edges {
				g.Edges[i].Weight = float32(rng.Uint32N(max(1, distinct))) / 8
			}
			s := teststore.Build(t, g, teststore.Options{Weighted: distinct > 0, ShardVertices: 250, Layout: layout})
			for _, direction := range []gas.Direction{gas.In, gas.Both} {
				for _, o := range []Options{{}, {ChunkEdges: 300, Shared: 8 * 40}} {
					for _, more := range []int64{-1, 0, 70_000} {
						p := mix{Salt: 3, direction: direction}
						o := o
						if more >= 0 {
							o.Memory = leastMemory(t, s, p, o) + more
						}
						t.Run(fmt.Sprintf("%s/%s/%v/%d/%d", layout, name, direction, o.ChunkEdges, more), func(t *testing.T) {
							testIterate(t, s, g, p, o, page.Options{})
						})
					}
				}
			}
		}
	}
}

// TestUnfitForPacked checks that what the kernels cannot do over packed sides is refused, and only
// there.
func TestUnfitForPacked(t *testing.T) {
	f := mix{}.Fragments()
	for _, c := range []struct {
		layout    store.Layout
		direction gas.Direction
		size      int
		shared    int
		want      string
	}{
		{store.Packed, gas.In, 16, 15, ""}, // its pages hold plain rows
		{store.CSC, gas.In, 16, 48 << 10, ""},
		{store.Packed, gas.In, 8, 15, "does not fit into the shared memory of the GPU"},
		{store.Packed, gas.In, 8, 16, ""},
	} {
		s := teststore.Build(t, largeGraph(1), teststore.Options{Layout: c.layout})
		o := Options{Memory: 1 << 30, Shared: c.shared}
		f.Accumulator.Size = c.size
		o.complete(device.Info{Free: 2 << 30, SharedBlock: 48 << 10})
		_, err := newPlan(s.Catalogue(), f, c.direction, o)
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, ErrUnfit) ||
			!strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "--layout csc")) {
			t.Errorf("%+v: got %v", c, err)
		}
	}
}
