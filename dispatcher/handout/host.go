package handout

import (
	"cmp"
	"context"
	"slices"

	"github.com/garaph/garaph/page"
)

// A Task is the next work of the CPU.
type Task struct {
	Page    *page.Page // nil if there is none to process
	Arrived []int      // shards to take over, which a GPU has brought
}

// Host returns the next task of the CPU; one with nothing to do is the last.
func (h *Handout) Host(ctx context.Context) (Task, error) {
	stop := context.AfterFunc(ctx, h.wake)
	defer stop()
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		if arrived := h.arrived; len(arrived) > 0 {
			h.arrived = nil
			return Task{Arrived: arrived}, nil
		}
		switch {
		case ctx.Err() != nil:
			return Task{}, ctx.Err()
		case h.ended():
			return Task{}, nil
		}
		if h.ranks != nil {
			if p, err := h.pageForHost(); p != nil || err != nil {
				return Task{Page: p}, err
			}
		}
		h.changed.Wait()
	}
}

// pageForHost returns a page that the CPU does sooner than the GPUs, if there is one.
func (h *Handout) pageForHost() (*page.Page, error) {
	if i := h.toPull(); i >= 0 {
		return h.cachedFor(i)
	}
	if p := h.queue.ready; p != nil && h.sooner(p.List()) {
		h.queue.ready = nil
		h.giveHost(p.List(), streams)
		return p, nil
	}
	if rq, ok := h.lastPiece(); ok {
		return h.get(rq)
	}
	return nil, nil
}

// cachedFor acquires a page in memory for the CPU.
func (h *Handout) cachedFor(i int) (*page.Page, error) {
	rq := h.queue.cached[i]
	h.queue.cached = slices.Delete(h.queue.cached, i, i+1)
	h.giveHost(h.pages.ShardsOf(rq), streams)
	return h.get(rq)
}

// toPull finds the last page in memory that the CPU does sooner; if -1, none.
func (h *Handout) toPull() int {
	for i, rq := range slices.Backward(h.queue.cached) {
		if h.sooner(h.pages.ShardsOf(rq)) {
			return i
		}
	}
	return -1
}

// lastPiece acquires the last of the pieces that stay on the first GPU for the CPU, where
// it is sooner done and its page is in the host's memory.
func (h *Handout) lastPiece() (rq page.Request, ok bool) {
	p := h.Parts[0]
	for p.to > 0 && !h.open(p.Pieces[p.to-1]) {
		p.to--
	}
	if p.to == 0 {
		return rq, false
	}
	piece := p.Pieces[p.to-1]
	rq.Shards = page.Span(piece).List()
	rq.Page = h.pages.PageOf(piece.From)
	if !h.pages.Stays(rq.Page) || !h.sooner(rq.Shards) {
		return rq, false
	}
	h.giveHost(rq.Shards, stays)
	return rq, true
}

// giveHost notes that the CPU has shards.
func (h *Handout) giveHost(shards []int, kind int) {
	for _, i := range shards {
		h.shards[i] = shardWork{state: onHost, by: CPU}
	}
	h.progress.left[kind] -= min(h.progress.left[kind], h.sum(shards))
	h.changed.Broadcast()
}

// sooner reports whether the CPU would be done with shards before the GPU, which
// has all the rest to do.
func (h *Handout) sooner(shards []int) bool { return h.speeds.Page*float64(h.sum(shards)) <= h.rest() }

// rest returns how long the GPU takes for all that is not done and that the CPU does not have.
func (h *Handout) rest() (gpu float64) {
	now := h.now() - h.Start
	rate := [2]float64{h.speeds.Resident, cmp.Or(h.speeds.Crowded, h.speeds.Streamed)}
	for k := range rate {
		if h.progress.did[k] > h.progress.left[k] { // it may be slower than it was
			rate[k] = max(rate[k], now/float64(h.progress.did[k]))
		}
		gpu = max(gpu, rate[k]*float64(h.progress.left[k]))
	}
	return gpu
}
