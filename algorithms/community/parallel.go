package community

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/garaph/garaph/internal/panics"
)

// Progress says how far a search is.
type Progress struct {
	Best     int   // minimum degree of the best community so far; if -1, there is none
	Open     int   // nodes that wait for a worker
	Branches int64 // nodes that were searched, to within some for each worker
}

// progressEvery is the time between two calls of a function for the progress.
const progressEvery = 200 * time.Millisecond

// SearchParallel searches open nodes on several goroutines. Each searches depth first; one that has
// nothing left is given the oldest children that another one has not begun with, which as a rule
// are the largest part of its work. Nodes that are left have the deepest ones last, which a search
// that goes on takes first: so their number stays small. When the context ends, workers leave the
// nodes that they are at; after a slice of time, if it is above 0, they finish these first, so that
// slices of any length come to an end. It returns these and how many nodes were visited. progress
// may be nil. Room is how many bytes the search may have in use: the largest problem, and for each
// thread a copy of it and three nodes at least; if 0, no limit. Threads for which there is none
// stay away.
func SearchParallel(
	ctx context.Context, open []Open, threads int, room int64, slice time.Duration, b *Best, progress func(Progress),
) (rest []Open, visited int64, err error) {
	if room > 0 {
		threads, room = roomOfThreads(open, threads, room)
	}
	p := &pool{open: open, workers: threads, room: room}
	p.more.L = &p.mu
	defer context.AfterFunc(ctx, func() {
		p.stop()
		p.late.Store(true)
	})()
	if slice > 0 {
		defer time.AfterFunc(slice, p.stop).Stop()
	}
	counts, errs := make([]int64, threads), make([]error, threads)
	var running sync.WaitGroup
	for i := range threads {
		running.Go(func() {
			errs[i] = panics.Guard(p, func() error {
				counts[i] = p.work(b)
				return nil
			})
			p.left(errs[i])
		})
	}
	ended := make(chan struct{})
	var reporting sync.WaitGroup
	if progress != nil {
		reporting.Go(func() { p.report(ended, b, progress) })
	}
	running.Wait()
	close(ended)
	reporting.Wait()
	for i, n := range counts {
		visited += n
		if errs[i] != nil {
			return nil, visited, errs[i]
		}
	}
	slices.SortStableFunc(p.open, func(a, b Open) int { return cmp.Compare(a.Task.Size(), b.Task.Size()) })
	return p.open, visited, nil
}

// roomOfThreads divides the room of a search among threads, and returns what each has for levels
// beyond the first.
func roomOfThreads(open []Open, threads int, room int64) (most int, each int64) {
	var problem, state int64
	for _, o := range open {
		problem, state = max(problem, o.Problem.bytes()), max(state, stateBytes*int64(o.Problem.N))
	}
	room = max(1, room-problem)
	least := problem + leastStates*state
	most = int(max(1, min(int64(threads), room/(least+1))))
	return most, max(state, room/int64(most)-problem-(leastStates-1)*state)
}

// leastStates is the number of nodes of a problem a thread has at least: the one that it is at, one below it,
// and one that it shares.
const leastStates = 3

// pool has the open nodes that workers may take.
type pool struct {
	workers  int
	room     int64 // of each for levels beyond the first; if 0, no limit
	stopped  atomic.Bool
	late     atomic.Bool  // and stopped
	waiting  atomic.Int32 // workers that have no node
	branches atomic.Int64

	mu   sync.Mutex // guards open, and what more tells of
	more sync.Cond  // there is a node, or there will be none
	open []Open
	end  bool // all workers wait, or one has failed
}

// stop lets the workers put what they have not searched back.
func (p *pool) stop() { p.stopped.Store(true) }

// put adds a node.
func (p *pool) put(o Open) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = append(p.open, o)
	p.more.Signal()
}

// take waits for a node; false: there are none any more, or the search is to stop.
func (p *pool) take() (o Open, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	waiting := p.waiting.Add(1)
	for len(p.open) == 0 && !p.end {
		if int(waiting) == p.workers {
			p.end = true
			p.more.Broadcast()
			break
		}
		p.more.Wait()
		waiting = p.waiting.Load()
	}
	if p.end || p.stopped.Load() || len(p.open) == 0 {
		return o, false // and it stays one that waits
	}
	p.waiting.Add(-1)
	o = p.open[len(p.open)-1]
	p.open = slices.Delete(p.open, len(p.open)-1, len(p.open))
	return o, true
}

// left wakes the others when a worker has ended: of an error, at a stop, or of nothing to do.
func (p *pool) left(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil || p.stopped.Load() {
		p.end = true
		p.stop()
	}
	p.more.Broadcast()
}

// between is the number of nodes a worker visits before it looks again whether others wait.
const between = 16

// work searches nodes until there are none, and returns how many it visited.
func (p *pool) work(b *Best) (visited int64) {
	w := worker{best: b, stopped: p.stopped.Load, late: p.late.Load, share: p.put, room: p.room}
	counted := int64(0)
	w.hungry = func() bool {
		if w.visited < counted+between {
			return false
		}
		p.branches.Add(w.visited - counted)
		counted = w.visited
		return p.waiting.Load() > 0
	}
	for {
		o, ok := p.take()
		if !ok {
			return w.visited
		}
		w.search(o)
	}
}

// report calls progress now and then until the search has ended.
func (p *pool) report(ended chan struct{}, b *Best, progress func(Progress)) {
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
			p.mu.Lock()
			open := len(p.open)
			p.mu.Unlock()
			progress(Progress{b.K(), open, p.branches.Load()})
		}
	}
}
