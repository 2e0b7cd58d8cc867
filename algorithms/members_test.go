package algorithms

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMembers checks sets of one to many vertices in memory for many, and in as little as there may be.
func TestMembers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 21, 500} {
		row := make([]uint32, n)
		for i := range row {
			row[i] = r.Uint32N(uint32(4 * n))
		}
		for _, most := range []int64{int64(n), 1000} {
			memory := slices.Repeat([]uint32{7}, int(memberSlots(most)))
			m := newMembers(memory, row)
			for x := range uint32(4 * n) {
				if m.has(x) != slices.Contains(row, x) {
					t.Fatalf("%d members, memory for %d: has(%d) is %v", n, most, x, m.has(x))
				}
			}
		}
	}
}
