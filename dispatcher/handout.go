package dispatcher

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/page"
)

// handout hands the pages of one iteration to whoever is idle, a GPU or the
// CPU (Garaph, section 5.3). To a GPU goes first what stays on it, then what
// was read from disk, then pages in the host's memory by their ranks; to the CPU pages
// in the host's memory, from their other end, then what was read from disk. The CPU gets
// none that the GPUs would finish sooner, and the GPUs acquire what is left, so that
// nobody waits for a straggler.
type handout struct {
	pages *page.Cache
	edges []uint64 // by shard
	began time.Time
	start float64 // of the iteration; all times are seconds since began, the job's beginning
	// The CPU gets pages with a high rank. Without ranks it gets none.
	ranks  []int // of pages
	speeds policy.Speeds
	// taken is called when a GPU acquires shards, before it writes to their values.
	taken func(shards []int)

	mu      sync.Mutex // guards the rest, and what is in parts
	changed *sync.Cond // somebody acquired or finished something
	shards  []shardWork
	queue   queue
	parts   []*part // of the GPUs
	tally   tally
	arrived []int // shards whose new values a GPU has brought, since they were asked for
}

// tally is what the GPUs did, and what they may still have to do: edges, by where they
// are.
type tally struct {
	left, did [2]uint64
	last      float64 // when a GPU did its last page
}

// queue has the pages that are not on a GPU and that nobody has taken.
type queue struct {
	cached  []page.Request // in memory, by rank
	disk    []page.Request // to be read
	ready   *page.Page     // read and not taken; nil: none
	reading bool           // there will be more of them
	unread  error          // why a page could not be read
}

// shardWork is how a shard stands in an iteration.
type shardWork struct {
	state  workState
	by     int     // the worker that has it, or has done it
	handed float64 // when a GPU got it
}

// workState is how far the work on a shard is.
type workState uint8

const (
	idle    workState = iota // there is nothing to do
	open                     // nobody has it
	onHost                   // the CPU has it, or has done it
	onGPU                    // a GPU has it
	fromGPU                  // a GPU has done it
	mended                   // likewise, in several batches
)

// What a GPU does, by where the edges are.
const (
	stays = iota
	streams
)

// newHandout hands out the shards of the requests to GPUs with these pieces. Shards in
// pieces of all of them are not streamed.
func newHandout(pages *page.Cache, requests []page.Request, edges []uint64, began time.Time, pieces ...[]gpuengine.Piece) *handout {
	h := &handout{pages: pages, edges: edges, shards: make([]shardWork, len(edges)), began: began}
	h.start = h.now()
	h.changed = sync.NewCond(&h.mu)
	resident := residentShards(pieces...)
	spans := pages.Spans()
	for _, rq := range requests {
		shards := shardsIn(rq, spans)
		for _, i := range shards {
			h.shards[i].state = open
		}
		streamed := shards[sortedFrom(shards, resident):]
		switch {
		case len(streamed) == 0:
			continue
		case len(streamed) < len(shards):
			rq.Shards = streamed
		}
		h.tally.left[streams] += h.sum(streamed)
		if pages.Stays(rq.Page) {
			h.queue.cached = append(h.queue.cached, rq)
		} else {
			h.queue.disk = append(h.queue.disk, rq)
		}
	}
	for k, list := range pieces {
		end := len(list)
		for end > 0 && list[end-1].To > resident {
			end--
		}
		h.addPart(k+1, list[:end])
	}
	for i, w := range h.shards[:resident] {
		if w.state == open {
			h.tally.left[stays] += edges[i]
		}
	}
	h.queue.reading = len(h.queue.disk) > 0
	return h
}

// residentShards is how many shards, from the first one on, stay on all of some GPUs.
func residentShards(pieces ...[]gpuengine.Piece) int {
	least := -1
	for _, list := range pieces {
		to := 0
		if n := len(list); n > 0 {
			to = list[n-1].To
		}
		if least < 0 || to < least {
			least = to
		}
	}
	return max(0, least)
}

// share lets the CPU have a part: pages with a high rank.
func (h *handout) share(ranks []int, speeds policy.Speeds) {
	h.ranks, h.speeds = ranks, speeds
	slices.SortFunc(h.queue.cached, func(a, b page.Request) int { return cmp.Compare(ranks[a.Page], ranks[b.Page]) })
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
	q := &h.queue
	for p, err := range h.pages.Stream(ctx, q.disk) {
		h.mu.Lock()
		for q.ready != nil && ctx.Err() == nil {
			h.changed.Wait()
		}
		switch {
		case err != nil:
			if ctx.Err() == nil {
				q.unread = err
			}
		case ctx.Err() != nil:
			p.Release()
		default:
			q.ready = p
		}
		h.changed.Broadcast()
		h.mu.Unlock()
		if ctx.Err() != nil {
			break
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	q.reading = false
	h.changed.Broadcast()
}

// wake makes everybody look again.
func (h *handout) wake() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.changed.Broadcast()
}

// get loads a page that stays in memory, without the lock.
func (h *handout) get(rq page.Request) (*page.Page, error) {
	h.mu.Unlock()
	defer h.mu.Lock()
	return h.pages.Get(rq)
}

// unfinished are the shards that nobody has done, after a GPU failed.
func (h *handout) unfinished() (shards []int) {
	for i, w := range h.shards {
		switch w.state {
		case open, onGPU:
			shards = append(shards, i)
		case mended: // of which a part may have failed
			if h.parts[w.by-1].failed {
				shards = append(shards, i)
			}
		}
	}
	return shards
}

// release returns what was read for nobody.
func (h *handout) release() {
	if h.queue.ready != nil {
		h.queue.ready.Release()
		h.queue.ready = nil
	}
}
