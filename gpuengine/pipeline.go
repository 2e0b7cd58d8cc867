package gpuengine

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"

	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/page"
)

// Pages are where edges come from, in memory that the device has pinned.
type Pages interface {
	Spans() []page.Span
	Stays(p int) bool                     // in memory
	Get(page.Request) (*page.Page, error) // one that stays
	Stream(ctx context.Context, requests []page.Request) iter.Seq2[*page.Page, error]
}

// Goroutines is how many goroutines of an engine wait for the device.
const Goroutines = 4

// begin starts the goroutines of the pipeline (Garaph, section 4.1): one that
// copies, one that launches kernels, and those that wait for the end of what was
// launched, in this order: one for what is copied, one for what stays. They run from one
// iteration to the next. None has an OS thread of its own: to wake a goroutine that has
// one takes two threads that sleep, each of which waits for a processor, for
// milliseconds where the CPU works beside the device.
func (e *Engine[V, A]) begin() {
	e.transfers, e.computes = make(chan context.Context), make(chan context.Context)
	e.ended = make(chan struct{}, 2)
	e.free = make(chan *lane, len(e.lanes))
	e.idle = make(chan *lane, len(e.residents))
	e.ready = make(chan *lane, len(e.lanes)+1)
	e.flying = [2]chan *lane{make(chan *lane, len(e.lanes)), make(chan *lane, len(e.residents))}
	e.running.Go(func() {
		for ctx := range e.computes {
			e.compute(ctx)
			e.ended <- struct{}{}
		}
	})
	e.early.done = make(chan error, 1)
	e.running.Go(func() {
		for ctx := range e.transfers {
			err := e.transfer(ctx)
			e.ended <- struct{}{}
			if err == nil {
				err = e.copyEarly()
			} else {
				err = nil // the iteration has it
			}
			e.early.done <- err
		}
	})
	for i, back := range []chan *lane{e.free, e.idle} {
		for _, l := range [][]*lane{e.lanes, e.residents}[i] {
			back <- l
		}
		e.running.Go(func() { e.retire(e.flying[i], back) })
	}
}

// end stops them. No iteration is running.
func (e *Engine[V, A]) end() {
	if e.transfers == nil {
		return
	}
	close(e.transfers)
	close(e.computes)
	for _, c := range e.flying {
		close(c)
	}
	e.running.Wait()
	e.transfers = nil
}

// transfer copies all that does not stay on the device, batch by batch. Where nothing
// is exchanged, batches go on from page to page, so that they fill their slots; but
// one from disk is not kept waiting for the next, which may need its buffer, and what
// may be copied ahead, a page in each batch, is so also where there was no time for
// that: sums over the vertices of a batch do not depend on it. A nil lane ends the
// iteration's.
func (e *Engine[V, A]) transfer(ctx context.Context) (err error) {
	defer func() {
		if err != nil {
			e.fail(err)
		}
		e.ready <- nil
	}()
	var l *lane // with a batch that goes on
	for p, err := range e.work.From.Pages(ctx) {
		if err != nil {
			return err
		}
		h := e.hold(p)
		if l != nil && e.comesNext(p.Index) {
			if err := e.submit(l); err != nil {
				return err
			}
			l = nil
		}
		l, err = e.page(ctx, l, h)
		if err == nil && l != nil && (e.work.Exchange || !e.pages.Stays(p.Index) || e.comesNext(p.Index)) {
			err = e.submit(l)
			l = nil
		}
		e.release(h)
		if err != nil {
			return err
		}
	}
	if l == nil {
		return nil
	}
	return e.submit(l)
}

// comesNext tells whether the next iteration begins with a page, as this one did.
func (e *Engine[V, A]) comesNext(p int) bool {
	return slices.ContainsFunc(e.work.Next, func(rq page.Request) bool { return rq.Page == p })
}

// page copies a page, in one batch or several, the first of which may be that of a lane
// already. The lane that it gives has the last one, which was not submitted.
func (e *Engine[V, A]) page(ctx context.Context, l *lane, h *held) (*lane, error) {
	if l != nil {
		e.keep(l, h)
	}
	for i := 0; i < len(h.page.Shards); {
		s := &h.page.Shards[i]
		if l == nil {
			var err error
			if l, err = e.take(ctx, h, s.Index); err != nil {
				return nil, err
			}
		}
		switch {
		case !l.batch.empty() && s.Index > l.batch.to: // shards between them are not wanted
			if err := e.submit(l); err != nil {
				return nil, err
			}
			l = nil
		case e.streamed.fits(&l.batch, &l.room, s):
			e.streamed.whole(&l.batch, &l.room, s)
			i++
		case !l.batch.empty():
			if err := e.submit(l); err != nil {
				return nil, err
			}
			l = nil
		default:
			var err error
			if l, err = e.parts(ctx, l, h, s); err != nil {
				return nil, err
			}
			i++
		}
	}
	return l, nil
}

