package dispatcher

import (
	"context"
	"iter"
	"slices"

	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/page"
)

// part is one GPU's part in a hand-out: the [gpuengine.Source] of its iteration.
type part struct {
	*handout
	worker int
	pieces []gpuengine.Piece
	enough func(piece int) int // how many pieces one launch takes
	// No piece before from is open, nor one from to on.
	from, to int
	flying   uint64 // edges that are streamed, that the GPU has and has not done
	times    []PageWork
	over     bool // the GPU acquires no more
	failed   bool
}

// addPart adds the part of a GPU. Of a piece it does all shards or none.
func (h *handout) addPart(worker int, pieces []gpuengine.Piece) {
	for _, p := range pieces {
		shards := h.shards[p.From:p.To]
		if slices.ContainsFunc(shards, func(w shardWork) bool { return w.state == open }) {
			for i := range shards {
				shards[i].state = open
			}
		}
	}
	h.parts = append(h.parts, &part{handout: h, worker: worker, pieces: pieces, to: len(pieces)})
}

// open reports whether nobody has a piece.
func (h *handout) open(p gpuengine.Piece) bool {
	return p.From < p.To && !slices.ContainsFunc(h.shards[p.From:p.To], func(w shardWork) bool { return w.state != open })
}

// mostFirst is how many pages first lists at most.
const mostFirst = 8

// first lists the pages in memory with which the GPU begins, if nothing changes: no
// more than it acquires before it waits.
func (h *handout) first() []page.Request {
	flying := uint64(0)
	for i, rq := range h.queue.cached {
		edges := h.sum(shardsIn(rq, h.pages.Spans()))
		if i == mostFirst || h.ranks != nil && h.enoughAhead(flying, edges) {
			return slices.Clone(h.queue.cached[:i])
		}
		flying += edges
	}
	return slices.Clone(h.queue.cached)
}

// beginWith has the GPU begin with pages that it has copied before, if they are those
// that come first.
func (p *part) beginWith(early []page.Request) bool {
	q := &p.queue
	n := len(early)
	same := func(a, b page.Request) bool { return a.Page == b.Page && slices.Equal(a.Shards, b.Shards) }
	if n == 0 || n > len(q.cached) || !slices.EqualFunc(q.cached[:n], early, same) {
		return false
	}
	q.cached = q.cached[n:]
	for _, rq := range early {
		shards := shardsIn(rq, p.pages.Spans())
		p.stream(shards)
		p.taken(shards)
	}
	return true
}

// Stay is [gpuengine.Source]: the next pieces for the GPU.
func (p *part) Stay() (from, to int) {
	p.mu.Lock()
	for p.from < len(p.pieces) && !p.open(p.pieces[p.from]) {
		p.from++
	}
	from = p.from
	var shards []int
	for to = from; to < p.to && p.open(p.pieces[to]) && (to == from || to < from+p.enough(from)); to++ {
		shards = append(shards, shardsOfSpan(span{p.pieces[to].From, p.pieces[to].To})...)
	}
	p.from = to
	p.give(shards)
	p.mu.Unlock()
	p.taken(shards)
	return from, to
}

// give notes that the GPU has shards.
func (p *part) give(shards []int) {
	now := p.now()
	for _, i := range shards {
		p.shards[i] = shardWork{onGPU, p.worker, now}
	}
	p.changed.Broadcast()
}

// Pages is [gpuengine.Source]: the pages to copy to the GPU.
func (p *part) Pages(ctx context.Context) iter.Seq2[*page.Page, error] {
	return func(yield func(*page.Page, error) bool) {
		stop := context.AfterFunc(ctx, p.wake)
		defer stop()
		for {
			next, err := p.next(ctx)
			if next == nil && err == nil {
				return
			}
			if err == nil {
				p.taken(shardsOf(next))
			}
			if !yield(next, err) || err != nil {
				return
			}
		}
	}
}

// next is the next page for the GPU; nil: none is left.
func (p *part) next(ctx context.Context) (*page.Page, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for q := &p.queue; ; {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case q.unread != nil:
			return nil, q.unread
		case q.ready != nil:
			next := q.ready
			q.ready = nil
			p.stream(shardsOf(next))
			return next, nil
		case len(q.cached) > 0 && !p.waits():
			rq := q.cached[0]
			q.cached = q.cached[1:]
			p.stream(shardsIn(rq, p.pages.Spans()))
			next, err := p.get(rq)
			if err != nil {
				q.unread = err
			}
			return next, err
		case len(q.cached) == 0 && !q.reading:
			return nil, nil
		}
		p.changed.Wait()
	}
}

// stream notes that the GPU has shards that are copied to it.
func (p *part) stream(shards []int) {
	p.flying += p.sum(shards)
	p.give(shards)
}

// leastAhead is how many pages the GPU may have in any case.
const leastAhead = 3

// waits reports whether the GPU leaves what is in memory to the CPU for now: it has some
// pages to work on, and half as much as nobody has yet. The more it has ahead, the longer
// its goroutines may wait for a processor; but the CPU ends when there is nothing to acquire.
func (p *part) waits() bool {
	return p.ranks != nil && p.enoughAhead(p.flying, p.sum(shardsIn(p.queue.cached[0], p.pages.Spans())))
}

// enoughAhead reports whether so many edges are enough for now, with so many on the next
// page.
func (h *handout) enoughAhead(flying, next uint64) bool {
	return flying > 0 && flying >= max(leastAhead*next, (h.tally.left[streams]-min(h.tally.left[streams], flying))/2)
}

// Done is [gpuengine.Source]: the GPU has done shards.
func (p *part) Done(t gpuengine.PageTime) {
	p.mu.Lock()
	defer p.mu.Unlock()
	kind := streams
	if n := len(p.pieces); n > 0 && t.From < p.pieces[n-1].To {
		kind = stays
	}
	p.tally.last = p.now()
	p.times = append(p.times, PageWork{
		Device: GPU, From: t.From, To: t.To, Edges: t.Edges, Bytes: t.Bytes,
		Start: p.shards[t.From].handed, End: p.tally.last,
		Copy: t.Copy, Compute: t.Compute, Copies: t.Copies,
	})
	for i := t.From; i < t.To; i++ {
		if w := &p.shards[i]; w.state == onGPU {
			w.state = fromGPU
			if t.Continued && i == t.From {
				w.state = mended
			}
			p.arrived = append(p.arrived, i)
			p.tally.left[kind] -= min(p.tally.left[kind], p.edges[i])
			p.tally.did[kind] += p.edges[i]
			if kind == streams {
				p.flying -= min(p.flying, p.edges[i])
			}
		}
	}
	p.changed.Broadcast()
}

// end notes that the GPU acquires no more, and reports whether all have failed.
func (p *part) end(failed bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over, p.failed = true, failed
	p.changed.Broadcast()
	return !slices.ContainsFunc(p.parts, func(p *part) bool { return !p.failed })
}

// ended reports whether no GPU acquires any more.
func (h *handout) ended() bool {
	return !slices.ContainsFunc(h.parts, func(p *part) bool { return !p.over })
}
