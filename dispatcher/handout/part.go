package handout

import (
	"context"
	"iter"
	"slices"

	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/page"
)

// Part is one GPU's part in a hand-out: the [gpuengine.Source] of its iteration.
type Part struct {
	GPU
	Batches []Batch // that the GPU has done, in order

	h *Handout
	// No piece before from is open, nor one from to on.
	from, to int
	flying   uint64 // edges that are streamed, that the GPU has and has not done
	over     bool   // the GPU acquires no more
	failed   bool
}

// Batch is work that a GPU has done. Start and End are seconds since the job began: when it was
// handed out, and when it was done.
type Batch struct {
	gpuengine.PageTime
	Start, End float64
}

// addPart adds the part of a GPU. Of a piece it does all shards or none.
func (h *Handout) addPart(g GPU) {
	for _, p := range g.Pieces {
		shards := h.shards[p.From:p.To]
		if slices.ContainsFunc(shards, func(w shardWork) bool { return w.state == open }) {
			for i := range shards {
				shards[i].state = open
			}
		}
	}
	h.Parts = append(h.Parts, &Part{GPU: g, h: h, to: len(g.Pieces)})
}

// open reports whether a piece is not taken.
func (h *Handout) open(p gpuengine.Piece) bool {
	return p.From < p.To && !slices.ContainsFunc(h.shards[p.From:p.To], func(w shardWork) bool { return w.state != open })
}

// mostFirst is how many pages First lists at most.
const mostFirst = 8

// First lists the pages in memory with which a GPU begins, if nothing changes: no
// more than it acquires before it waits.
func (h *Handout) First() []page.Request {
	flying := uint64(0)
	for i, rq := range h.queue.cached {
		edges := h.sum(h.pages.ShardsOf(rq))
		if i == mostFirst || h.ranks != nil && h.enoughAhead(flying, edges) {
			return slices.Clone(h.queue.cached[:i])
		}
		flying += edges
	}
	return slices.Clone(h.queue.cached)
}

// BeginWith hands the GPU the pages that it has copied before, and reports whether they are
// those that come first.
func (p *Part) BeginWith(early []page.Request) bool {
	q := &p.h.queue
	n := len(early)
	same := func(a, b page.Request) bool { return a.Page == b.Page && slices.Equal(a.Shards, b.Shards) }
	if n == 0 || n > len(q.cached) || !slices.EqualFunc(q.cached[:n], early, same) {
		return false
	}
	q.cached = q.cached[n:]
	for _, rq := range early {
		shards := p.h.pages.ShardsOf(rq)
		p.stream(shards)
		p.h.Taken(shards)
	}
	return true
}

// Stay is [gpuengine.Source]: the next pieces for the GPU.
func (p *Part) Stay() (from, to int) {
	p.h.mu.Lock()
	for p.from < len(p.Pieces) && !p.h.open(p.Pieces[p.from]) {
		p.from++
	}
	from = p.from
	var shards []int
	for to = from; to < p.to && p.h.open(p.Pieces[to]) && (to == from || to < from+p.Enough(from)); to++ {
		shards = append(shards, page.Span(p.Pieces[to]).List()...)
	}
	p.from = to
	p.give(shards)
	p.h.mu.Unlock()
	p.h.Taken(shards)
	return from, to
}

// give notes that the GPU has shards.
func (p *Part) give(shards []int) {
	now := p.h.now()
	for _, i := range shards {
		p.h.shards[i] = shardWork{onGPU, p.Number, now}
	}
	p.h.changed.Broadcast()
}

// Pages is [gpuengine.Source]: the pages to copy to the GPU.
func (p *Part) Pages(ctx context.Context) iter.Seq2[*page.Page, error] {
	return func(yield func(*page.Page, error) bool) {
		stop := context.AfterFunc(ctx, p.h.wake)
		defer stop()
		for {
			next, err := p.next(ctx)
			if next == nil && err == nil {
				return
			}
			if err == nil {
				p.h.Taken(next.List())
			}
			if !yield(next, err) || err != nil {
				return
			}
		}
	}
}

// next returns the next page for the GPU, or nil if none is left.
func (p *Part) next(ctx context.Context) (*page.Page, error) {
	p.h.mu.Lock()
	defer p.h.mu.Unlock()
	for q := &p.h.queue; ; {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case p.h.Err != nil:
			return nil, p.h.Err
		case q.ready != nil:
			next := q.ready
			q.ready = nil
			p.stream(next.List())
			return next, nil
		case len(q.cached) > 0 && !p.waits():
			rq := q.cached[0]
			q.cached = q.cached[1:]
			p.stream(p.h.pages.ShardsOf(rq))
			next, err := p.h.get(rq)
			if err != nil {
				p.h.Err = err
			}
			return next, err
		case len(q.cached) == 0 && !q.reading:
			return nil, nil
		}
		p.h.changed.Wait()
	}
}

// stream notes that the GPU has shards that are copied to it.
func (p *Part) stream(shards []int) {
	p.flying += p.h.sum(shards)
	p.give(shards)
}

// leastAhead is how many pages the GPU may have in any case.
const leastAhead = 3

// waits reports whether the GPU leaves what is in memory to the CPU for now: it has some
// pages to work on, and half as much as is not taken. The more it has ahead, the longer
// its goroutines may wait for a processor; but the CPU ends when there is nothing to acquire.
func (p *Part) waits() bool {
	return p.h.ranks != nil && p.h.enoughAhead(p.flying, p.h.sum(p.h.pages.ShardsOf(p.h.queue.cached[0])))
}

// enoughAhead reports whether the edges in flight are enough for now, given those of the next page.
func (h *Handout) enoughAhead(flying, next uint64) bool {
	return flying > 0 && flying >= max(leastAhead*next, (h.progress.left[streams]-min(h.progress.left[streams], flying))/2)
}

// Done is [gpuengine.Source]: the GPU has done shards.
func (p *Part) Done(t gpuengine.PageTime) {
	p.h.mu.Lock()
	defer p.h.mu.Unlock()
	kind := streams
	if n := len(p.Pieces); n > 0 && t.From < p.Pieces[n-1].To {
		kind = stays
	}
	p.h.progress.last = p.h.now()
	p.Batches = append(p.Batches, Batch{t, p.h.shards[t.From].handed, p.h.progress.last})
	for i := t.From; i < t.To; i++ {
		if w := &p.h.shards[i]; w.state == onGPU {
			w.state = fromGPU
			if t.Continued && i == t.From {
				w.state = mended
			}
			p.h.arrived = append(p.h.arrived, i)
			p.h.progress.left[kind] -= min(p.h.progress.left[kind], p.h.edges[i])
			p.h.progress.did[kind] += p.h.edges[i]
			if kind == streams {
				p.flying -= min(p.flying, p.h.edges[i])
			}
		}
	}
	p.h.changed.Broadcast()
}

// End notes that the GPU acquires no more, and reports whether all have failed.
func (p *Part) End(failed bool) bool {
	p.h.mu.Lock()
	defer p.h.mu.Unlock()
	p.over, p.failed = true, failed
	p.h.changed.Broadcast()
	return !slices.ContainsFunc(p.h.Parts, func(p *Part) bool { return !p.failed })
}

// ended reports whether no GPU acquires any more.
func (h *Handout) ended() bool {
	return !slices.ContainsFunc(h.Parts, func(p *Part) bool { return !p.over })
}
