package gpuengine

import (
	"context"
	"sync"

	"github.com/garaph/garaph/page"
)

// Goroutines is the number of goroutines of an engine that wait for the device.
const Goroutines = 4

// pipeline is the goroutines of an engine (Garaph, section 4.1): one that copies,
// and those that wait for the end of what was launched: one for
// what is copied, one for what stays. They run from Start to Close. None has an OS
// thread of its own: to wake a goroutine that has one takes two threads that sleep, each
// of which waits for a processor, for milliseconds where the CPU works beside the device.
type pipeline struct {
	iteration  iteration
	queues     *queues
	copier     copier
	launcher   launcher
	retirer    retirer
	everything everything // the source of an iteration that has no other one

	running   sync.WaitGroup
	transfers chan context.Context // of iterations
	ended     chan struct{}        // when one is copied
}

// queues are the lanes that wait for a goroutine.
type queues struct {
	free     chan *lane    // of slots with memory, for the next batch
	idle     chan *lane    // of the others
	ready    chan *lane    // with copies queued; if nil, the last one of an iteration was before it
	flying   [2]chan *lane // with kernels queued: what is copied, what stays
	inFlight sync.WaitGroup
}

func newQueues(l *lanes) *queues {
	q := &queues{
		free: make(chan *lane, len(l.streamed)), idle: make(chan *lane, len(l.resident)),
		ready:  make(chan *lane, len(l.streamed)+1),
		flying: [2]chan *lane{make(chan *lane, len(l.streamed)), make(chan *lane, len(l.resident))},
	}
	for _, x := range l.streamed {
		q.free <- x
	}
	for _, x := range l.resident {
		q.idle <- x
	}
	return q
}

func (e *Engine[V, A]) newPipeline(pages Pages, t *tracer) *pipeline {
	p := &pipeline{
		transfers: make(chan context.Context), ended: make(chan struct{}, 1),
		queues: newQueues(&e.lanes),
		everything: everything{residency: &e.residency, pages: pages,
			streamed: append(Requests(pages.Spans(), 0, e.plan.kept.From),
				Requests(pages.Spans(), e.plan.kept.To, len(e.plan.cat.Shards))...)},
	}
	p.copier = copier{
		iteration: &p.iteration, queues: p.queues, resources: &e.resources, lanes: &e.lanes, pages: pages,
		holds: holds{pages: make([]held, len(pages.Spans()))}, pack: newPacker(e.plan, e.opt, e.plan.ring.limits),
		slotBytes: e.plan.ring.bytes,
	}
	p.copier.early.done = make(chan error, 1)
	p.launcher = launcher{iteration: &p.iteration, queues: p.queues, residency: &e.residency, arrays: &e.arrays,
		exchange: &e.exchange}
	p.retirer = retirer{iteration: &p.iteration, queues: p.queues, exchange: &e.exchange,
		holds: &p.copier.holds, tracer: t}
	return p
}

func (p *pipeline) start() {
	p.running.Go(func() {
		for ctx := range p.transfers {
			err := p.copier.run(ctx)
			p.ended <- struct{}{}
			if err == nil {
				err = p.copier.copyEarly()
			} else {
				err = nil // the iteration has it
			}
			p.copier.early.done <- err
		}
	})
	p.running.Go(func() { p.retirer.run(p.queues.flying[0], p.queues.free) })
	p.running.Go(func() { p.retirer.run(p.queues.flying[1], p.queues.idle) })
}

// run runs an iteration, and returns when the kernels of all its batches are done.
func (p *pipeline) run(ctx context.Context) {
	streams := len(p.copier.lanes.streamed) > 0
	if streams {
		p.copier.useEarly()
		p.copier.beginEarly()
		p.transfers <- ctx
	} else { // to wake a goroutine takes time
		p.queues.ready <- nil
	}
	p.launcher.run(ctx)
	if streams {
		<-p.ended
	}
	p.queues.inFlight.Wait()
}

// stop ends the goroutines. No iteration may be running.
func (p *pipeline) stop() {
	_, _ = p.copier.endEarly(), p.copier.forgetEarly() // copies made ahead are of no use
	close(p.transfers)
	for _, c := range p.queues.flying {
		close(c)
	}
	p.running.Wait()
}

// drop waits for the pending batches of a failed iteration, and releases its pages.
func (p *pipeline) drop() {
	_ = p.copier.endEarly()
	p.copier.lanes.quiet()
	p.copier.holds.drop()
	for _, l := range p.copier.lanes.streamed {
		l.own.drop()
	}
	p.copier.early.lanes, p.copier.early.pages = nil, nil
}

// held is a page from which copies run.
type held struct {
	page *page.Page
	refs int
}

func (h *held) drop() {
	if h.page != nil {
		h.page.Release()
		*h = held{}
	}
}

// holds are the pages of an iteration from which copies run.
type holds struct {
	mu    sync.Mutex // guards pages, and what lanes hold for themselves
	pages []held     // by page
}

// hold keeps a page until the copies from it are done.
func (s *holds) hold(p *page.Page) *held {
	h := &s.pages[p.Index]
	s.mu.Lock()
	defer s.mu.Unlock()
	h.page, h.refs = p, 1
	return h
}

// keep holds a page until the copies of a lane's batch are done.
func (s *holds) keep(l *lane, h *held) {
	l.held = append(l.held, h)
	s.mu.Lock()
	defer s.mu.Unlock()
	h.refs++
}

// release ends a hold; the page is released with the last one.
func (s *holds) release(list ...*held) {
	for _, h := range list {
		s.mu.Lock()
		h.refs--
		p := h.page
		if h.refs > 0 {
			p = nil
		} else {
			h.page = nil
		}
		s.mu.Unlock()
		if p != nil {
			p.Release()
		}
	}
}

// releaseAll does so with the pages of a lane's batch.
func (s *holds) releaseAll(l *lane) {
	s.release(l.held...)
	l.held = l.held[:0]
}

// drop releases all pages. Nothing is copied from them.
func (s *holds) drop() {
	for i := range s.pages {
		s.pages[i].drop()
	}
}
