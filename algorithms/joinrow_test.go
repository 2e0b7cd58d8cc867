package algorithms

import (
	"testing"

	"pgregory.net/rapid"
)

// TestJoinRow compares unions of counters with those of their registers.
func TestJoinRow(t *testing.T) {
	register := func(c hyperCounter, i int) uint64 { return c[i/8] >> (i % 8 * 8) & 0xff }
	rapid.Check(t, func(t *rapid.T) {
		now := make([]hyperCounter, 9)
		seed := rapid.Uint64().Draw(t, "seed")
		for k := range 2000 {
			now[k%9].add(uint32(k), seed)
		}
		changed := rapid.SliceOfN(rapid.Bool(), 9, 9).Draw(t, "changed")
		row := rapid.SliceOf(rapid.Uint32Range(0, 8)).Draw(t, "row")
		c, want := now[0], now[0]
		joinRow(&c, now, changed, row)
		for i := range 64 {
			most := register(want, i)
			for _, u := range row {
				if changed[u] {
					most = max(most, register(now[u], i))
				}
			}
			if got := register(c, i); got != most {
				t.Fatalf("register %d: got %d, want %d", i, got, most)
			}
		}
	})
}
