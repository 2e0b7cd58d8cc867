package cpuengine

import (
	"cmp"
	"context"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/rows"
)

// sheet is a page in hand: its tasks, and what is left of them. A task is a chunk,
// or some packed shards.
type sheet[A any] struct {
	page     *page.Page
	work     Work
	shards   []shardSides // of the page
	chunks   []rows.Chunk // in order of the shards
	starts   []int        // first chunk of each shard, and the number of chunks
	tasks    []task       // in the order in which goroutines acquire them
	partials []partial[A]
	left     []atomic.Int32 // by shard: chunks that are not done
	undone   atomic.Int32   // shards

	mu    sync.Mutex // guards what follows
	stats Stats
	busy  time.Duration
}

// task is a chunk, or whole shards from that of the chunk on.
type task struct{ chunk, shards int }

// shardSides are the sides of a shard along which a program gathers, by encoding.
type shardSides struct {
	first    uint32
	vertices int
	rows     rows.Shard
	packed   []*packed.Side
}

// set takes the sides.
func (s *shardSides) set(sides []shard.Side) {
	h := sides[0].Header()
	s.first, s.vertices = h.First, h.Vertices
	for _, side := range sides {
		if x, ok := side.(*packed.Side); ok {
			s.packed = append(s.packed, x)
		} else {
			s.rows = append(s.rows, rows.Of(side))
		}
	}
}

// edges is the number of edges on all sides.
func (s *shardSides) edges() (n uint64) {
	for _, side := range s.packed {
		n += uint64(side.Layout.Edges)
	}
	if len(s.rows) > 0 {
		n += s.rows.Edges()
	}
	return n
}

// hand is a sheet while goroutines acquire its tasks. A goroutine may look at one whose
// sheet is of another page by now, but acquires no task of it any more.
type hand[A any] struct {
	sheet *sheet[A]
	tasks int64
	next  atomic.Int64
}

// stream is a call of [Engine.Stream].
type stream[V, A any] struct {
	engine  *Engine[V, A]
	most    int             // goroutines
	ctx     context.Context // for next
	cancel  context.CancelFunc
	next    Next
	done    func(*page.Page, Stats, time.Duration) error
	current atomic.Pointer[hand[A]] // if nil, there is no more
	stopped atomic.Bool             // after an error
	running sync.WaitGroup

	mu      sync.Mutex // guards started, ended and calls of next
	started int        // goroutines
	ended   bool       // next gave the last page

	reporting sync.Mutex // guards calls of done

	failing sync.Mutex // guards err
	err     error      // the first one
}

// Next returns the next page for [Engine.Stream], or nil if there is none. It returns soon after
// the context has ended, as it does after an error: pages handed out are then left undone, and need
// not come back.
type Next func(context.Context) (*page.Page, Work, error)

// Stream gathers and applies the vertices of the pages that next gives, until it
// gives nil: see [Engine.Process]. Goroutines go on with the next page while others
// are at the end of the one before; done gets each page when all of it is done, with
// the time that goroutines worked on it. Neither function is called by two of them at
// once. After an error, the first of any of them, pages that were not done are of no
// use, and done is not called for them. The last spare goroutines of the engine do
// nothing, and leave their processors to what works beside it.
func (e *Engine[V, A]) Stream(ctx context.Context, spare int, next Next,
	done func(*page.Page, Stats, time.Duration) error) error {
	x := &stream[V, A]{engine: e, most: e.Goroutines(spare), next: next, done: done, started: 1}
	x.ctx, x.cancel = context.WithCancel(ctx)
	defer x.cancel()
	x.work(&e.workers[0], x.more(nil))
	x.running.Wait()
	return x.err
}

// Goroutines returns the number of goroutines that work when spare are left idle.
func (e *Engine[V, A]) Goroutines(spare int) int { return max(1, len(e.workers)-spare) }

// work does tasks until there are none.
func (x *stream[V, A]) work(r *worker[V, A], h *hand[A]) {
	r.stats = Stats{}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // of mapped pages
	defer func() {
		if p := recover(); p != nil {
			clear(r.rising)
			x.fail(panics.Recovered(x.engine.program, p))
		}
	}()
	for h != nil && !x.stopped.Load() {
		k := h.next.Add(1) - 1
		if k >= h.tasks {
			h = x.more(h)
			continue
		}
		if err := x.do(r, h.sheet, h.sheet.tasks[k]); err != nil {
			x.fail(err)
		}
		if x.engine.Yield {
			runtime.Gosched()
		}
	}
}

func (x *stream[V, A]) fail(err error) {
	x.failing.Lock()
	defer x.failing.Unlock()
	if x.err == nil {
		x.err = err
	}
	x.stopped.Store(true)
	x.cancel()
}

