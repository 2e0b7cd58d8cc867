package dispatcher

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/page"
)

// handout hands the pages of one iteration to whoever is idle, the GPU or the
// CPU (Garaph, section 5.3). To the GPU goes first what stays on it, then what
// was read from disk, then pages in the host's memory by their ranks; to the CPU pages
// in the host's memory, from their other end, then what was read from disk. The CPU gets
// none that the GPU would finish sooner, and the GPU takes what is left, so that
// nobody waits for a straggler.
//
// It is the [gpuengine.Source] of an iteration.
type handout struct {
	pages  *page.Cache
	edges  []uint64 // by shard
	pieces []gpuengine.Piece
	enough func(piece int) int // how many pieces one launch takes
	ranks  []int               // of pages; nil: the CPU takes none
	speeds policy.Speeds
	began  time.Time // of the job
	start  float64   // of the iteration; all times are seconds since began
	// taken is called when the GPU takes shards, before it writes to their values.
	taken func(shards []int)
	// order is the rank of the first page whose source order is worth making: the CPU,
	// with so many goroutines, does it in most iterations.
	order, threads int
	orderPulls     float64 // how many pulls over a page take as long as that

	mu      sync.Mutex // guards the rest
	changed *sync.Cond // somebody took or finished something
	state   []workState
	wanted  []bool         // by piece
	staying span           // pieces that nobody has
	cached  []page.Request // pages in memory that nobody has, by rank
	disk    []page.Request // pages to be read
	ready   *page.Page     // read and not taken; nil: none
	reading bool           // there will be more of them
	unread  error          // why a page could not be read
	left    [2]uint64      // edges that stay, that are streamed, and that the GPU may still have to do
	did     [2]uint64      // edges that the GPU has done, likewise
	flying  uint64         // edges that are streamed, that the GPU has and has not done
	late    bool           // there was too little time to make source order
	ended   bool           // the GPU takes no more
	arrived []int          // shards whose new values the GPU has brought, since they were asked for
	handed  []float64      // when the GPU got each shard
	times   []PageWork     // of the GPU
	last    float64        // when the GPU did its last one
}

// span is [from, to).
type span struct{ from, to int }

// workState is how a shard stands in an iteration.
type workState uint8

const (
	idle    workState = iota // there is nothing to do
	open                     // nobody has it
	onHost                   // the CPU has it, or has done it
	onGPU                    // the GPU has it
	fromGPU                  // the GPU has done it
	mended                   // likewise, in several batches
)

// What the GPU does, by where the edges are.
const (
	stays = iota
	streams
)

// newHandout hands out the shards of the requests. Those in pieces stay on the
// GPU.
func newHandout(pages *page.Cache, requests []page.Request, edges []uint64, pieces []gpuengine.Piece, began time.Time) *handout {
	h := &handout{pages: pages, edges: edges, pieces: pieces, state: make([]workState, len(edges)), handed: make([]float64, len(edges)), began: began}
	h.start = h.now()
	h.changed = sync.NewCond(&h.mu)
	resident := 0
	if n := len(pieces); n > 0 {
		resident = pieces[n-1].To
	}
	spans := pages.Spans()
	for _, rq := range requests {
		shards := shardsIn(rq, spans)
		for _, i := range shards {
			h.state[i] = open
		}
		streamed := shards[sortedFrom(shards, resident):]
		switch {
		case len(streamed) == 0:
			continue
		case len(streamed) < len(shards):
			rq.Shards = streamed
		}
		h.left[streams] += h.sum(streamed)
		if pages.Stays(rq.Page) {
			h.cached = append(h.cached, rq)
		} else {
			h.disk = append(h.disk, rq)
		}
	}
	h.wanted = make([]bool, len(pieces))
	h.staying = span{0, len(pieces)}
	for k, p := range pieces {
		h.wanted[k] = slices.Contains(h.state[p.From:p.To], open)
		for i := p.From; i < p.To && h.wanted[k]; i++ { // all of it, or nothing
			h.state[i] = open
			h.left[stays] += edges[i]
		}
	}
	h.reading = len(h.disk) > 0
	return h
}