// parts copies a shard that no slot can hold, in several batches. The last one
// may take further shards.
func (e *Engine[V, A]) parts(ctx context.Context, l *lane, h *held, s *page.Shard) (*lane, error) {
	for k := range s.Sides {
		side := &s.Sides[k]
		for edge := uint32(0); edge < side.Edges(); {
			next := e.streamed.part(&l.batch, &l.room, side, k, edge)
			if next > edge {
				edge = next
				continue
			}
			if l.batch.count == 0 {
				return nil, fmt.Errorf("shard %d: a chunk at edge %d does not fit into a buffer of %d bytes", s.Index, edge, e.plan.slotSize)
			}
			if err := e.submit(l); err != nil {
				return nil, err
			}
			var err error
			if l, err = e.take(ctx, h, s.Index); err != nil {
				return nil, err
			}
			l.batch.continued = true
		}
	}
	l.batch.to = s.Index + 1
	return l, nil
}

// take waits for a lane, and until copies can be queued in its stream, for a batch
// of a page. Lanes come back in the order in which they went, so that slots take
// turns.
func (e *Engine[V, A]) take(ctx context.Context, h *held, shard int) (*lane, error) {
	l := e.lane(ctx)
	if l == nil || !l.await(ctx) {
		return nil, ctx.Err()
	}
	l.batch.reset(h.page.Index, shard)
	l.room = room{base: l.memory, high: e.plan.slotSize}
	e.keep(l, h)
	return l, nil
}

// lane waits for a lane; nil: the context has ended.
func (e *Engine[V, A]) lane(ctx context.Context) *lane {
	if l := e.spare; l != nil {
		e.spare = nil
		return l
	}
	select {
	case l := <-e.free:
		return l
	case <-ctx.Done():
		return nil
	}
}

// await waits until copies can be queued in the lane's slot; false: the context has ended.
func (l *lane) await(ctx context.Context) bool {
	select {
	case <-l.turn:
		l.shared = false
		return true
	case <-ctx.Done():
		return false
	}
}

// keep has a page held until the copies of a lane's batch are done.
func (e *Engine[V, A]) keep(l *lane, h *held) {
	l.held = append(l.held, h)
	e.mu.Lock()
	h.refs++
	e.mu.Unlock()
}

// submit queues the copies of a batch and hands it to the compute goroutine.
func (e *Engine[V, A]) submit(l *lane) error {
	if err := l.send(e.device, e.copies); err != nil {
		return fmt.Errorf("copying page %d: %w", l.batch.page, err)
	}
	e.sent = l
	e.ready <- l
	return nil
}

// compute launches kernels: for what was copied as soon as it is there, and
// otherwise for what stays on the device. After a failure it launches no more.
func (e *Engine[V, A]) compute(ctx context.Context) {
	ready, still := e.ready, len(e.pieces) > 0
	for ready != nil || still {
		l, copied := e.pick(ready, still)
		switch {
		case l == nil:
			ready = nil
			continue
		case copied && ctx.Err() != nil:
			continue
		case !copied:
			from, to := 0, 0
			if ctx.Err() == nil {
				from, to = e.work.From.Stay()
			}
			if from == to {
				e.idle <- l
				still = false
				continue
			}
			l.work = e.join(from, to)
		}
		if err := e.launch(l); err != nil {
			e.fail(fmt.Errorf("processing %s: %w", &l.work, err))
			if !copied {
				e.idle <- l // it may be the only one, for which pick would wait
			}
			continue
		}
		e.inFlight.Add(1)
		if copied {
			if !l.shared {
				l.turn <- struct{}{}
			}
			e.flying[0] <- l
		} else {
			e.flying[1] <- l
		}
	}
}

// pick gives a lane with a copied batch, if there is one; otherwise whichever
// comes first of one, or of an idle lane for what stays.
func (e *Engine[V, A]) pick(ready chan *lane, still bool) (l *lane, copied bool) {
	if !still {
		return <-ready, true
	}
	select {
	case l = <-ready:
		return l, true
	default:
	}
	select {
	case l = <-ready:
		return l, true
	case l = <-e.idle:
		return l, false
	}
}