// more is what comes after a hand that has no tasks left; if nil, nothing.
func (x *stream[V, A]) more(h *hand[A]) *hand[A] {
	x.mu.Lock()
	defer x.mu.Unlock()
	if now := x.current.Load(); now != h {
		return now // somebody was here before
	}
	for !x.ended && !x.stopped.Load() {
		p, w, err := x.next(x.ctx)
		switch {
		case err != nil:
			x.fail(err)
			continue
		case p == nil:
			x.ended = true
			continue
		case len(p.Shards) == 0:
			if err := x.report(p, Stats{}, 0); err != nil {
				x.fail(err)
			}
			continue
		}
		s := x.engine.sheet(p, w)
		h = &hand[A]{sheet: s, tasks: int64(len(s.tasks))}
		x.current.Store(h)
		for ; x.started < min(x.most, len(s.tasks)); x.started++ {
			r := &x.engine.workers[x.started]
			x.running.Go(func() { x.work(r, h) })
		}
		return h
	}
	x.current.Store(nil)
	return nil
}

func (x *stream[V, A]) report(p *page.Page, s Stats, busy time.Duration) error {
	x.reporting.Lock()
	defer x.reporting.Unlock()
	return x.done(p, s, busy)
}

// do does a task, and what is left to do of the shard and of the page that end with
// it.
func (x *stream[V, A]) do(r *worker[V, A], s *sheet[A], t task) error {
	w, i := s.work, s.chunks[t.chunk].Shard
	sh, from, to := &s.shards[i], s.starts[i], s.starts[i+1]
	began := time.Now()
	if len(sh.packed) == 0 {
		r.chunk(sh, &s.chunks[t.chunk], w, &s.partials[t.chunk])
		if s.left[i].Load() > 1 {
			began = s.count(r.drain(), began) // before it is no longer awaited
		}
		if s.left[i].Add(-1) > 0 {
			return nil
		}
		r.merge(sh, s.chunks[from:to], s.partials[from:to], w)
	} else {
		r.fold(s.shards[i:i+t.shards], w)
	}
	for k := i; w.Aggregates != nil && k < i+t.shards; k++ {
		w.Aggregates[s.page.Shards[k].Index] = r.aggregate(&s.shards[k], w)
	}
	s.count(r.drain(), began)
	if s.undone.Add(-int32(t.shards)) > 0 {
		return nil
	}
	return x.report(s.page, s.stats, s.busy)
}

// drain returns what the goroutine has counted since the last call.
func (r *worker[V, A]) drain() Stats {
	s := r.stats
	r.stats = Stats{}
	return s
}

// count adds what was done since a time.
func (s *sheet[A]) count(stats Stats, since time.Time) (now time.Time) {
	now = time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Add(stats)
	s.busy += now.Sub(since)
	return now
}

// sheet lists the tasks of a page.
func (e *Engine[V, A]) sheet(p *page.Page, w Work) *sheet[A] {
	s := &sheet[A]{page: p, work: w, starts: []int{0}, shards: make([]shardSides, len(p.Shards)),
		left: make([]atomic.Int32, len(p.Shards))}
	for i := range p.Shards {
		sh := &s.shards[i]
		sh.set(p.Shards[i].Sides)
		if len(sh.packed) > 0 {
			s.chunks = append(s.chunks, rows.Chunk{Shard: i, To: sh.edges(), End: sh.vertices})
		} else {
			s.chunks = sh.rows.AppendChunks(s.chunks, i, e.chunkEdges)
		}
		s.starts = append(s.starts, len(s.chunks))
	}
	s.partials = make([]partial[A], len(s.chunks))
	s.undone.Store(int32(len(p.Shards)))
	e.line(s)
	return s
}

// line puts the tasks in line: packed shards, the largest first, so that goroutines
// come to the end together, and then chunks.
func (e *Engine[V, A]) line(s *sheet[A]) {
	for i := 0; i < len(s.shards); {
		n := 1
		if len(s.shards[i].packed) > 0 {
			n = e.together(s.shards[i:], s.work)
			s.tasks = append(s.tasks, task{s.starts[i], n})
		}
		i += n
	}
	edges := func(t task) (n uint64) {
		i := s.chunks[t.chunk].Shard
		for k := range s.shards[i : i+t.shards] {
			n += s.shards[i+k].edges()
		}
		return n
	}
	slices.SortStableFunc(s.tasks, func(a, b task) int { return cmp.Compare(edges(b), edges(a)) })
	for i := range s.shards {
		s.left[i].Store(int32(s.starts[i+1] - s.starts[i]))
		for c := s.starts[i]; len(s.shards[i].packed) == 0 && c < s.starts[i+1]; c++ {
			s.tasks = append(s.tasks, task{c, 1})
		}
	}
}
