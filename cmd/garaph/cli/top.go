package cli

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/garaph/garaph/internal/hostmem"
)

// scored is a vertex, or a group of vertices, with the value by which it is
// ranked.
type scored[N cmp.Ordered] struct {
	value N
	v     uint32
}

// leastRoom is what the items of a ranking may take in any case.
const leastRoom = 1 << 20

// ranked gives the first k of the items that each yields, in the total order
// before. It holds as many as room bytes take, outside the Go heap; if k is more,
// it goes over all items several times, for the first ones behind those that it
// has given. close frees its memory.
type ranked[N cmp.Ordered] struct {
	k      int
	before func(a, b scored[N]) bool
	each   func(yield func(scored[N])) error

	memory []scored[N]
	kept   []scored[N] // in memory: a heap with the last one on top when it is full
	whole  bool        // kept has all k items, in order
}

func newRanked[N cmp.Ordered](k int, room int64, before func(a, b scored[N]) bool, each func(yield func(scored[N])) error) (*ranked[N], error) {
	most := room / int64(unsafe.Sizeof(scored[N]{}))
	memory, err := hostmem.Slice[scored[N]](int(max(1, min(int64(k), most))))
	return &ranked[N]{k: k, before: before, each: each, memory: memory}, err
}

func (r *ranked[N]) close() {
	hostmem.Free(r.memory)
	r.memory, r.kept = nil, nil
}

// parts yields the items in order, some at a time. It may be called again.
func (r *ranked[N]) parts(yield func([]scored[N]) error) error {
	if r.whole {
		return yield(r.kept)
	}
	var last scored[N]
	for given := 0; given < r.k; {
		r.kept = r.memory[:0:min(len(r.memory), r.k-given)]
		err := r.each(func(x scored[N]) {
			if given == 0 || r.before(last, x) {
				r.offer(x)
			}
		})
		if err != nil {
			return err
		}
		slices.SortFunc(r.kept, func(a, b scored[N]) int {
			if r.before(a, b) {
				return -1
			}
			return 1
		})
		more := len(r.kept) == cap(r.kept) && given+len(r.kept) < r.k
		r.whole = given == 0 && !more
		if err := yield(r.kept); err != nil || !more {
			return err
		}
		given += len(r.kept)
		last = r.kept[len(r.kept)-1]
	}
	return nil
}

// offer keeps x if it is among the first ones.
func (r *ranked[N]) offer(x scored[N]) {
	switch {
	case len(r.kept) < cap(r.kept):
		r.kept = append(r.kept, x)
		if len(r.kept) == cap(r.kept) {
			for i := len(r.kept)/2 - 1; i >= 0; i-- {
				r.sink(i)
			}
		}
	case r.before(x, r.kept[0]):
		r.kept[0] = x
		r.sink(0)
	}
}

// sink moves item i of the heap down to its place.
func (r *ranked[N]) sink(i int) {
	for {
		last := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(r.kept); child++ {
			if r.before(r.kept[last], r.kept[child]) {
				last = child
			}
		}
		if last == i {
			return
		}
		r.kept[i], r.kept[last] = r.kept[last], r.kept[i]
		i = last
	}
}