// launch queues the kernels of a lane's work.
func (e *Engine[V, A]) launch(l *lane) error {
	w, s := &l.work, l.stream
	if w.continued && e.lastCopied != nil {
		if err := s.Wait(e.lastCopied); err != nil {
			return err
		}
	}
	if e.opt.Async && e.last != nil { // new values are seen by the pages after it, all of them
		if err := s.Wait(e.last); err != nil {
			return err
		}
	}
	if err := e.absorb(s); err != nil {
		return err
	}
	if err := s.Record(l.started); err != nil {
		return err
	}
	if l.memory != 0 {
		if err := l.expand(e.kernels.Expand); err != nil {
			return err
		}
	}
	if err := s.Record(l.expanded); err != nil {
		return err
	}
	if err := e.pull(l); err != nil {
		return err
	}
	if err := s.Record(l.pulled); err != nil {
		return err
	}
	if err := e.apply(l); err != nil {
		return err
	}
	e.last = l.done
	if l.memory != 0 {
		e.lastCopied, l.emptied = l.done, l.done
	}
	if err := s.Record(l.done); err != nil {
		return err
	}
	return e.bring(l)
}

func (e *Engine[V, A]) pull(l *lane) error {
	w := &l.work
	for k, n := range w.counts {
		if n == 0 {
			continue
		}
		l.pullArgs = kernels.PullArgs{
			Chunks: w.chunks[k], Values: e.at[values], Acc: e.at[accumulators],
			Parameters: e.at[parameterBlock], Fault: e.fault(),
		}
		if err := e.kernels.Pull[k%kernels.Ways].Launch(l.stream, n, w.shared[k], &l.pullArgs); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine[V, A]) apply(l *lane) error {
	w := &l.work
	if w.from == w.to {
		return nil
	}
	first := e.plan.cat.Shards[w.from].First
	last := &e.plan.cat.Shards[w.to-1]
	count := last.First + uint32(last.Vertices) - first
	l.applyArgs = kernels.ApplyArgs{
		Acc: e.at[accumulators], Values: e.at[values], Next: e.at[nextValues],
		In: e.at[inDegree], Out: e.at[outDegree], Degree: e.at[degree],
		Parameters: e.at[parameterBlock], Active: e.at[active], Totals: e.at[results], Fault: e.fault(),
		Iteration: int64(e.work.Step.Iteration), Aggregate: e.work.Step.Aggregate,
		First: first, Count: count, N: e.plan.cat.Vertices,
	}
	if e.plan.sums {
		l.applyArgs.Sums = e.at[results] + device.Pointer(headBytes+8*int64(e.plan.sumAt[w.from]))
	}
	return e.kernels.Apply.Launch(l.stream, &l.applyArgs)
}

// retire waits for the end of what was launched, lane by lane, takes its times and
// results, and gives the lane back.
func (e *Engine[V, A]) retire(flying <-chan *lane, back chan<- *lane) {
	for l := range flying {
		err := l.brought.Sync()
		if err == nil && l.memory != 0 {
			err = l.copied.Sync() // of copies that failed, in their own stream
		}
		if err == nil {
			e.arrive(l)
			err = e.measure(l)
		}
		if err != nil {
			e.fail(fmt.Errorf("processing %s: %w", &l.work, err))
		} else {
			for _, h := range l.held {
				e.release(h)
			}
			l.held = l.held[:0]
		}
		back <- l
		e.inFlight.Done()
		runtime.Gosched() // whoever waited for the lane goes on in this thread, which is awake
	}
}

// hold keeps a page until the copies from it are done.
func (e *Engine[V, A]) hold(p *page.Page) *held {
	h := &e.holds[p.Index]
	e.mu.Lock()
	h.page, h.refs = p, 1
	e.mu.Unlock()
	return h
}

// release lets go of a page, when nothing is copied from it any more.
func (e *Engine[V, A]) release(h *held) {
	e.mu.Lock()
	h.refs--
	p := h.page
	if h.refs > 0 || e.failed != nil {
		p = nil // after a failure, drop does it
	} else {
		h.page = nil
	}
	e.mu.Unlock()
	if p != nil {
		p.Release()
	}
}

// fail notes the first error of an iteration, and ends it.
func (e *Engine[V, A]) fail(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.failed == nil {
		e.failed = err
	}
	e.cancel()
}
