package kernels

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/garaph/garaph/gpuengine/device"
)

// reduceRounds is how often the initial reduction goes over a problem at most.
const reduceRounds = 16

// emulatedProblem is a problem in an emulated device's memory.
type emulatedProblem struct {
	*CommunityProblem
	off, nbr, mark []uint32
}

// communityProblemAt is problem i; nil if it is not there, and then x has an error.
func communityProblemAt(x *access, problems device.Pointer, i int) *CommunityProblem {
	p := view[CommunityProblem](x, problems+device.Pointer(i*int(unsafe.Sizeof(CommunityProblem{}))), 1)
	if x.err != nil {
		return nil
	}
	return &p[0]
}

// problemAt is problem i with its graph.
func problemAt(x *access, problems device.Pointer, i int) *emulatedProblem {
	e := &emulatedProblem{CommunityProblem: communityProblemAt(x, problems, i)}
	if x.err == nil {
		e.off = view[uint32](x, e.Off, int64(e.N)+1)
		e.mark = view[uint32](x, e.Mark, int64(e.N))
	}
	if x.err == nil {
		e.nbr = view[uint32](x, e.Nbr, int64(e.off[e.N]))
	}
	return e
}

func (p *emulatedProblem) row(v uint32) []uint32 { return p.nbr[p.off[v]:p.off[v+1]] }

// communityReduce is the initial reduction of the block's problem.
func communityReduce(m device.Memory, g device.Grid, a *CommunityReduceArgs) error {
	x := access{memory: m}
	p := problemAt(&x, a.Problems, g.Block)
	if x.err != nil {
		return x.err
	}
	best := view[CommunityBest](&x, a.Bests, int64(p.Best)+1)
	if x.err != nil {
		return x.err
	}
	for v := range p.mark {
		p.mark[v] = 1
	}
	p.Left = 0
	k := int(best[p.Best].Next) - 1
	d := communityDiameter(k+1, int(p.High))
	if d < 0 {
		return nil
	}
	for range reduceRounds {
		dropped := p.reduceDegree(k)
		if p.mark[p.Query] == 0 {
			return nil
		}
		if !p.reduceDistance(d) && !dropped {
			break
		}
	}
	for _, mark := range p.mark {
		p.Left += mark
	}
	return nil
}

func (p *emulatedProblem) reduceDegree(k int) (dropped bool) {
	for v := range p.N {
		degree := 0
		for _, u := range p.row(v) {
			if p.mark[u] != 0 {
				degree++
			}
		}
		if p.mark[v] != 0 && degree <= k {
			p.mark[v], dropped = 0, true
		}
	}
	return dropped
}

func (p *emulatedProblem) reduceDistance(d int) (dropped bool) {
	p.mark[p.Query] = 2
	for at := uint32(2); at < uint32(d)+2; at++ {
		for v := range p.N {
			if p.mark[v] != at {
				continue
			}
			for _, u := range p.row(v) {
				if p.mark[u] == 1 {
					p.mark[u] = at + 1
				}
			}
		}
	}
	for v, mark := range p.mark {
		dropped = dropped || mark == 1
		p.mark[v] = min(1, mark/2)
	}
	return dropped
}

// communityDiameter is the largest diameter of a connected graph of minimum degree k and with h
// vertices at most; -1: there is none.
func communityDiameter(k, h int) int {
	d := -1
	for d < h && (d >= 0 || k < h) {
		e := d + 1
		n := k + e + 1 + e/3*(k-2)
		switch {
		case k <= 1:
			n = e + 1
		case e <= 2:
			n = k + e
		}
		if n > h {
			break
		}
		d = e
	}
	return d
}

// communityCompress makes new ids and rows for the block's problem.
func communityCompress(m device.Memory, g device.Grid, a *CommunityCompressArgs) error {
	x := access{memory: m}
	p := problemAt(&x, a.Problems, g.Block)
	if x.err != nil || p.Left == 0 {
		return x.err
	}
	kept := view[uint32](&x, p.Kept, int64(p.Left))
	rows := view[uint64](&x, p.Rows, int64(p.Left)*int64(p.Words))
	if x.err != nil {
		return x.err
	}
	id := uint32(0)
	for v := range p.N {
		if p.mark[v] != 0 {
			kept[id] = v
			id++
			p.mark[v] = id
		}
	}
	clear(rows)
	for id, v := range kept {
		row := rows[id*int(p.Words):][:p.Words]
		for _, u := range p.row(v) {
			if mark := p.mark[u]; mark != 0 {
				putBit(row, mark-1)
			}
		}
	}
	return nil
}

func hasBit(set []uint64, v uint32) bool { return set[v/64]>>(v%64)&1 != 0 }
func putBit(set []uint64, v uint32)      { set[v/64] |= 1 << (v % 64) }
func cutBit(set []uint64, v uint32)      { set[v/64] &^= 1 << (v % 64) }

// appendSet appends the vertices of a set, ascending.
func appendSet(to []uint32, set []uint64) []uint32 {
	for j, word := range set {
		for ; word != 0; word &= word - 1 {
			to = append(to, uint32(j*64+bits.TrailingZeros64(word)))
		}
	}
	return to
}

// noVertex is no vertex.
const noVertex = ^uint32(0)

// communityScratch is the scratch of a warp, as words.
type communityScratch struct {
	words  []uint64
	layout CommunityLayout
}

// communitySpace is where the map and the rows of renumbered vertices are in the scratch, and how
// many they are.
type communitySpace struct {
	rows, mapped uint64
	n, words     uint32
}

func (s communityScratch) space(i uint32) communitySpace {
	w := s.words[communityHeadWords+i*communitySpaceWords:]
	return communitySpace{rows: w[0], mapped: w[1], n: uint32(w[2]), words: uint32(w[2] >> 32)}
}

