// Package cpuengine runs vertex programs on goroutines: pull, where every
// vertex gathers along its edges, and the two halves of notify-pull, where
// active vertices mark their neighbours (Notify) and the marked ones gather
// (Process with Work.Marked). An [Advancer] pushes instead: from frontier to frontier,
// over rows in memory or read as they are needed.
//
// A packed shard is folded by one goroutine. The edges of a shard of rows are cut into
// chunks with fixed borders; a vertex that a border cuts gets its partial sums merged in
// the order of the chunks, by one goroutine (Garaph, section 5.1). Both orders depend on
// the shard alone, so that a sync job gives the same bits with any number of goroutines
// and any page size.
package cpuengine

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/internal/vertices"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard/rows"
)

// Engine runs one program over one set of vertex arrays. Process, Stream and Notify
// use all its goroutines, so a caller runs one of them at a time.
type Engine[V, A any] struct {
	program gas.Program[V, A]
	arrays  *vertices.Arrays[V]
	loops   compiled.Loops[V, A]
	zero    A

	// Yield makes goroutines let others run between chunks: a reader of pages
	// from disk must not wait for a whole one.
	Yield bool

	chunkEdges uint64 // the constant, but for tests

	workers []worker[V, A] // one for each goroutine
}

// Work describes what to do with a page.
type Work struct {
	Step   gas.Step
	Marked bool // only vertices in Arrays.Marks, instead of all
	// News leaves out edges from sources that are not in Arrays.Active, where that is
	// cheaper: the program is [gas.Monotone].
	News bool
	// Aggregates receives each processed shard's share of the global
	// aggregate, by shard number. Nil when the program has no aggregate.
	Aggregates []float64
}

// Stats counts the work of an engine.
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

// New returns an engine for the program of the loops, with the given number of goroutines.
func New[V, A any](loops compiled.Loops[V, A], a *vertices.Arrays[V], threads int) (e *Engine[V, A], err error) {
	p := loops.Program
	defer func() { // of Zero
		if r := recover(); r != nil {
			e, err = nil, panics.Recovered(p, r)
		}
	}()
	if err := hostmem.CheckPlain[A](); err != nil {
		return nil, fmt.Errorf("accumulator: %w", err)
	}
	e = &Engine[V, A]{program: p, arrays: a, chunkEdges: rows.ChunkEdges}
	e.loops = loops
	e.zero = p.Zero()
	e.workers = make([]worker[V, A], threads)
	for i := range e.workers {
		e.workers[i].engine, e.workers[i].index = e, i
	}
	return e, nil
}

// Process gathers and applies the vertices of a page: reads Arrays.Cur, writes
// Arrays.Next for every vertex it was asked to do, and adds those that changed
// significantly to Arrays.Rising.
func (e *Engine[V, A]) Process(p *page.Page, w Work) (stats Stats, err error) {
	given := false
	next := func(context.Context) (*page.Page, Work, error) {
		if given {
			return nil, w, nil
		}
		given = true
		return p, w, nil
	}
	err = e.Stream(context.Background(), 0, next, func(_ *page.Page, s Stats, _ time.Duration) error {
		stats = s
		return nil
	})
	return stats, err
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
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // of mapped pages
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
	workers := e.workers[:min(len(e.workers), n)]
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
