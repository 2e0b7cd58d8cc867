package community

// Open is a node that is still to be searched, of a problem.
type Open struct {
	Problem *Problem
	Task    Task
}

// worker searches nodes depth first. The nodes from the root to the one that it is at are its
// levels: one for each vertex that was chosen, so at most h; the child that leaves u* out takes
// the place of its parent.
type worker struct {
	best    *Best
	visited int64
	stopped func() bool // the search is to end, or to be interrupted
	late    func() bool // the search is to end now, amid a node, and is stopped; if nil, never
	share   func(Open)  // takes nodes that the worker does not search
	hungry  func() bool // others wait for nodes; if nil, there are none

	room   int64 // bytes that levels may take beyond the first; if 0, no limit
	levels []*level
	spare  State // for children that are shared
}

// level is a node with children that are being searched.
type level struct {
	s         State
	u         uint32   // u*
	dominated []uint32 // by u*
	next      int      // the child that is next; those before it have been searched, or are being, or were shared
}

func (w *worker) level(depth int) *level {
	if depth == len(w.levels) {
		w.levels = append(w.levels, &level{s: State{late: w.late}})
	}
	return w.levels[depth]
}

// search searches a node.
func (w *worker) search(o Open) {
	if w.stopped() {
		w.share(o)
		return
	}
	w.level(0).s.Load(o.Problem, o.Task)
	w.descend(0)
}

// descend searches the node of a level, and leaves that level with another one. A node that was
// loaded is visited in any case: however long loading takes, a search that is stopped again and
// again gets on.
func (w *worker) descend(depth int) {
	l := w.level(depth)
	for loaded := depth == 0; loaded || !w.stop(l); loaded = false {
		hasChildren := w.visit(l)
		if l.s.isLate() && w.stop(l) || !hasChildren {
			return
		}
		if w.hungry != nil && w.hungry() {
			if w.feed(depth); l.next == children {
				return
			}
		}
		l.next = 1
		if w.crowded(depth) {
			w.give(l)
			l.s.Child(l.u, l.dominated, 0)
			continue
		}
		below := w.level(depth + 1)
		below.s.copyFrom(&l.s)
		below.s.Child(l.u, l.dominated, 0)
		w.descend(depth + 1)
		if w.stopped() {
			w.give(l)
		}
		if l.next == children {
			return
		}
		l.s.Child(l.u, l.dominated, 1)
	}
}

// stop shares the node of a level if the search is to end.
func (w *worker) stop(l *level) bool {
	if !w.stopped() {
		return false
	}
	w.share(Open{l.s.p, l.s.Save()})
	return true
}

// visit reduces and bounds the node of a level, and reports whether it has children, which are
// named by the level then. When there is no time left, what it reports means nothing.
func (w *worker) visit(l *level) bool {
	s := &l.s
	w.visited++
	k := w.best.K()
	for {
		if len(s.c) > s.p.High || !s.Reduce(k) {
			return false
		}
		if s.isLate() {
			return true
		}
		s.check(w.best)
		now := w.best.K()
		if now == k {
			break
		}
		k = now
	}
	if len(s.c) == s.p.High || s.size() < s.p.Low || s.Bounded(k) {
		return false
	}
	if s.p.N > 64 && 2*s.size() <= s.p.N {
		s.compact()
	}
	u, ok := s.Pick()
	if !ok {
		return false
	}
	l.u, l.next = s.pickTight(u, k), 0
	l.dominated = s.Dominated(l.dominated[:0], l.u)
	return true
}

// crowded reports whether there is no room for a level below one. The children of that are shared
// then, but for one that takes its place: a node that is shared takes bits.
func (w *worker) crowded(depth int) bool {
	n := w.levels[depth].s.p.N
	if w.room == 0 || depth+1 < len(w.levels) && cap(w.levels[depth+1].s.place) >= n {
		return false
	}
	vertices := n
	for _, l := range w.levels[1:] {
		vertices += cap(l.s.place)
	}
	return stateBytes*int64(vertices) > w.room
}

// feed shares the children of the first level that has any left.
func (w *worker) feed(depth int) {
	for _, l := range w.levels[:depth+1] {
		if l.next < children {
			w.give(l)
			return
		}
	}
}

// give shares all children of a level that are not searched yet.
func (w *worker) give(l *level) {
	for s := &w.spare; l.next < children; l.next++ {
		s.copyFrom(&l.s)
		s.Child(l.u, l.dominated, l.next)
		w.share(Open{s.p, s.Save()})
	}
}
