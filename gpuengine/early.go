package gpuengine

import (
	"context"
	"fmt"
	"runtime"

	"github.com/garaph/garaph/page"
)

// early is what is copied for the next iteration. The link has nothing to do from the
// last copy of an iteration until its results are there, its values current and the
// next one begun. Edges depend on none of that: the first pages of the next iteration
// are copied meanwhile, as many as the slots hold. Several batches can lie in one slot
// then, each in a lane of its own.
type early struct {
	lanes []*lane
	pages []page.Request // in lanes
	ctx   context.Context
	stop  context.CancelFunc
	going bool       // done has not been heard yet
	done  chan error // from the transfer goroutine
}

// Early ends the copying for the next iteration, and lists what was copied. An error of
// it is that of the next Iterate.
func (e *Engine[V, A]) Early() []page.Request {
	if err := e.endEarly(); err != nil && e.failed == nil {
		e.failed = e.broken(err)
	}
	return e.early.pages
}

func (e *Engine[V, A]) beginEarly() {
	e.early.ctx, e.early.stop = context.WithCancel(context.Background())
	e.early.going = true
}

func (e *Engine[V, A]) endEarly() error {
	if !e.early.going {
		return nil
	}
	e.early.going = false
	e.early.stop()
	return <-e.early.done
}

// useEarly has the kernels of this iteration begin with what was copied.
func (e *Engine[V, A]) useEarly() {
	for _, l := range e.early.lanes {
		l.slot.early = nil
		e.ready <- l
	}
	e.early.lanes, e.early.pages = e.early.lanes[:0], e.early.pages[:0]
}

// forgetEarly gives it up, for an iteration that does something else.
func (e *Engine[V, A]) forgetEarly() error {
	if len(e.early.lanes) == 0 {
		return nil
	}
	err := e.copies.Sync()
	for _, l := range e.early.lanes {
		l.slot.early = nil
		for _, h := range l.held {
			e.release(h)
		}
		l.held = l.held[:0]
		if !l.shared {
			l.turn <- struct{}{}
		}
		e.free <- l
	}
	e.early.lanes, e.early.pages = e.early.lanes[:0], e.early.pages[:0]
	return err
}

// copyEarly copies for the next iteration, whole pages, until one does not fit or it is
// stopped. A copy is queued when the one before it is done: those that carry what the
// host has computed would otherwise wait for all of them.
func (e *Engine[V, A]) copyEarly() error {
	ctx := e.early.ctx
	stopped := func() bool { return e.work.Last || ctx.Err() != nil }
	for _, rq := range e.work.Next {
		for e.sent != nil && !e.sent.copied.Done() && !stopped() {
			runtime.Gosched()
		}
		if stopped() || len(e.early.lanes) == len(e.lanes)/2 { // the others are for batches behind them
			return nil
		}
		copied, err := e.copyPageEarly(ctx, rq)
		if err != nil {
			return fmt.Errorf("copying page %d ahead: %w", rq.Page, err)
		}
		if !copied {
			return nil
		}
	}
	return nil
}

// copyPageEarly copies a page; false: there is no room for it, or it was stopped.
func (e *Engine[V, A]) copyPageEarly(ctx context.Context, rq page.Request) (copied bool, err error) {
	p, err := e.pages.Get(rq)
	if err != nil {
		return false, err
	}
	defer func() {
		if !copied {
			p.Release()
		}
	}()
	l := e.lane(ctx)
	if l == nil {
		return false, nil
	}
	before := l.slot.early
	l.room = room{base: l.memory, high: e.plan.slotSize}
	if before != nil {
		l.room = before.room
	}
	l.batch.reset(p.Index, p.Shards[0].Index)
	for i := range p.Shards {
		s := &p.Shards[i]
		if s.Index != p.Shards[0].Index+i || !e.streamed.fits(&l.batch, &l.room, s) {
			e.spare = l
			return false, nil
		}
		e.streamed.whole(&l.batch, &l.room, s)
	}
	if before != nil {
		before.shared, l.shared = true, false
	} else if !l.await(ctx) {
		e.spare = l
		return false, nil
	}
	l.own = held{page: p, refs: 1}
	l.held = append(l.held, &l.own)
	l.slot.early, e.sent = l, l
	e.early.lanes, e.early.pages = append(e.early.lanes, l), append(e.early.pages, rq)
	return true, l.send(e.device, e.copies)
}
