package algorithms

import (
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/garaph/garaph/internal/panics"
)

// Each calls f(worker, i) for every i from 0 to n-1, in ascending order of their
// beginning, on as many goroutines as the run has threads. worker, from 0 to
// Threads-1, is the number of the goroutine. Each returns when all calls have
// returned; after an error, or the end of the context, no more are begun.
func (e *Env) Each(ctx context.Context, n int, f func(worker, i int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	for worker := range min(e.Threads, n) {
		g.Go(func() error {
			return panics.Guard(e.algorithm, func() error {
				for {
					i := int(next.Add(1)) - 1
					if i >= n {
						return nil
					}
					if err := ctx.Err(); err != nil {
						return err
					}
					if err := f(worker, i); err != nil {
						return err
					}
				}
			})
		})
	}
	return g.Wait()
}

// summed is the number of terms that are summed by one goroutine.
const summed = 1 << 14

// Sum returns the sum of the terms from 0 to n-1. The terms of blocks of fixed size are summed by sum(from, to), and
// these sums in their order, so that the result does not depend on the number of threads.
func (e *Env) Sum(ctx context.Context, n int, sum func(from, to int) float64) (float64, error) {
	parts := make([]float64, (n+summed-1)/summed)
	err := e.Ranges(ctx, n, func(_, from, to int) { parts[from/summed] = sum(from, to) })
	var all float64
	for _, x := range parts {
		all += x
	}
	return all, err
}

// Ranges calls f for ranges of the numbers from 0 to n-1, on the threads of the run.
func (e *Env) Ranges(ctx context.Context, n int, f func(worker, from, to int)) error {
	return e.Each(ctx, (n+summed-1)/summed, func(worker, i int) error {
		f(worker, i*summed, min((i+1)*summed, n))
		return nil
	})
}

// turns lets goroutines end tasks in the order in which they begin them.
type turns struct {
	next         *sync.Cond
	begun, ended int
	most         int // tasks that are begun
	failed       bool
}

// newTurns returns the turns of the tasks from begin to before end.
func newTurns(begin, end int) *turns {
	return &turns{next: sync.NewCond(new(sync.Mutex)), begun: begin, ended: begin, most: end}
}

// begin returns the next task.
func (t *turns) begin() (i int, ok bool) {
	t.next.L.Lock()
	defer t.next.L.Unlock()
	if t.failed || t.begun >= t.most {
		return 0, false
	}
	t.begun++
	return t.begun - 1, true
}

// end calls f when all tasks before i have ended.
func (t *turns) end(i int, f func()) {
	t.next.L.Lock()
	defer t.next.L.Unlock()
	for t.ended < i && !t.failed {
		t.next.Wait()
	}
	if !t.failed {
		f()
	}
	t.ended++
	t.next.Broadcast()
}

// stop begins no more tasks. It is called by the function of an end.
func (t *turns) stop() { t.most = t.begun }

func (t *turns) fail() {
	t.next.L.Lock()
	defer t.next.L.Unlock()
	t.failed = true
	t.next.Broadcast()
}
