package packed

import (
	"iter"
	"math"
)

// windowSources is the number of sources a window has: their values stay in a second-level
// cache from one side to the next.
const windowSources = 1 << 15

// Run is blocks of one of some sides.
type Run struct{ Side, From, To int }

// Windows returns all blocks of some sides, window by window of their sources, so that
// a gather along all of them reads values from memory once. The order of the
// blocks of a side, and of sides of one shard, does not depend on what other sides
// there are.
func Windows(sides []*Side) iter.Seq[Run] {
	return func(yield func(Run) bool) {
		at := make([]int, len(sides)) // block
		for {
			end := uint64(math.MaxUint64)
			for k, s := range sides {
				if at[k] < s.Layout.Blocks {
					end = min(end, uint64(s.Heads[at[k]].Source)&^(windowSources-1)+windowSources)
				}
			}
			if end == math.MaxUint64 {
				return
			}
			for k, s := range sides {
				from := at[k]
				for at[k] < s.Layout.Blocks && (len(sides) == 1 || uint64(s.Heads[at[k]].Source) < end) {
					at[k]++
				}
				if at[k] > from && !yield(Run{k, from, at[k]}) {
					return
				}
			}
		}
	}
}
