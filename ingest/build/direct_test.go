package build

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/garaph/garaph/store"
)

// marked returns a numbering of small integers that number themselves.
func marked(numbers []uint32) *numbering {
	ranks := make([]rank, slices.Max(numbers)/64+1)
	for _, t := range numbers {
		ranks[t>>6].bits |= 1 << (t & 63)
	}
	return compact(ranks)
}

// TestNumber finds the number of every dense id, with gaps and without.
func TestNumber(t *testing.T) {
	for _, numbers := range [][]uint32{
		{0}, {5}, {63, 64, 65}, {7, 8, 9, 10}, {0, 63, 64, 127, 128}, {1, 1000, 1001, 70000},
		{64 * 9}, {3, 64*7 + 63, 64 * 30},
	} {
		m := marked(numbers)
		for dense, want := range numbers {
			if got := m.number(uint32(dense)); got != want {
				t.Errorf("of %v, number(%d) = %d", numbers, dense, got)
			}
			if got := m.dense(want); got != uint32(dense) || !m.has(want) {
				t.Errorf("of %v, dense(%d) = %d", numbers, want, got)
			}
		}
		if m.ranks != nil && m.has(2) {
			t.Errorf("of %v, there is a 2", numbers)
		}
	}
}

// TestGather makes the same keys of a group's records whether its vertices lie together or have
// more gaps between them than arrays over their numbers may have, and refuses more edges than
// there is room for.
func TestGather(t *testing.T) {
	for _, c := range []struct {
		name string
		gap  uint32
		want bool
	}{{"together", 1, false}, {"gaps", 2, false}, {"far apart", 1 << 14, true}} {
		t.Run(c.name, func(t *testing.T) {
			var numbers []uint32
			for i := range uint32(100) {
				numbers = append(numbers, 3+i*c.gap)
			}
			m := marked(numbers)
			g := &group{first: 20, last: 59}
			x := m.rangeOf(g)
			if x.dense != c.want {
				t.Fatalf("dense ids: %v", x.dense)
			}
			form := recordForm{low: uint8(bits.Len32(numbers[99])), bytes: 8, step: 8}
			data, n := new(buffer), 0
			r := rand.New(rand.NewPCG(1, 2))
			var want []uint64 // source << 32 | dense id of the destination in the group
			for n+8 <= blockBytes {
				u, v := r.Uint32N(1<<20), r.Uint32N(100)
				k := uint64(u)<<form.low | uint64(numbers[v])
				for i := range 8 {
					data[n+i] = byte(k >> (8 * i))
				}
				n += 8
				if v >= g.first && v <= g.last {
					want = append(want, uint64(u)<<32|uint64(v-g.first)<<16)
				}
			}
			b := newBlock(data, 0, n, form)
			keys, count := make([]uint64, len(want)), make([]uint32, x.n)
			if got := x.gather(b, data, keys[1:], slices.Clone(count)); got != -1 {
				t.Fatalf("%d keys in too little room", got)
			}
			if got := x.gather(b, data, keys, count); got != len(want) {
				t.Fatalf("%d keys of %d", got, len(want))
			}
			s := &sorter{sideBuilder: &sideBuilder{numbers: m}}
			s.shards = []store.ShardInfo{{First: g.first, Vertices: 30}, {First: g.first + 30, Vertices: 10}}
			g.to = 2
			s.placesOf(g, &x, count)
			sorted, all := make([]uint64, len(keys)), uint64(0)
			for _, k := range want {
				all |= k >> 32
			}
			if got := placeKeys(keys, sorted, s.places); got != all {
				t.Errorf("bits of the sources %x, expected %x", got, all)
			}
			slices.SortStableFunc(want, func(a, b uint64) int { return int(uint32(a)) - int(uint32(b)) })
			for i := range want { // the second shard's destinations count from its first
				if want[i]&(1<<32-1) >= 30<<16 {
					want[i] -= 30 << 16
				}
			}
			if !slices.Equal(sorted, want) {
				t.Error("keys lie at other places")
			}
			got := bySource(slices.Clone(sorted), make([]uint64, len(sorted)), all, &s.counts)
			slices.SortStableFunc(want, func(a, b uint64) int { return int(a>>32) - int(b>>32) })
			if !slices.Equal(got, want) {
				t.Error("keys are not sorted by source")
			}
		})
	}
}