// share lets the CPU have a part: pages with a high rank.
func (h *handout) share(ranks []int) {
	h.ranks = ranks
	slices.SortFunc(h.cached, func(a, b page.Request) int { return cmp.Compare(ranks[a.Page], ranks[b.Page]) })
}

// mostFirst is how many pages first lists at most.
const mostFirst = 8

// first lists the pages in memory with which the GPU begins, if nothing changes: no
// more than it takes before it waits.
func (h *handout) first() []page.Request {
	flying := uint64(0)
	for i, rq := range h.cached {
		edges := h.sum(shardsIn(rq, h.pages.Spans()))
		if i == mostFirst || h.ranks != nil && h.enoughAhead(flying, edges) {
			return slices.Clone(h.cached[:i])
		}
		flying += edges
	}
	return slices.Clone(h.cached)
}

// beginWith has the GPU begin with pages that it has copied before, if they are those
// that come first.
func (h *handout) beginWith(early []page.Request) bool {
	n := len(early)
	same := func(a, b page.Request) bool { return a.Page == b.Page && slices.Equal(a.Shards, b.Shards) }
	if n == 0 || n > len(h.cached) || !slices.EqualFunc(h.cached[:n], early, same) {
		return false
	}
	h.cached = h.cached[n:]
	for _, rq := range early {
		shards := shardsIn(rq, h.pages.Spans())
		h.stream(shards)
		h.taken(shards)
	}
	return true
}

// shardsIn lists the shards of a request.
func shardsIn(rq page.Request, spans []page.Span) []int {
	if rq.Shards != nil {
		return rq.Shards
	}
	return shardsOfSpan(span{spans[rq.Page].From, spans[rq.Page].To})
}

// sortedFrom is the first position of an ascending list that is ≥ x.
func sortedFrom(list []int, x int) int {
	i, _ := slices.BinarySearch(list, x)
	return i
}

// now is in seconds since the job began.
func (h *handout) now() float64 { return time.Since(h.began).Seconds() }

func (h *handout) sum(shards []int) (edges uint64) {
	for _, i := range shards {
		edges += h.edges[i]
	}
	return edges
}

