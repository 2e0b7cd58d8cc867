package report

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/cmd/garaph/cli/show"
	"github.com/garaph/garaph/internal/hostmem"
)

// scored is a vertex, or a group of vertices, with the value by which it is
// ranked.
type scored[N cmp.Ordered] struct {
	value N
	v     uint32
}

// leastRoom is the memory that a ranking may take in any case.
const leastRoom = 1 << 20

// newRanked returns the first k of the items that each yields, in the total order
// before. They lie outside the Go heap, in at most room bytes, for freeRanked.
func newRanked[N cmp.Ordered](
	k int, room int64, before func(a, b scored[N]) bool, each func(yield func(scored[N])) error,
) ([]scored[N], error) {
	if need := 2 * int64(k) * int64(unsafe.Sizeof(scored[N]{})); need > max(leastRoom, room) {
		return nil, fmt.Errorf("%w: to find the first %s takes %s, and %s are left; --output writes all of them",
			hostmem.ErrBudget, humanize.Comma(int64(k)), show.Bytes(need), show.Bytes(room))
	}
	memory, err := hostmem.Slice[scored[N]](2 * k)
	if err != nil {
		return nil, err
	}
	kept, full := memory[:0], false // full: kept begins with the first k so far
	cut := func() {
		slices.SortFunc(kept, func(a, b scored[N]) int {
			if before(a, b) {
				return -1
			}
			return 1
		})
		full = len(kept) >= k
		kept = kept[:min(k, len(kept))]
	}
	err = each(func(x scored[N]) {
		if full && !before(x, kept[k-1]) {
			return
		}
		if kept = append(kept, x); len(kept) == cap(kept) {
			cut()
		}
	})
	if err != nil {
		hostmem.Free(memory)
		return nil, err
	}
	cut()
	return kept, nil
}

func freeRanked[N cmp.Ordered](list []scored[N]) { hostmem.Free(list[:cap(list)]) }
