// Package cpuengine runs vertex programs on goroutines: pull, where every
// vertex gathers along its edges, and the two halves of notify-pull, where
// active vertices mark their neighbours (Notify) and the marked ones gather
// (Process with Work.Marked).
//
// The edges of a shard are cut into chunks with fixed borders. A vertex that a
// border cuts gets its partial sums merged in the order of the chunks, by one
// goroutine (Garaph, section 5.1). Borders depend on the shard alone, so that a
// sync job gives the same bits with any number of goroutines and any page size.
package cpuengine

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/internal/vertices"
	"github.com/garaph/garaph/page"
)

// Engine runs one program over one set of vertex arrays. Process and Notify
// use all its goroutines, so a caller runs one of them at a time.
type Engine[V, A any] struct {
	program gas.Program[V, A]
	arrays  *vertices.Arrays[V]
	loops   gas.Loops[V, A]
	zero    A

	// Yield makes goroutines let others run between chunks: whoever reads pages
	// from disk must not wait for a whole one.
	Yield bool

	direction  gas.Direction
	symmetric  bool
	chunkEdges uint64 // the constant, but for tests

	workers []worker[V, A] // one for each goroutine
	spare   int            // of them, see Work
	// Of the page in hand:
	orders   []*page.Order // by shard; nil: chunks
	chunks   []page.Chunk  // in order of the shards
	starts   []int         // first chunk of each shard, and the number of chunks
	turns    []int         // chunks as goroutines take them; the first stands for a shard in source order
	partials []partial[A]
}

// Work says what to do with a page.
type Work struct {
	Step   gas.Step
	Marked bool // only vertices in Arrays.Marks, instead of all
	// SourceOrder wants shards in source order where that is faster, though it
	// takes time and memory to make.
	SourceOrder bool
	// Spare is how many of the engine's goroutines do nothing, and leave their
	// processors to what works beside them.
	Spare int
	// Aggregates receives each processed shard's share of the global
	// aggregate, by shard number. Nil when the program has no aggregate.
	Aggregates []float64
}

// Stats counts what was done.
type Stats struct {
	Edges     uint64 // gathered or notified along
	Vertices  uint64 // applied, or that notified
	Activated uint64 // vertices that became active
	Degrees   uint64 // the sum of their Arrays.Degree
}

// Add adds o to s.
func (s *Stats) Add(o Stats) {
	s.Edges += o.Edges
	s.Vertices += o.Vertices
	s.Activated += o.Activated
	s.Degrees += o.Degrees
}

// New makes an engine for the program of the loops, with the given number of goroutines. On a symmetric graph
// all directions are one.
func New[V, A any](loops gas.Loops[V, A], a *vertices.Arrays[V], symmetric bool, threads int) (e *Engine[V, A], err error) {
	p := loops.Program
	defer func() { // of Zero or Direction
		if r := recover(); r != nil {
			e, err = nil, panics.Recovered(p, r)
		}
	}()
	if err := hostmem.CheckPlain[A](); err != nil {
		return nil, fmt.Errorf("accumulator: %w", err)
	}
	e = &Engine[V, A]{program: p, arrays: a, direction: gas.DirectionOf(p), symmetric: symmetric, chunkEdges: page.ChunkEdges}
	e.loops = loops
	e.zero = p.Zero()
	e.workers = make([]worker[V, A], threads)
	for i := range e.workers {
		e.workers[i].Engine = e
	}
	return e, nil
}

