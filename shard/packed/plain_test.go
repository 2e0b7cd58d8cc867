package packed

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
)

// TestPlain checks that rows have the edges that were packed, by destination, in their order, over
// what must not stay.
func TestPlain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h, n, edges := draw(t)
		s, _ := decoded(t, pack(t, h, edges), n)
		room := make([]byte, rows.Size(h.Vertices, uint32(len(edges)), h.WeightBytes()))
		for i := range room {
			room[i] = 0xff
		}
		rows.Unpack(s, room, s.Layout.WeightBytes())
		rows.Seal(room)
		side, err := shard.Decode(room)
		if err == nil {
			err = side.CheckOrder()
		}
		if err != nil {
			t.Fatal(err)
		}
		got := rows.Of(side)
		if g := got.Header(); g.Dir != h.Dir || g.Index != h.Index || g.First != h.First || g.Vertices != h.Vertices ||
			g.WeightBytes() != h.WeightBytes() {
			t.Fatalf("header %+v of %+v", g, h)
		}
		slices.SortStableFunc(edges, func(a, b edge) int { return int(a.slot) - int(b.slot) })
		for v := range got.Vertices() {
			for at := got.Off[v]; at < got.Off[v+1]; at++ {
				e := edge{nbr: got.Nbr[at], slot: uint16(v)}
				if h.Weighted {
					e.weight = float32(got.Plane().At(int(at)))
				}
				if e != edges[at] {
					t.Fatalf("edge %d: got %v, want %v", at, e, edges[at])
				}
			}
		}
	})
}
