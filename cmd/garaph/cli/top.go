package cli

import (
	"cmp"
	"fmt"
	"slices"
	"unsafe"

	"github.com/dustin/go-humanize"

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
// before. They lie outside the Go heap, in at most room bytes, for hostmem.Free.
func newRanked[N cmp.Ordered](k int, room int64, before func(a, b scored[N]) bool, each func(yield func(scored[N])) error) ([]scored[N], error) {
	if need := int64(k) * int64(unsafe.Sizeof(scored[N]{})); need > max(leastRoom, room) {
		return nil, fmt.Errorf("%w: the first %s take %s, and %s are left; --output writes all of them",
			hostmem.ErrBudget, humanize.Comma(int64(k)), bytesText(need), bytesText(room))
	}
	memory, err := hostmem.Slice[scored[N]](k)
	if err != nil {
		return nil, err
	}
	h := heap[N]{memory[:0], before}
	if err := each(h.offer); err != nil {
		hostmem.Free(memory)
		return nil, err
	}
	slices.SortFunc(h.kept, func(a, b scored[N]) int {
		if before(a, b) {
			return -1
		}
		return 1
	})
	return h.kept, nil
}

// heap keeps the first items, with the last of them on top when it is full.
type heap[N cmp.Ordered] struct {
	kept   []scored[N]
	before func(a, b scored[N]) bool
}

// offer keeps x if it is among the first ones.
func (h *heap[N]) offer(x scored[N]) {
	switch {
	case len(h.kept) < cap(h.kept):
		h.kept = append(h.kept, x)
		if len(h.kept) == cap(h.kept) {
			for i := len(h.kept)/2 - 1; i >= 0; i-- {
				h.sink(i)
			}
		}
	case len(h.kept) > 0 && h.before(x, h.kept[0]):
		h.kept[0] = x
		h.sink(0)
	}
}

// sink moves item i down to its place.
func (h *heap[N]) sink(i int) {
	for {
		last := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h.kept); child++ {
			if h.before(h.kept[last], h.kept[child]) {
				last = child
			}
		}
		if last == i {
			return
		}
		h.kept[i], h.kept[last] = h.kept[last], h.kept[i]
		i = last
	}
}
