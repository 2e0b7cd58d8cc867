package community

import "context"

// Open is a node that is still to be searched, of a problem.
type Open struct {
	Problem *Problem
	Task    Task
}

// Search searches open nodes one after another, depth first, and returns those that are still
// open when the context has ended.
func Search(ctx context.Context, open []Open, on Rules, b *Best, st *Stats) (rest []Open) {
	stopped := func() bool { return ctx.Err() != nil }
	w := worker{on: on, best: b, stats: st, stopped: stopped, late: stopped}
	w.share = func(o Open) { rest = append(rest, o) }
	for _, o := range open {
		w.search(o)
	}
	return rest
}

// worker searches nodes depth first. The nodes from the root to the one that it is at are its
// levels: one for each vertex or pair of vertices that was chosen, so at most h; the child that
// leaves u* out takes the place of its parent.
type worker struct {
	on      Rules
	best    *Best
	stats   *Stats
	stopped func() bool // the search is to end, or to be interrupted
	late    func() bool // the search is to end now, amid a node, and is stopped; nil: never
	share   func(Open)  // takes nodes that the worker does not search
	hungry  func() bool // others wait for nodes; nil: there are none

	room   int64 // bytes that levels may take beyond the first; 0: no limit
	levels []*level
	spare  State // for children that are shared
}

// level is a node with children that are being searched.
type level struct {
	s         State
	u         uint32   // u*
	dominated []uint32 // by u*
	next      int      // the child that is next; those before it have been searched, or are being
	given     bool     // the other children were shared
	pairs     bool     // of PairRule
}

// child makes s child i of the node. Without pairs, the child that has u* may have dominated
// vertices too, and is the first one.
func (l *level) child(s *State, i int) {
	if t := len(l.dominated); i == t && !l.pairs {
		s.Child(l.u, nil, 0)
		return
	}
	s.Child(l.u, l.dominated, i)
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
visits:
	for loaded := depth == 0; loaded || !w.stop(l); loaded = false {
		hasChildren := w.visit(l)
		if l.s.isLate() && w.stop(l) || !hasChildren {
			return
		}
		last := children(l.dominated) - 1
		for l.next < last {
			if w.hungry != nil && w.hungry() {
				w.feed(depth)
				if l.given {
					return
				}
			}
			if w.crowded(depth) {
				only := l.next
				l.next++
				w.give(l)
				l.child(&l.s, only)
				continue visits
			}
			below := w.level(depth + 1)
			below.s.copyFrom(&l.s)
			l.child(&below.s, l.next)
			l.next++
			w.descend(depth + 1)
			if w.stopped() {
				w.give(l)
			}
			if l.given {
				return
			}
		}
		l.child(&l.s, last)
	}
}

// stop shares the node of a level if the search is to end.
func (w *worker) stop(l *level) bool {
	if !w.stopped() {
		return false
	}
	t := NewTask(l.s.p)
	l.s.Save(t, w.best.K())
	w.share(Open{l.s.p, t})
	return true
}

// visit reduces and bounds the node of a level, and reports whether it has children, which are
// named by the level then. When there is no time left, what it reports means nothing.
func (w *worker) visit(l *level) bool {
	s := &l.s
	w.stats.Branches++
	k := w.best.K()
	for {
		if len(s.c) > s.p.High || !s.Reduce(k, w.on, w.stats) {
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
	if len(s.c) == s.p.High || s.size() < s.p.Low || s.Bounded(k, w.on, w.stats) {
		return false
	}
	if w.on&CompactionRule != 0 && s.p.N > 64 && 2*s.size() <= s.p.N {
		s.compact()
		w.stats.Dropped[byCompaction]++
	}
	var ok bool
	if l.u, ok = s.Pick(); !ok {
		return false
	}
	if w.on&TightRule != 0 {
		l.u = s.pickTight(l.u, k)
	}
	l.dominated, l.next, l.given = l.dominated[:0], 0, false
	if w.on&DominationRule != 0 {
		l.dominated = s.Dominated(l.dominated, l.u)
		w.stats.Dropped[byDomination] += int64(len(l.dominated))
	}
	if l.pairs = w.on&PairRule != 0; !l.pairs {
		l.next = len(l.dominated)
	}
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
		if !l.given && l.next < children(l.dominated) {
			w.give(l)
			return
		}
	}
}

// give shares all children of a level that are not searched yet.
func (w *worker) give(l *level) {
	if l.given {
		return
	}
	l.given = true
	s := &w.spare
	for ; l.next < children(l.dominated); l.next++ {
		s.copyFrom(&l.s)
		l.child(s, l.next)
		t := NewTask(s.p)
		s.Save(t, w.best.K())
		w.share(Open{s.p, t})
	}
}
