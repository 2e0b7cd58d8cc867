package dispatcher

import (
	"context"
	"slices"

	"github.com/garaph/garaph/page"
)

// turn is what the CPU does next.
type turn struct {
	page    *page.Page // nil: nothing
	order   bool       // its source order is to be made
	arrived []int      // or shards to take over, which the GPU has brought
}

// forHost gives the next turn of the CPU; one with nothing to do is the last.
func (h *handout) forHost(ctx context.Context) (turn, error) {
	stop := context.AfterFunc(ctx, h.wake)
	defer stop()
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		if arrived := h.arrived; len(arrived) > 0 {
			h.arrived = nil
			return turn{arrived: arrived}, nil
		}
		switch {
		case ctx.Err() != nil:
			return turn{}, ctx.Err()
		case h.ended:
			return turn{}, nil
		}
		if i := h.toOrder(); i >= 0 {
			return h.cachedFor(i, true)
		}
		if i := h.toPull(); i >= 0 {
			return h.cachedFor(i, false)
		}
		if h.ready != nil && h.sooner(shardsOf(h.ready)) {
			p := h.ready
			h.ready = nil
			h.take(shardsOf(p), streams)
			return turn{page: p}, nil
		}
		if rq, ok := h.lastPiece(); ok {
			p, err := h.get(rq)
			return turn{page: p}, err
		}
		h.changed.Wait()
	}
}

// cachedFor takes a page in memory for the CPU.
func (h *handout) cachedFor(i int, order bool) (turn, error) {
	rq := h.cached[i]
	h.cached = slices.Delete(h.cached, i, i+1)
	h.take(shardsIn(rq, h.pages.Spans()), streams)
	p, err := h.get(rq)
	return turn{page: p, order: order}, err
}

// toPull finds the last page in memory that the CPU does sooner; -1: none.
func (h *handout) toPull() int {
	for i, rq := range slices.Backward(h.cached) {
		if h.sooner(shardsIn(rq, h.pages.Spans())) {
			return i
		}
	}
	return -1
}

// toOrder finds the last page whose source order is to be made, while there is time
// for it; -1: none.
func (h *handout) toOrder() int {
	for i, rq := range slices.Backward(h.cached) {
		switch {
		case h.ranks[rq.Page] < h.order:
			return -1
		case !h.pages.Unordered(rq):
			continue
		}
		if h.orderPulls*h.takes(shardsIn(rq, h.pages.Spans())) > h.rest() {
			h.late = true
			return -1
		}
		return i
	}
	return -1
}

// lastPiece takes the last of the pieces for the CPU, where it is sooner done
// and its page is in the host's memory.
func (h *handout) lastPiece() (rq page.Request, ok bool) {
	s := &h.staying
	for s.from < s.to && !h.wanted[s.to-1] {
		s.to--
	}
	if s.from == s.to {
		return rq, false
	}
	piece := h.pieces[s.to-1]
	rq.Shards = shardsOfSpan(span{piece.From, piece.To})
	rq.Page = h.pages.PageOf(piece.From)
	if !h.pages.Stays(rq.Page) || !h.sooner(rq.Shards) {
		return rq, false
	}
	s.to--
	h.wanted[s.to] = false
	h.take(rq.Shards, stays)
	return rq, true
}

// take notes that the CPU has shards.
func (h *handout) take(shards []int, kind int) {
	for _, i := range shards {
		h.state[i] = onHost
	}
	h.left[kind] -= min(h.left[kind], h.sum(shards))
	h.changed.Broadcast()
}

// sooner tells whether the CPU would be done with shards before the GPU, which
// has all the rest to do.
func (h *handout) sooner(shards []int) bool { return h.takes(shards) <= h.rest() }

// takes is how long the CPU takes for shards, with nothing else to do. In source
// order, one goroutine does a shard.
func (h *handout) takes(shards []int) float64 {
	edges := h.sum(shards)
	if h.order < len(h.pages.Spans()) {
		for _, i := range shards {
			edges = max(edges, h.edges[i]*uint64(h.threads))
		}
	}
	return h.speeds.Page * float64(edges)
}

// rest is how long the GPU takes for all that is not done and that the CPU does not have.
func (h *handout) rest() (gpu float64) {
	now := h.now() - h.start
	rate := [2]float64{h.speeds.Resident, h.speeds.Streamed}
	for k := range rate {
		if h.did[k] > h.left[k] { // it may be slower than it was
			rate[k] = max(rate[k], now/float64(h.did[k]))
		}
		gpu = max(gpu, rate[k]*float64(h.left[k]))
	}
	return gpu
}
