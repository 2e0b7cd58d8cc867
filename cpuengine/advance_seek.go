package cpuengine

import (
	"math/bits"
	"sync/atomic"

	"github.com/garaph/garaph/gas/compiled"
)

// putLater gives active vertices their new values, at the end of a level.
func (f *Advancer[V, A]) putLater() {
	for i := range f.lanes {
		l := &f.lanes[i]
		for _, v := range l.later {
			f.engine.arrays.Cur[v] = f.engine.arrays.Next[v]
		}
		l.later = l.later[:0]
	}
}

// alike returns an active vertex if all have the same value, as in a search by hops, and otherwise the number of
// vertices. Unless few are left to find one, to go through their values in order takes less time than to load one for
// each vertex that does: a BFS of kron 20 takes 0.81 of the processors' time.
func (f *Advancer[V, A]) alike() (like uint32, err error) {
	a := f.engine.arrays
	first, ok := a.Active.Next(0, a.N)
	if few := f.unseen < f.active; !ok || few {
		return a.N, nil
	}
	var differ atomic.Bool
	err = f.each(parts(int(a.N), heldVertices), func(_ *lane, i int) {
		if differ.Load() {
			return
		}
		begin, end := part(i, heldVertices, int(a.N))
		for w, word := range a.Active[begin>>6 : (end+63)>>6] {
			for ; word != 0; word &= word - 1 {
				if !compiled.Same(&a.Cur[begin+w<<6+bits.TrailingZeros64(word)], &a.Cur[first]) {
					differ.Store(true)
					return
				}
			}
		}
	})
	if differ.Load() {
		first = a.N
	}
	return first, err
}