// read reads from disk, ahead of the engines as far as the ring reaches.
func (h *handout) read(ctx context.Context) {
	stop := context.AfterFunc(ctx, h.wake)
	defer stop()
	for p, err := range h.pages.Stream(ctx, h.disk) {
		h.mu.Lock()
		for h.ready != nil && ctx.Err() == nil {
			h.changed.Wait()
		}
		switch {
		case err != nil:
			if ctx.Err() == nil {
				h.unread = err
			}
		case ctx.Err() != nil:
			p.Release()
		default:
			h.ready = p
		}
		h.changed.Broadcast()
		h.mu.Unlock()
		if ctx.Err() != nil {
			break
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reading = false
	h.changed.Broadcast()
}

// wake makes everybody look again.
func (h *handout) wake() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.changed.Broadcast()
}

// Stay is [gpuengine.Source]: the next pieces for the GPU.
func (h *handout) Stay() (from, to int) {
	h.mu.Lock()
	s := &h.staying
	for s.from < s.to && !h.wanted[s.from] {
		s.from++
	}
	from = s.from
	for to = from; to < s.to && h.wanted[to] && (to == from || to < from+h.enough(from)); to++ {
		h.wanted[to] = false
	}
	s.from = to
	var shards []int
	for k := from; k < to; k++ {
		shards = append(shards, shardsOfSpan(span{h.pieces[k].From, h.pieces[k].To})...)
	}
	h.give(shards)
	h.mu.Unlock()
	h.taken(shards)
	return from, to
}

// give notes that the GPU has shards.
func (h *handout) give(shards []int) {
	now := h.now()
	for _, i := range shards {
		h.state[i], h.handed[i] = onGPU, now
	}
	h.changed.Broadcast()
}

// Pages is [gpuengine.Source]: the pages to copy to the GPU.
func (h *handout) Pages(ctx context.Context) iter.Seq2[*page.Page, error] {
	return func(yield func(*page.Page, error) bool) {
		stop := context.AfterFunc(ctx, h.wake)
		defer stop()
		for {
			p, err := h.next(ctx)
			if p == nil && err == nil {
				return
			}
			if err == nil {
				h.taken(shardsOf(p))
			}
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}

// next is the next page for the GPU; nil: none is left.
func (h *handout) next(ctx context.Context) (*page.Page, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case h.unread != nil:
			return nil, h.unread
		case h.ready != nil:
			p := h.ready
			h.ready = nil
			h.stream(shardsOf(p))
			return p, nil
		case len(h.cached) > 0 && !h.waits():
			rq := h.cached[0]
			h.cached = h.cached[1:]
			h.stream(shardsIn(rq, h.pages.Spans()))
			p, err := h.get(rq)
			if err != nil {
				h.unread = err
			}
			return p, err
		case len(h.cached) == 0 && !h.reading:
			return nil, nil
		}
		h.changed.Wait()
	}
}

// stream notes that the GPU has shards that are copied to it.
func (h *handout) stream(shards []int) {
	h.flying += h.sum(shards)
	h.give(shards)
}

// leastAhead is how many pages the GPU may have in any case.
const leastAhead = 3

// waits tells whether the GPU leaves what is in memory to the CPU for now: it has some
// pages to work on, and half as much as nobody has yet. The more it has ahead, the longer
// its goroutines may wait for a processor; but the CPU ends when there is nothing to take.
func (h *handout) waits() bool {
	return h.ranks != nil && h.enoughAhead(h.flying, h.sum(shardsIn(h.cached[0], h.pages.Spans())))
}

// enoughAhead tells whether so many edges are enough for now, with so many on the next
// page.
func (h *handout) enoughAhead(flying, next uint64) bool {
	return flying > 0 && flying >= max(leastAhead*next, (h.left[streams]-min(h.left[streams], flying))/2)
}

// get loads a page that stays in memory, without the lock.
func (h *handout) get(rq page.Request) (*page.Page, error) {
	h.mu.Unlock()
	defer h.mu.Lock()
	return h.pages.Get(rq)
}

// Done is [gpuengine.Source]: the GPU has done shards.
func (h *handout) Done(t gpuengine.PageTime) {
	h.mu.Lock()
	defer h.mu.Unlock()
	kind := streams
	if n := len(h.pieces); n > 0 && t.From < h.pieces[n-1].To {
		kind = stays
	}
	h.last = h.now()
	work := PageWork{
		Device: GPU, From: t.From, To: t.To, Edges: t.Edges, Bytes: t.Bytes,
		Start: h.handed[t.From], End: h.last,
		Copy: t.Copy, Compute: t.Compute, Copies: t.Copies,
	}
	h.times = append(h.times, work)
	for i := t.From; i < t.To; i++ {
		if h.state[i] == onGPU {
			h.state[i] = fromGPU
			if t.Continued && i == t.From {
				h.state[i] = mended
			}
			h.arrived = append(h.arrived, i)
			h.left[kind] -= min(h.left[kind], h.edges[i])
			h.did[kind] += h.edges[i]
			if kind == streams {
				h.flying -= min(h.flying, h.edges[i])
			}
		}
	}
	h.changed.Broadcast()
}

// end tells that the GPU takes no more.
func (h *handout) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = true
	h.changed.Broadcast()
}

// unfinished are the shards that neither engine has done, after the GPU failed.
func (h *handout) unfinished() (shards []int) {
	for i, s := range h.state {
		if s == open || s == onGPU || s == mended { // of which a part may have failed
			shards = append(shards, i)
		}
	}
	return shards
}

// release gives back what was read for nobody.
func (h *handout) release() {
	if h.ready != nil {
		h.ready.Release()
		h.ready = nil
	}
}
