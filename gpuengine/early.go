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

// Early stops copying for the next iteration, and returns what was copied. The next Iterate returns
// its error, if any.
func (e *Engine[V, A]) Early() []page.Request {
	c := &e.pipeline.copier
	if err := c.endEarly(); err != nil && e.pipeline.iteration.failed == nil {
		e.pipeline.iteration.failed = e.broken(err)
	}
	return c.early.pages
}

func (c *copier) beginEarly() {
	c.early.ctx, c.early.stop = context.WithCancel(context.Background())
	c.early.going = true
}

func (c *copier) endEarly() error {
	if !c.early.going {
		return nil
	}
	c.early.going = false
	c.early.stop()
	return <-c.early.done
}

// useEarly makes the kernels of this iteration begin with the pages copied early.
func (c *copier) useEarly() {
	for _, l := range c.early.lanes {
		l.slot.early = nil
		c.queues.ready <- l
	}
	c.early.lanes, c.early.pages = c.early.lanes[:0], c.early.pages[:0]
}

// forgetEarly discards the pages copied early, for an iteration that does not begin with them.
func (c *copier) forgetEarly() error {
	if len(c.early.lanes) == 0 {
		return nil
	}
	err := c.lanes.copies.Sync()
	for _, l := range c.early.lanes {
		l.slot.early = nil
		c.holds.releaseAll(l)
		l.reopen()
		c.queues.free <- l
	}
	c.early.lanes, c.early.pages = c.early.lanes[:0], c.early.pages[:0]
	return err
}

// copyEarly copies for the next iteration, whole pages, until one does not fit or it is
// stopped. A copy is queued when the one before it is done: those that carry what the
// host has computed would otherwise wait for all of them.
func (c *copier) copyEarly() error {
	ctx := c.early.ctx
	stopped := func() bool { return c.iteration.Last || ctx.Err() != nil }
	for _, rq := range c.iteration.Next {
		for c.sent != nil && !c.sent.events.copied.Done() && !stopped() {
			runtime.Gosched()
		}
		if stopped() || len(c.early.lanes) == len(c.lanes.streamed)/2 { // the others are for batches behind them
			return nil
		}
		copied, err := c.copyPageEarly(ctx, rq)
		if err != nil {
			return fmt.Errorf("copying page %d ahead: %w", rq.Page, err)
		}
		if !copied {
			return nil
		}
	}
	return nil
}

// copyPageEarly copies a page. It returns false if there is no room for it, or if it was stopped.
func (c *copier) copyPageEarly(ctx context.Context, rq page.Request) (copied bool, err error) {
	p, err := c.pages.Get(rq)
	if err != nil {
		return false, err
	}
	defer func() {
		if !copied {
			p.Release()
		}
	}()
	l := c.lane(ctx)
	if l == nil {
		return false, nil
	}
	before := l.slot.early
	l.room = room{base: l.memory, high: c.slotBytes}
	if before != nil {
		l.room = before.room
	}
	l.batch.reset(p.Index, p.Shards[0].Index)
	for i := range p.Shards {
		s := &p.Shards[i]
		if s.Index != p.Shards[0].Index+i || !c.pack.fits(&l.batch, &l.room, s) {
			c.spare = l
			return false, nil
		}
		c.pack.whole(&l.batch, &l.room, s)
	}
	if before != nil {
		before.shared, l.shared = true, false
	} else if !l.awaitOpen(ctx) {
		c.spare = l
		return false, nil
	}
	l.own = held{page: p, refs: 1}
	l.held = append(l.held, &l.own)
	l.slot.early, c.sent = l, l
	c.early.lanes, c.early.pages = append(c.early.lanes, l), append(c.early.pages, rq)
	return true, l.send(c.resources, c.lanes.copies)
}
