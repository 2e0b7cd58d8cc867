package kernels

import (
	"math"
	"math/bits"
)

func (w *communityWarp) offer(vertices []uint32, d int) {
	b := &w.bests[w.problem.Best]
	if d+1 <= int(b.Next) {
		return
	}
	to := w.members[w.problem.Best*w.a.MostMembers:]
	for i, v := range vertices {
		to[i] = w.kept[w.problemID(v)]
	}
	b.Size, b.Problem = uint32(len(vertices)), w.problemNumber()
	b.Next = uint32(d + 1)
}

func (w *communityWarp) problemNumber() uint32 { return uint32(w.scratch.words[1]) }

func (w *communityWarp) problemID(v uint32) uint32 {
	if w.space == 0 {
		return v
	}
	return uint32s(w.scratch.words[w.scratch.space(w.space).mapped:], int(w.n))[v]
}

func (w *communityWarp) best() int { return int(w.bests[w.problem.Best].Next) - 1 }

func (w *communityWarp) check() {
	low, high := int(w.problem.Low), int(w.problem.High)
	if low <= w.size && w.size <= high {
		least := int(^uint32(0))
		for i, v := range w.list {
			if hasBit(w.c, v) {
				least = min(least, w.inside(i))
			}
		}
		if least > w.k && w.connected(w.chosen) {
			w.offer(w.chosen, least)
		}
	}
	if n := len(w.list); n > w.size && low <= n && n <= high {
		least := w.degree(0)
		for i := range w.list {
			least = min(least, w.degree(i))
		}
		if least > w.k && w.connected(w.list) {
			w.offer(w.list, least)
		}
	}
}

func (w *communityWarp) edges(most int) (sum int) {
	left := int(w.problem.High) - w.size
	for x := w.size; x > 0 && left > 0; x-- {
		m := min(left, int(w.with[x]))
		sum += m * min(x, most)
		left -= m
	}
	return sum
}

func (w *communityWarp) bounded() (ends bool) {
	rest := int(w.problem.High) - w.size
	clear(w.lacks[:w.k+2])
	clear(w.with[:w.size+1])
	lacking := 0
	for i, v := range w.list {
		d, in := w.degree(i), w.inside(i)
		if hasBit(w.r, v) {
			w.with[in]++
			continue
		}
		ends = ends || in+min(rest, d-in) <= w.k
		if in <= w.k {
			w.lacks[w.k+1-in]++
			lacking++
		}
	}
	for j := 1; j <= lacking; j++ {
		need, left := 0, j
		for x := w.k + 1; x > 0 && left > 0; x-- {
			m := min(left, int(w.lacks[x]))
			need += m * x
			left -= m
		}
		ends = ends || need > w.edges(j)
	}
	return ends || w.boundedByClasses()
}

func (w *communityWarp) boundedByClasses() bool {
	for j := 1; j <= w.k+1; j++ {
		need, differs := 0, false
		for _, in := range w.edgesIn[:len(w.chosen)] {
			if int(in) < j {
				need += w.k + 1 - int(in)
			}
			differs = differs || int(in) == j-1
		}
		if !differs {
			continue
		}
		clear(w.with[:w.size+1])
		for _, v := range w.list {
			if hasBit(w.c, v) {
				continue
			}
			brings := 0
			for m, u := range w.chosen {
				if int(w.edgesIn[m]) < j && hasBit(w.row(u), v) {
					brings++
				}
			}
			w.with[brings]++
		}
		if need > w.edges(w.size) {
			return true
		}
	}
	return false
}

func (w *communityWarp) compact() {
	listed := uint32(len(w.list))
	if listed > w.a.Layout.Local || w.n <= 64 || 2*listed > w.n || w.space+1 >= communitySpaces {
		return
	}
	from := w.scratch.space(w.space)
	to := communitySpace{n: listed, words: (listed + 63) / 64, mapped: uint64(w.a.Layout.partsAt())}
	if w.space > 0 {
		to.mapped = from.rows + uint64(from.n)*uint64(from.words)
	}
	to.rows = to.mapped + uint64(listed+1)/2
	ids := uint32s(w.scratch.words[to.mapped:], len(w.list))
	rows := w.scratch.words[to.rows:][:to.n*to.words]
	clear(rows)
	c, r := make([]uint64, to.words), make([]uint64, to.words)
	for i, v := range w.list {
		ids[i] = w.problemID(v)
		for j, u := range w.list {
			if hasBit(w.row(v), u) {
				putBit(rows[uint32(i)*to.words:], uint32(j))
			}
		}
		if hasBit(w.c, v) {
			putBit(c, uint32(i))
		} else {
			putBit(r, uint32(i))
		}
	}
	for i := range w.list {
		w.list[i] = uint32(i)
	}
	w.scratch.setSpace(w.space+1, to)
	w.enter(w.space + 1)
	copy(w.c, c)
	copy(w.r, r)
	for j := range w.all {
		w.all[j] = c[j] | r[j]
	}
}

func (w *communityWarp) tightest() (at uint32) {
	least := math.MaxInt
	at = noVertex
	for i, v := range w.list {
		if d, in := w.degree(i), w.inside(i); in <= w.k && d > in && d < least && hasBit(w.c, v) {
			least, at = d, v
		}
	}
	return at
}

func (w *communityWarp) pick() (u uint32, degree int) {
	most, near := uint64(0), w.all
	if tight := w.tightest(); tight != noVertex {
		near = w.row(tight)
	}
	u = noVertex
	for i, v := range w.list {
		if w.inside(i) == 0 || hasBit(w.c, v) || !hasBit(near, v) {
			continue
		}
		score := uint32(0)
		for m, x := range w.chosen {
			if hasBit(w.row(x), v) {
				score += w.weights[m]
			}
		}
		if x := uint64(score)<<32 | uint64(w.degree(i)); x > most {
			most, u = x, v
		}
	}
	return u, int(uint32(most))
}

func (w *communityWarp) dominated(u uint32, degree int) {
	near := w.row(u)
	clear(w.seen)
	for i, v := range w.list {
		if v == u || w.degree(i) > degree || hasBit(w.c, v) {
			continue
		}
		others := w.sum(v, func(row uint64, j int) int {
			x := row & w.all[j] &^ near[j]
			if j == int(u/64) {
				x &^= 1 << (u % 64)
			}
			return bits.OnesCount64(x)
		})
		if others == 0 {
			putBit(w.seen, v)
		}
	}
}

func (w *communityWarp) listChosen() {
	w.chosen = w.chosen[:0]
	for i, v := range w.list {
		if hasBit(w.c, v) {
			w.edgesIn[len(w.chosen)] = uint32(w.inside(i))
			w.weights[len(w.chosen)] = uint32(communityScore / max(1, w.inside(i)))
			w.chosen = append(w.chosen, v)
		}
	}
}
