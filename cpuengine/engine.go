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
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/vertices"
	"github.com/garaph/garaph/page"
)

// Engine runs one program over one set of vertex arrays. Process and Notify
// use all its goroutines, so a caller runs one of them at a time.
type Engine[V, A any] struct {
	program gas.Program[V, A]
	arrays  *vertices.Arrays[V]
	threads int
	zero    A

	saturable  gas.Saturable[A]
	settleable gas.Settleable[V]
	aggregable gas.Aggregable[V]
	direction  gas.Direction
	symmetric  bool
	chunkEdges uint64 // the constant, but for tests

	chunks   []chunk // of the page in hand, in order of its shards
	starts   []int   // first chunk of each shard, and the number of chunks
	partials []partial[A]
}

// Work says what to do with a page.
type Work struct {
	Step   gas.Step
	Marked bool // only vertices in Arrays.Marks, instead of all
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

// New makes an engine with the given number of goroutines. On a symmetric graph
// all directions are one.
func New[V, A any](p gas.Program[V, A], a *vertices.Arrays[V], symmetric bool, threads int) (e *Engine[V, A], err error) {
	defer func() { // of Zero or Direction
		if r := recover(); r != nil {
			e, err = nil, fmt.Errorf("program %T panicked: %v\n%s", p, r, debug.Stack())
		}
	}()
	if err := hostmem.CheckPlain[A](); err != nil {
		return nil, fmt.Errorf("accumulator: %w", err)
	}
	e = &Engine[V, A]{program: p, arrays: a, threads: threads, direction: gas.DirectionOf(p), symmetric: symmetric, chunkEdges: chunkEdges}
	e.saturable, _ = p.(gas.Saturable[A])
	e.settleable, _ = p.(gas.Settleable[V])
	e.aggregable, _ = p.(gas.Aggregable[V])
	e.zero = p.Zero()
	return e, nil
}

// Process gathers and applies the vertices of a page: reads Arrays.Cur, writes
// Arrays.Next for every vertex it was asked to do, and adds those that changed
// significantly to Arrays.Rising.
func (e *Engine[V, A]) Process(p *page.Page, w Work) (Stats, error) {
	e.cut(p)
	stats, err := e.parallel(len(e.chunks), func(i int) (Stats, error) {
		r := e.run(&p.Shards[e.chunks[i].shard], w)
		r.chunk(&e.chunks[i], &e.partials[i])
		return r.done(), nil
	})
	if err != nil {
		return stats, err
	}
	merged, err := e.parallel(len(p.Shards), func(i int) (Stats, error) {
		r := e.run(&p.Shards[i], w)
		r.merge(i)
		if w.Aggregates != nil {
			w.Aggregates[p.Shards[i].Index] = r.aggregate()
		}
		return r.done(), nil
	})
	stats.Add(merged)
	return stats, err
}

// parallel calls task for 0 ≤ i < n on the engine's goroutines and sums what it
// counts. A panic in a program's method ends as an error.
func (e *Engine[V, A]) parallel(n int, task func(i int) (Stats, error)) (Stats, error) {
	var (
		next  atomic.Int64
		mu    sync.Mutex // guards total and first
		total Stats
		first error
	)
	worker := func() {
		var own Stats
		var err error
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("program %T panicked: %v\n%s", e.program, r, debug.Stack())
			}
			mu.Lock()
			defer mu.Unlock()
			total.Add(own)
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
			var s Stats
			s, err = task(i)
			own.Add(s)
		}
	}
	workers := min(e.threads, n)
	if workers <= 1 {
		worker()
		return total, first
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(worker)
	}
	wg.Wait()
	return total, first
}
