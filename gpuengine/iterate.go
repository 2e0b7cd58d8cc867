package gpuengine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"unsafe"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/page"
)

// Work says what an iteration processes.
type Work struct {
	Step gas.Step
	From Source // nil: everything
	// Exchange brings the new values of each batch to the host, into Arrays.Next,
	// and adds those that it activated to Arrays.Rising.
	Exchange bool
	Quiet    bool // without a trace
	// Next are pages in memory with which the next iteration begins, most likely: they
	// are copied at the end of this one, unless it is the last.
	Next []page.Request
	Last bool
	// Early: what Engine.Early lists is done in this iteration, beside what From hands
	// out.
	Early bool
}

// Source hands out what an iteration processes. Stay is called by one goroutine,
// Pages by another, and Done by several, one at a time.
type Source interface {
	// Stay gives the next pieces, [from, to) of [Engine.Pieces]; none left: from =
	// to.
	Stay() (from, to int)
	// Pages gives the pages to copy.
	Pages(ctx context.Context) iter.Seq2[*page.Page, error]
	// Done is told what is done.
	Done(PageTime)
}

// Stats says what an iteration did.
type Stats struct {
	Edges     uint64
	Vertices  uint64 // applied
	Activated uint64
	Degrees   uint64  // the sum of their Arrays.Degree
	Aggregate float64 // over all values
	Pages     int     // batches
	Bytes     int64   // of edges copied to the device
	Exchanged int64   // bytes of values copied to the device
	Back      int64   // bytes of values and active bits copied to the host
}

// Iterate pulls and applies every vertex of what it is handed once. In sync mode
// the new values are seen after Commit. After an error, which may be that of ctx,
// the values on the device are those of before in sync mode, and the engine does
// not iterate again.
func (e *Engine[V, A]) Iterate(ctx context.Context, w Work) (Stats, error) {
	err := e.endEarly()
	if e.failed == nil && err != nil {
		e.failed = e.broken(err)
	}
	if e.failed != nil {
		e.drop()
		return Stats{}, e.failed
	}
	if w.From == nil {
		e.whole = everything[V, A]{Engine: e}
		w.From = &e.whole
	}
	e.work, e.times, e.last, e.lastCopied = w, e.times[:0], nil, nil
	e.back = 0
	if !w.Early {
		if err := e.forgetEarly(); err != nil {
			return Stats{}, e.broken(err)
		}
	}
	if err := e.clear(); err != nil {
		err = e.broken(err)
		e.drop()
		return Stats{}, err
	}
	e.useEarly()
	e.beginEarly()
	ctx, e.cancel = context.WithCancel(ctx)
	defer e.cancel()
	e.transfers <- ctx
	e.computes <- ctx
	<-e.ended
	<-e.ended
	e.inFlight.Wait()
	if e.failed == nil {
		e.failed = ctx.Err()
	}
	if e.failed == nil {
		if err := e.collect(); err != nil {
			e.failed = err
		}
	}
	if e.failed != nil {
		e.drop()
		return Stats{}, e.broken(e.failed)
	}
	stats, err := e.stats()
	if err != nil {
		err = e.broken(err)
		e.drop()
		return stats, err
	}
	return stats, nil
}

// broken names the device and the iteration of an error.
func (e *Engine[V, A]) broken(err error) error {
	if e.failed == nil {
		e.failed = err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("GPU %s, iteration %d: %w", e.device.Info().Name, e.work.Step.Iteration+1, err)
}

// clear has what an iteration adds to emptied before its kernels run.
func (e *Engine[V, A]) clear() error {
	if err := e.main.Fill(e.at[results], 0, int64(len(e.head))); err != nil {
		return err
	}
	if err := e.main.Fill(e.at[active], 0, e.plan.arraySizes(e.fragments)[active]); err != nil {
		return err
	}
	if err := e.main.Record(e.cleared); err != nil {
		return err
	}
	for _, s := range e.slots {
		if err := s.stream.Wait(e.cleared); err != nil {
			return err
		}
	}
	return nil
}

// collect fetches the results, when all lanes are back.
func (e *Engine[V, A]) collect() error {
	if err := e.main.ToHost(e.head, e.at[results]); err != nil {
		return err
	}
	return e.main.Sync()
}

// drop waits for what is left of a failed iteration, and lets go of its pages.
func (e *Engine[V, A]) drop() {
	_ = e.endEarly()
	e.quiet()
	for i := range e.holds {
		if h := &e.holds[i]; h.page != nil {
			h.page.Release()
			h.page, h.refs = nil, 0
		}
	}
	for _, l := range e.lanes {
		if l.own.page != nil {
			l.own.page.Release()
			l.own = held{}
		}
	}
	e.early.lanes, e.early.pages = nil, nil
}

// stats reads the results of an iteration.
func (e *Engine[V, A]) stats() (Stats, error) {
	t := (*kernels.Totals)(unsafe.Pointer(&e.head[0]))
	if fault := *(*gas.Fault)(unsafe.Pointer(&e.head[unsafe.Sizeof(*t)])); fault != gas.NoFault {
		return Stats{}, fmt.Errorf("program %T: %s", e.program, fault)
	}
	s := Stats{Vertices: t.Applied, Activated: t.Activated, Degrees: t.Degrees, Pages: len(e.times), Back: e.back}
	for _, x := range e.times {
		s.Edges += x.Edges
		s.Bytes += x.Bytes
	}
	sums := e.head[headBytes:]
	for ; len(sums) > 0; sums = sums[8:] {
		s.Aggregate += math.Float64frombits(*(*uint64)(unsafe.Pointer(&sums[0])))
	}
	return s, nil
}

// Times are those of the batches of the last iteration, until the next one.
func (e *Engine[V, A]) Times() []PageTime { return e.times }
