package dispatcher

import (
	"cmp"
	"context"
	"slices"

	"github.com/garaph/garaph/page"
)

// hostTask is what the CPU does next.
type hostTask struct {
	page    *page.Page // nil: nothing
	arrived []int      // or shards to take over, which a GPU has brought
}

// forHost returns the next task of the CPU; one with nothing to do is the last.
func (h *handout) forHost(ctx context.Context) (hostTask, error) {
	stop := context.AfterFunc(ctx, h.wake)
	defer stop()
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		if arrived := h.arrived; len(arrived) > 0 {
			h.arrived = nil
			return hostTask{arrived: arrived}, nil
		}
		switch {
		case ctx.Err() != nil:
			return hostTask{}, ctx.Err()
		case h.ended():
			return hostTask{}, nil
		}
		if h.ranks != nil {
			if task, err := h.pageForHost(); task.page != nil || err != nil {
				return task, err
			}
		}
		h.changed.Wait()
	}
}

// pageForHost returns a page that the CPU does sooner than the GPUs, if there is one.
func (h *handout) pageForHost() (hostTask, error) {
	if i := h.toPull(); i >= 0 {
		return h.cachedFor(i)
	}
	if p := h.queue.ready; p != nil && h.sooner(shardsOf(p)) {
		h.queue.ready = nil
		h.giveHost(shardsOf(p), streams)
		return hostTask{page: p}, nil
	}
	if rq, ok := h.lastPiece(); ok {
		p, err := h.get(rq)
		return hostTask{page: p}, err
	}
	return hostTask{}, nil
}

// cachedFor acquires a page in memory for the CPU.
func (h *handout) cachedFor(i int) (hostTask, error) {
	rq := h.queue.cached[i]
	h.queue.cached = slices.Delete(h.queue.cached, i, i+1)
	h.giveHost(shardsIn(rq, h.pages.Spans()), streams)
	p, err := h.get(rq)
	return hostTask{page: p}, err
}

// toPull finds the last page in memory that the CPU does sooner; -1: none.
func (h *handout) toPull() int {
	for i, rq := range slices.Backward(h.queue.cached) {
		if h.sooner(shardsIn(rq, h.pages.Spans())) {
			return i
		}
	}
	return -1
}

// lastPiece acquires the last of the pieces that stay on the first GPU for the CPU, where
// it is sooner done and its page is in the host's memory.
func (h *handout) lastPiece() (rq page.Request, ok bool) {
	p := h.parts[0]
	for p.to > 0 && !h.open(p.pieces[p.to-1]) {
		p.to--
	}
	if p.to == 0 {
		return rq, false
	}
	piece := p.pieces[p.to-1]
	rq.Shards = shardsOfSpan(span{piece.From, piece.To})
	rq.Page = h.pages.PageOf(piece.From)
	if !h.pages.Stays(rq.Page) || !h.sooner(rq.Shards) {
		return rq, false
	}
	h.giveHost(rq.Shards, stays)
	return rq, true
}

// giveHost notes that the CPU has shards.
func (h *handout) giveHost(shards []int, kind int) {
	for _, i := range shards {
		h.shards[i] = shardWork{state: onHost, by: host}
	}
	h.tally.left[kind] -= min(h.tally.left[kind], h.sum(shards))
	h.changed.Broadcast()
}

// sooner reports whether the CPU would be done with shards before the GPU, which
// has all the rest to do.
func (h *handout) sooner(shards []int) bool { return h.speeds.Page*float64(h.sum(shards)) <= h.rest() }

// rest is how long the GPU takes for all that is not done and that the CPU does not have.
func (h *handout) rest() (gpu float64) {
	now := h.now() - h.start
	rate := [2]float64{h.speeds.Resident, cmp.Or(h.speeds.Crowded, h.speeds.Streamed)}
	for k := range rate {
		if h.tally.did[k] > h.tally.left[k] { // it may be slower than it was
			rate[k] = max(rate[k], now/float64(h.tally.did[k]))
		}
		gpu = max(gpu, rate[k]*float64(h.tally.left[k]))
	}
	return gpu
}