func (s communityScratch) setSpace(i uint32, x communitySpace) {
	w := s.words[communityHeadWords+i*communitySpaceWords:]
	w[0], w[1], w[2] = x.rows, x.mapped, uint64(x.words)<<32|uint64(x.n)
}

// communityLevel is a node with children that were not visited.
type communityLevel struct {
	at          []uint64 // u and phase; space and how many are listed; sets; lists
	c, r, d     []uint64
	list, count []uint32 // of C ∪ R, when it was visited
}

func (l communityLevel) u() uint32     { return uint32(l.at[0]) }
func (l communityLevel) phase() uint32 { return uint32(l.at[0] >> 32) }
func (l communityLevel) space() uint32 { return uint32(l.at[1]) }

func (l communityLevel) set(u, phase uint32) { l.at[0] = uint64(phase)<<32 | uint64(u) }

// level is level i.
func (s communityScratch) level(i int) communityLevel {
	at := s.words[s.layout.levels()+int64(i)*s.layout.levelWords():][:s.layout.levelWords()]
	return levelOf(at, s.space(uint32(at[1])).words)
}

// newLevel is level i, to be filled for a space and so many listed vertices.
func (s communityScratch) newLevel(i int, space, words uint32, listed int) communityLevel {
	at := s.words[s.layout.levels()+int64(i)*s.layout.levelWords():][:s.layout.levelWords()]
	at[1] = uint64(listed)<<32 | uint64(space)
	return levelOf(at, words)
}

func levelOf(at []uint64, words uint32) communityLevel {
	sets, listed := at[communityLevelWords:], at[1]>>32
	lists := uint32s(sets[3*words:], 2*int(listed))
	return communityLevel{at, sets[:words], sets[words : 2*words], sets[2*words : 3*words], lists[:listed], lists[listed:]}
}

// communityExpand makes tasks of what the block's warps left.
func communityExpand(m device.Memory, g device.Grid, a *CommunityExpandArgs) error {
	x := access{memory: m}
	warps := g.Blocks * CommunityPerBlock
	open := view[uint32](&x, a.Open, int64(warps))
	scratch := view[uint64](&x, a.Scratch, int64(warps)*a.WarpWords)
	stride := a.Layout.TaskWords()
	pool := view[uint64](&x, a.Pool, int64(a.Capacity)*int64(stride))
	if x.err != nil {
		return x.err
	}
	if need := CommunityPerBlock * 8 * communityExpandSets * int(a.Layout.Words); g.Shared < need {
		return fmt.Errorf("%d bytes of shared memory, expected %d", g.Shared, need)
	}
	at := uint64(0)
	for w := range warps {
		if w/CommunityPerBlock == g.Block && open[w] > 0 {
			s := communityScratch{scratch[int64(w)*a.WarpWords:][:a.WarpWords], a.Layout}
			problem := communityProblemAt(&x, a.Problems, int(uint32(s.words[1])))
			if x.err != nil {
				return x.err
			}
			next := at
			s.expand(problem.Words, func() []uint64 {
				next++
				i := next - 1 - a.First
				if i >= a.Room {
					return nil
				}
				task := pool[(a.To+i)%a.Capacity*uint64(stride):][:stride]
				task[0] = s.words[1] & (1<<32 - 1)
				return task
			})
			if next != at+uint64(open[w]) {
				return fmt.Errorf("warp %d left %d nodes and said %d", w, next-at, open[w])
			}
		}
		at += uint64(open[w])
	}
	return nil
}

// expand writes the children that were not visited, each to what task gives, unless that is nil.
func (s communityScratch) expand(words uint32, task func() []uint64) {
	for i := range int(uint32(s.words[0])) {
		l := s.level(i)
		x := s.space(l.space())
		mapped := func(v uint32) uint32 { return v }
		if l.space() > 0 {
			ids := uint32s(s.words[x.mapped:], int(x.n))
			mapped = func(v uint32) uint32 { return ids[v] }
		}
		for child := 1; child >= int(l.phase()); child-- {
			t := task()
			if t == nil {
				continue
			}
			clear(t[1:])
			c, r, last := t[1:1+words], t[1+words:1+2*words], noVertex
			for _, v := range appendSet(nil, l.c) {
				putBit(c, mapped(v))
			}
			for _, v := range appendSet(nil, l.r) {
				if child == 0 || !hasBit(l.d, v) {
					putBit(r, mapped(v))
				}
			}
			if child == 0 {
				last = mapped(l.u())
				putBit(c, last)
			}
			t[0] |= uint64(last) << 32
		}
	}
}

// reduceCommon reports whether the node goes on, and whether candidates were dropped.
func (w *communityWarp) reduceCommon() (goesOn, changed bool) {
	rest, wanted := int(w.problem.High)-w.size, w.k+1
	clear(w.seen)
	for m, u := range w.chosen {
		lacks := wanted - int(w.edgesIn[m])
		if lacks <= 0 || lacks+wanted < rest {
			continue
		}
		for j, word := range w.row(u) {
			w.more[j] = word & w.r[j] &^ w.seen[j]
		}
		for i, v := range w.list {
			both := lacks + max(0, wanted-w.inside(i))
			common := w.sum(v, func(row uint64, j int) int { return bits.OnesCount64(row & w.more[j]) })
			switch {
			case hasBit(w.c, v):
				if v != u && both > rest+common {
					return false, false
				}
			case hasBit(w.more, v):
				both--
				fallthrough
			default:
				if both > rest-1+common {
					changed = true
					putBit(w.seen, v)
				}
			}
		}
	}
	if changed {
		w.drop(w.seen)
	}
	return true, changed
}