// Process gathers and applies the vertices of a page: reads Arrays.Cur, writes
// Arrays.Next for every vertex it was asked to do, and adds those that changed
// significantly to Arrays.Rising.
func (e *Engine[V, A]) Process(p *page.Page, w Work) (Stats, error) {
	e.spare = w.Spare
	defer func() { e.spare = 0 }()
	e.cut(p)
	if w.SourceOrder && !w.Marked && e.loops.Scatter != nil {
		_, err := e.parallel(len(p.Shards), func(_ *worker[V, A], i int) error {
			e.orders[i] = p.Order(i, e.chunkEdges, true)
			return nil
		})
		if err != nil {
			return Stats{}, err
		}
	}
	e.line(p)
	stats, err := e.parallel(len(e.turns), func(r *worker[V, A], k int) error {
		i := e.turns[k]
		c := &e.chunks[i]
		s := &p.Shards[c.Shard]
		o := e.orders[c.Shard]
		if o == nil {
			r.chunk(s, c, w, &e.partials[i])
			return nil
		}
		r.scatter(s, o, w)
		if w.Aggregates != nil {
			w.Aggregates[s.Index] = r.aggregate(s, w)
		}
		return nil
	})
	if err != nil || !slices.Contains(e.orders, nil) {
		return stats, err
	}
	merged, err := e.parallel(len(p.Shards), func(r *worker[V, A], i int) error {
		s, from, to := &p.Shards[i], e.starts[i], e.starts[i+1]
		if e.orders[i] != nil {
			return nil // is done
		}
		r.merge(s, e.chunks[from:to], e.partials[from:to], w)
		if w.Aggregates != nil {
			w.Aggregates[s.Index] = r.aggregate(s, w)
		}
		return nil
	})
	stats.Add(merged)
	return stats, err
}

// cut lists the chunks of a page.
func (e *Engine[V, A]) cut(p *page.Page) {
	e.chunks, e.starts = e.chunks[:0], append(e.starts[:0], 0)
	for i := range p.Shards {
		e.chunks = p.AppendChunks(e.chunks, i, e.chunkEdges)
		e.starts = append(e.starts, len(e.chunks))
	}
	e.orders = slices.Grow(e.orders[:0], len(p.Shards))[:len(p.Shards)]
	clear(e.orders)
	e.partials = slices.Grow(e.partials[:0], len(e.chunks))[:len(e.chunks)]
	clear(e.partials)
}

// line puts what there is to do in line: chunks, and shards in source order, the
// largest first, so that goroutines come to the end of the page together.
func (e *Engine[V, A]) line(p *page.Page) {
	e.turns = e.turns[:0]
	for i, o := range e.orders {
		if o != nil {
			e.turns = append(e.turns, e.starts[i])
		}
	}
	edges := func(turn int) uint64 {
		s := &p.Shards[e.chunks[turn].Shard]
		return s.Before(s.Vertices())
	}
	slices.SortStableFunc(e.turns, func(a, b int) int { return cmp.Compare(edges(b), edges(a)) })
	for i, o := range e.orders {
		for c := e.starts[i]; o == nil && c < e.starts[i+1]; c++ {
			e.turns = append(e.turns, c)
		}
	}
}

// parallel calls task for 0 ≤ i < n on the engine's goroutines and sums what it
// counts. A panic in a program's method ends as an error.
func (e *Engine[V, A]) parallel(n int, task func(r *worker[V, A], i int) error) (Stats, error) {
	var (
		next  atomic.Int64
		mu    sync.Mutex // guards total and first
		total Stats
		first error
	)
	work := func(r *worker[V, A]) {
		var err error
		r.stats = Stats{}
		defer func() {
			if x := recover(); x != nil {
				err = panics.Recovered(e.program, x)
				clear(r.rising)
			}
			mu.Lock()
			defer mu.Unlock()
			total.Add(r.stats)
			if first == nil {
				first = err
			}
			if err != nil {
				next.Store(int64(n)) // the others stop
			}
		}()
		for err == nil {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			err = task(r, i)
			if e.Yield {
				runtime.Gosched()
			}
		}
	}
	workers := e.workers[:min(max(1, len(e.workers)-e.spare), n)]
	if len(workers) == 1 {
		work(&workers[0])
		return total, first
	}
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() { work(&workers[i]) })
	}
	wg.Wait()
	return total, first
}
