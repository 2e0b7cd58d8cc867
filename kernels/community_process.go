package kernels

import (
	"fmt"

	"github.com/garaph/garaph/gpuengine/device"
)

// communityWarp is a warp of process, and the node that it is at. Its functions have the
// names, and the order, of those of community_process.cu.
// uint32s are the first n halves of words.
// sum adds up f over the words of a row.
// surround makes seen some sources and their neighbours in C ∪ R, and counts them.
// edges is what candidates bring at most, of which with[x] have x edges.
func (w *communityWarp) visit(last uint32, depth int) bool {
	w.k = w.best()
	for again := true; again; {
		if !w.reduceDegrees() {
			return false
		}
		if last != noVertex {
			goesOn, changed := w.reduceDistances(last)
			if !goesOn {
				return false
			}
			if changed {
				continue
			}
		}
		w.listChosen()
		if last != noVertex && w.reduceReach() {
			continue
		}
		if last != noVertex {
			goesOn, changed := w.reduceCommon()
			if !goesOn {
				return false
			}
			if last = noVertex; changed {
				continue
			}
		}
		if len(w.list) < int(w.problem.Low) {
			return false
		}
		w.check()
		now := w.best()
		again, w.k = now != w.k, now
	}
	if w.size == int(w.problem.High) || w.bounded() {
		return false
	}
	w.compact()
	w.listChosen()
	u, degree := w.pick()
	if u == noVertex {
		return false
	}
	w.dominated(u, degree)
	l := w.scratch.newLevel(depth, w.space, w.words, len(w.list))
	copy(l.c, w.c)
	copy(l.r, w.r)
	copy(l.d, w.seen)
	copy(l.list, w.list)
	copy(l.count, w.count)
	cutBit(l.r, u)
	l.set(u, 0)
	return true
}

func (w *communityWarp) next(depth int) (last uint32, deeper, ok bool) {
	l := w.scratch.level(depth)
	phase, u := l.phase(), l.u()
	if phase > 1 {
		return 0, false, false
	}
	w.enter(l.space())
	l.set(u, phase+1)
	copy(w.c, l.c)
	copy(w.r, l.r)
	copy(w.more, l.d)
	last = noVertex
	if phase == 0 {
		last = u
		putBit(w.c, u)
	}
	for j := range w.all {
		w.all[j] = w.c[j] | w.r[j]
	}
	if phase == 0 {
		w.countChild(l, u, 1<<insideShift)
	} else {
		w.countChild(l, u, ^uint32(0))
		w.drop(w.more)
	}
	return last, phase == 0, true
}

// countChild makes the counts of a child from those of its level: plus goes to the neighbours of u.
func (w *communityWarp) countChild(l communityLevel, u, plus uint32) {
	w.list = w.lists[:0]
	for i, v := range l.list {
		if !hasBit(w.all, v) {
			continue
		}
		x := l.count[i]
		if hasBit(w.row(u), v) {
			x += plus
		}
		w.count[len(w.list)] = x
		w.list = append(w.list, v)
	}
}

func (w *communityWarp) unvisited(levels int) (n uint32) {
	for i := range levels {
		n += 2 - w.scratch.level(i).phase()
	}
	return n
}

// load makes a task the node of the warp.
func (w *communityWarp) load(task []uint64) (last uint32) {
	w.problem = &w.problems[uint32(task[0])]
	w.scratch.words[1] = uint64(uint32(task[0]))
	w.scratch.setSpace(0, communitySpace{n: w.problem.Left, words: w.problem.Words})
	w.enter(0)
	copy(w.c, task[1:])
	copy(w.r, task[1+w.words:])
	w.countAll()
	return uint32(task[0] >> 32)
}

// communityProcess is a round of the block's warps, one after another.
func communityProcess(m device.Memory, g device.Grid, a *CommunityProcessArgs) error {
	if g.Shared < processShared(a.Layout, a.MostMembers) {
		return fmt.Errorf("%d bytes of shared memory, expected %d", g.Shared, processShared(a.Layout, a.MostMembers))
	}
	for i := range CommunityPerBlock {
		if err := communityProcessWarp(m, a, g.Block*CommunityPerBlock+i); err != nil {
			return err
		}
	}
	return nil
}

func communityProcessWarp(m device.Memory, a *CommunityProcessArgs, warp int) error {
	x := access{memory: m}
	stride := uint64(a.Layout.TaskWords())
	pool := view[uint64](&x, a.Pool, int64(a.Capacity*stride))
	round := view[CommunityRound](&x, a.Round, 1)
	open := view[uint32](&x, a.Open+device.Pointer(4*warp), 1)
	scratch := view[uint64](&x, a.Scratch+device.Pointer(8*int64(warp)*a.WarpWords), a.WarpWords)
	if x.err != nil {
		return x.err
	}
	w := &communityWarp{x: &x, a: a, scratch: communityScratch{scratch, a.Layout}}
	most := uint32(0) // problems and bests that tasks name
	for t := range a.Tasks {
		most = max(most, uint32(pool[(a.Bottom+t)%a.Capacity*stride]))
	}
	w.problems = view[CommunityProblem](&x, a.Problems, int64(most)+1)
	for _, p := range w.problems {
		w.bests = view[CommunityBest](&x, a.Bests, max(int64(p.Best)+1, int64(len(w.bests))))
	}
	w.members = view[uint32](&x, a.Members, int64(len(w.bests))*int64(a.MostMembers))
	nodes := view[uint64](&x, a.Nodes, int64(len(w.bests)))
	if x.err != nil {
		return x.err
	}
	for _, set := range []*[]uint64{&w.c, &w.r, &w.all, &w.seen, &w.more} {
		*set = make([]uint64, a.Layout.Words)
	}
	for _, list := range []*[]uint32{&w.with, &w.lacks, &w.chosen, &w.edgesIn, &w.weights} {
		*list = make([]uint32, a.MostMembers+2)
	}
	lists := uint32s(scratch[a.Layout.partsAt()-int64(a.Layout.Vertices)/2*3:], 2*int(a.Layout.Vertices))
	w.count, w.lists = lists[:a.Layout.Vertices], lists[a.Layout.Vertices:]

	levels, visited := 0, uint32(0)
	for over := false; !over; {
		t := uint64(round[0].Taken)
		round[0].Taken++
		if t >= a.Tasks {
			round[0].Idle++
			break
		}
		last, before := w.load(pool[(a.Bottom+a.Tasks-1-t)%a.Capacity*stride:][:stride]), visited
		levels, over = w.descend(last, &visited, round)
		nodes[w.problem.Best] += uint64(visited - before)
	}
	scratch[0], open[0] = uint64(levels), 0
	if levels > 0 {
		open[0] = w.unvisited(levels)
	}
	round[0].Open += uint64(open[0])
	round[0].Nodes += uint64(visited)
	return x.err
}

// descend searches the node that was loaded, until the round is over for the warp.
func (w *communityWarp) descend(last uint32, visited *uint32, round []CommunityRound) (levels int, over bool) {
	for {
		*visited++
		if w.visit(last, levels) {
			levels++
		}
		if *visited >= w.a.Most || *visited >= w.a.Least && round[0].Idle >= w.a.Hungry {
			return levels, true
		}
		var deeper bool
		for ; levels > 0; levels-- {
			var ok bool
			if last, deeper, ok = w.next(levels - 1); ok {
				break
			}
		}
		if levels == 0 {
			return 0, false
		}
		if !deeper {
			levels--
		}
	}
}
