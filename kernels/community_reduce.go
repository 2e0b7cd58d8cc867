package kernels

import (
	"math/bits"
	"unsafe"
)

// insideShift is where d_C begins in a count, behind d_C∪R.
const insideShift = 20

// communityScore is divided by d_C to get what a neighbour in C adds to a score.
const communityScore = 720720

type communityWarp struct {
	x        *access
	a        *CommunityProcessArgs
	problems []CommunityProblem
	bests    []CommunityBest
	members  []uint32
	scratch  communityScratch

	warpNode
	warpSets
	warpLists
}

// warpNode is the node of the search that a warp is at, in a space of scratch memory or
// that of its problem.
type warpNode struct {
	problem *CommunityProblem
	kept    []uint32
	rows    []uint64
	n       uint32
	words   uint32
	space   uint32
	size    int
	k       int
}

// warpSets are as long as the words of the space.
type warpSets struct {
	c, r, all, seen, more []uint64
}

// warpLists are a warp's lists of vertices, and what it counts for them.
type warpLists struct {
	with, lacks      []uint32
	chosen           []uint32 // C
	edgesIn, weights []uint32 // by vertex of C
	count, lists     []uint32
	list             []uint32 // C ∪ R
}

func uint32s(words []uint64, n int) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(words[:(n+1)/2]))), n)
}

func (w *communityWarp) row(v uint32) []uint64 { return w.rows[v*w.words:][:w.words] }
func (w *communityWarp) degree(i int) int      { return int(w.count[i] & (1<<insideShift - 1)) }
func (w *communityWarp) inside(i int) int      { return int(w.count[i] >> insideShift) }

func (w *communityWarp) enter(s uint32) {
	x := w.scratch.space(s)
	w.space, w.n, w.words = s, x.n, x.words
	if s == 0 {
		w.rows = view[uint64](w.x, w.problem.Rows, int64(x.n)*int64(x.words))
		w.kept = view[uint32](w.x, w.problem.Kept, int64(x.n))
	} else {
		w.rows = w.scratch.words[x.rows:][:x.n*x.words]
	}
	for _, set := range []*[]uint64{&w.c, &w.r, &w.all, &w.seen, &w.more} {
		*set = (*set)[:x.words]
	}
}

func (w *communityWarp) sum(v uint32, f func(row uint64, j int) int) (sum int) {
	for j, word := range w.row(v) {
		sum += f(word, j)
	}
	return sum
}

func (w *communityWarp) surround(sources []uint32) (reached int) {
	clear(w.seen)
	for _, v := range sources {
		putBit(w.seen, v)
		for j, word := range w.row(v) {
			w.seen[j] |= word
		}
	}
	for j := range w.seen {
		w.seen[j] &= w.all[j]
		reached += bits.OnesCount64(w.seen[j])
	}
	return reached
}

func (w *communityWarp) spread(vertices []uint32, reached, d int) int {
	for ; d > 0 && reached < len(vertices); d-- {
		found := 0
		clear(w.more)
		for _, v := range vertices {
			if !hasBit(w.seen, v) && w.sum(v, func(row uint64, j int) int { return bits.OnesCount64(row & w.seen[j]) }) > 0 {
				putBit(w.more, v)
				found++
			}
		}
		if found == 0 {
			break
		}
		for j := range w.seen {
			w.seen[j] |= w.more[j]
		}
		reached += found
	}
	return reached
}

func (w *communityWarp) connected(vertices []uint32) bool {
	clear(w.seen)
	putBit(w.seen, vertices[0])
	return w.spread(vertices, 1, len(vertices)) == len(vertices)
}

func (w *communityWarp) countAll() {
	for j := range w.all {
		w.all[j] = w.c[j] | w.r[j]
	}
	w.list = appendSet(w.lists[:0], w.all)
	for i, v := range w.list {
		d := w.sum(v, func(row uint64, j int) int { return bits.OnesCount64(row & w.all[j]) })
		in := w.sum(v, func(row uint64, j int) int { return bits.OnesCount64(row & w.c[j]) })
		w.count[i] = uint32(d) | uint32(in)<<insideShift
	}
}

func (w *communityWarp) adjust(vertices []uint32, by uint32) {
	for i, v := range w.list {
		for _, u := range vertices {
			if hasBit(w.row(u), v) {
				w.count[i] += by
			}
		}
	}
}

func (w *communityWarp) drop(gone []uint64) {
	vertices := appendSet(nil, gone)
	for j := range w.r {
		w.r[j] &^= gone[j]
	}
	if len(vertices) > 2*int(w.words) {
		w.countAll()
		return
	}
	for j := range w.all {
		w.all[j] = w.c[j] | w.r[j]
	}
	w.keepListed()
	w.adjust(vertices, ^uint32(0))
}

func (w *communityWarp) keepListed() {
	n := 0
	for i, v := range w.list {
		if hasBit(w.all, v) {
			w.list[n], w.count[n] = v, w.count[i]
			n++
		}
	}
	w.list = w.list[:n]
}

func (w *communityWarp) reduceDegrees() bool {
	for {
		w.size = 0
		for _, word := range w.c {
			w.size += bits.OnesCount64(word)
		}
		if w.size > int(w.problem.High) {
			return false
		}
		rest := int(w.problem.High) - w.size - 1
		drops, forces := false, false
		clear(w.more)
		clear(w.seen)
		for i, v := range w.list {
			d, in := w.degree(i), w.inside(i)
			switch {
			case hasBit(w.c, v):
				if d <= w.k {
					return false
				}
				if d == w.k+1 && in != d {
					forces = true
					putBit(w.more, v)
				}
			case d <= w.k || in+rest <= w.k:
				drops = true
				putBit(w.seen, v)
			}
		}
		if !drops && !forces {
			return true
		}
		if drops {
			w.drop(w.seen)
		}
		if forces {
			w.include()
		}
	}
}

func (w *communityWarp) include() {
	clear(w.seen)
	for _, v := range appendSet(nil, w.more) {
		for j, word := range w.row(v) {
			x := word & w.r[j]
			w.c[j] |= x
			w.r[j] &^= x
			w.seen[j] |= x
		}
	}
	w.adjust(appendSet(nil, w.seen), 1<<insideShift)
}

func (w *communityWarp) dropUnseen() (dropped bool) {
	for j := range w.r {
		w.more[j] = w.r[j] &^ w.seen[j]
		dropped = dropped || w.more[j] != 0
	}
	if dropped {
		w.drop(w.more)
	}
	return dropped
}

func (w *communityWarp) reduceDistances(last uint32) (goesOn, changed bool) {
	d := communityDiameter(w.k+1, int(w.problem.High))
	if d < 1 {
		return len(w.list) == 1, false
	}
	if w.spread(w.list, w.surround([]uint32{last}), d-1) < len(w.list) {
		for j := range w.c {
			if w.c[j]&^w.seen[j] != 0 {
				return false, false
			}
		}
		return true, w.dropUnseen()
	}
	return true, false
}

func (w *communityWarp) reduceReach() bool {
	d := max(1, int(w.problem.High)-w.size-w.k)
	return w.spread(w.list, w.surround(w.chosen), d-1) < len(w.list) && w.dropUnseen()
}
