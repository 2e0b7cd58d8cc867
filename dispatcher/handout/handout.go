// Package handout hands the work of one iteration to the workers that ask for it: the CPU and GPUs.
// It alone decides who gets which shards, now from one queue of pages (Garaph, section 5.3).
package handout

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/page"
)

// CPU is the number of the CPU among the workers of a run. GPUs come after it.
const CPU = 0

// Handout hands the pages of one iteration to idle workers, GPUs or the CPU. To a GPU goes
// first what stays on it, then what was read from disk, then pages in the host's memory by their
// ranks; to the CPU pages in the host's memory, from their other end, then what was read from disk.
// The CPU gets none that the GPUs would finish sooner, and the GPUs acquire what is left, so that
// no worker waits for a straggler.
type Handout struct {
	// Start is the beginning of the iteration, in seconds since the job began, as are all times.
	Start float64
	// Taken is called when a GPU acquires shards, before it writes to their values.
	Taken func(shards []int)
	Parts []*Part // of the GPUs
	Err   error   // why a page could not be read

	pages *page.Cache
	edges []uint64 // by shard
	began time.Time
	// The CPU gets pages with a high rank. Without ranks it gets none.
	ranks  []int // of pages
	speeds policy.Speeds

	mu       sync.Mutex // guards the rest, and what is in parts
	changed  *sync.Cond // signalled when shards are acquired or finished
	shards   []shardWork
	queue    queue
	progress progress
	arrived  []int // shards whose new values a GPU has brought, since they were asked for
}

// progress measures the work of the GPUs. Edges are by where they are.
type progress struct {
	left [2]uint64 // edges that GPUs may still have to do
	did  [2]uint64 // edges that GPUs did
	last float64   // when a GPU did its last page
}

// GPU is a GPU that takes part in an iteration.
type GPU struct {
	Number int                 // among the workers
	Pieces []gpuengine.Piece   // that stay on it
	Enough func(piece int) int // how many pieces one launch takes
}

// queue holds the pages that are not on a GPU and not taken.
type queue struct {
	cached  []page.Request // in memory, by rank
	disk    []page.Request // to be read
	ready   *page.Page     // read and not taken; if nil, none
	reading bool           // there will be more of them
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
	open                     // not taken
	onHost                   // the CPU has it, or has done it
	onGPU                    // a GPU has it
	fromGPU                  // a GPU has done it
	mended                   // a GPU has done it, in several batches
)

// What a GPU does, by where the edges are.
const (
	stays = iota
	streams
)

// New hands out the shards of the requests, with the given numbers of edges, to GPUs. Shards that stay on
// all of them are not streamed. The job began at the given time.
func New(pages *page.Cache, requests []page.Request, edges []uint64, began time.Time, gpus ...GPU) *Handout {
	h := &Handout{pages: pages, edges: edges, shards: make([]shardWork, len(edges)), began: began}
	h.Start = h.now()
	h.changed = sync.NewCond(&h.mu)
	resident := Resident(gpus)
	for _, rq := range requests {
		shards := pages.ShardsOf(rq)
		for _, i := range shards {
			h.shards[i].state = open
		}
		from, _ := slices.BinarySearch(shards, resident)
		streamed := shards[from:]
		switch {
		case len(streamed) == 0:
			continue
		case len(streamed) < len(shards):
			rq.Shards = streamed
		}
		h.progress.left[streams] += h.sum(streamed)
		if pages.Stays(rq.Page) {
			h.queue.cached = append(h.queue.cached, rq)
		} else {
			h.queue.disk = append(h.queue.disk, rq)
		}
	}
	for _, g := range gpus {
		end := len(g.Pieces)
		for end > 0 && g.Pieces[end-1].To > resident {
			end--
		}
		g.Pieces = g.Pieces[:end]
		h.addPart(g)
	}
	for i, w := range h.shards[:resident] {
		if w.state == open {
			h.progress.left[stays] += edges[i]
		}
	}
	h.queue.reading = len(h.queue.disk) > 0
	return h
}

// Resident returns how many shards, from the first one on, stay on all GPUs, of which there is one
// at least.
func Resident(gpus []GPU) int {
	least := math.MaxInt
	for _, g := range gpus {
		to := 0
		if n := len(g.Pieces); n > 0 {
			to = g.Pieces[n-1].To
		}
		least = min(least, to)
	}
	return least
}

// Share lets the CPU have a part: pages with a high rank.
func (h *Handout) Share(ranks []int, speeds policy.Speeds) {
	h.ranks, h.speeds = ranks, speeds
	slices.SortFunc(h.queue.cached, func(a, b page.Request) int { return cmp.Compare(ranks[a.Page], ranks[b.Page]) })
}

// now is in seconds since the job began.
func (h *Handout) now() float64 { return time.Since(h.began).Seconds() }

func (h *Handout) sum(shards []int) (edges uint64) {
	for _, i := range shards {
		edges += h.edges[i]
	}
	return edges
}

// Read reads what is to come from disk, ahead of the engines as far as the ring reaches.
func (h *Handout) Read(ctx context.Context) {
	if !h.queue.reading {
		return
	}
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
				h.Err = err
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

// wake wakes all waiting workers.
func (h *Handout) wake() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.changed.Broadcast()
}

// get loads a page that stays in memory, without the lock.
func (h *Handout) get(rq page.Request) (*page.Page, error) {
	h.mu.Unlock()
	defer h.mu.Lock()
	return h.pages.Get(rq)
}

// Unfinished returns the shards that are not done after a GPU failed. It hands them to the CPU.
func (h *Handout) Unfinished() (shards []int) {
	for i, w := range h.shards {
		again := w.state == mended && slices.ContainsFunc(h.Parts, func(p *Part) bool { return p.Number == w.by && p.failed })
		if w.state == open || w.state == onGPU || again { // of a mended one a batch may be missing
			shards = append(shards, i)
			h.shards[i] = shardWork{state: onHost, by: CPU}
		}
	}
	return shards
}

// Release releases a page that was read and not taken.
func (h *Handout) Release() {
	if h.queue.ready != nil {
		h.queue.ready.Release()
		h.queue.ready = nil
	}
}

// Worker returns who has done shard i, or has it, unless there was nothing to do.
func (h *Handout) Worker(i int) (worker int, some bool) {
	return h.shards[i].by, h.shards[i].state != idle
}

// Worked returns how many seconds the GPUs took for the edges that they did: some that stay on
// them, and some that were streamed to them.
func (h *Handout) Worked() (seconds float64, stayed, streamed uint64) {
	return h.progress.last - h.Start, h.progress.did[stays], h.progress.did[streams]
}

// longTask is how many edges of a shard keep a goroutine busy for about a millisecond.
const longTask = 3 << 17

// Rank orders pages by how much sooner the GPU does them. A goroutine goes over the values
// once for each packed shard: for an edge in source order of one with 300,000 edges, the CPU
// took 3.2 ns, with 95,000 it took 6.2 ns, and with 1,040,000 not much less, 2.8 ns. Shards
// with more than longTask of them keep the others waiting at the end of an iteration.
func Rank(spans []page.Span, edges []uint64) []int {
	keys := make([]float64, len(spans))
	order := make([]int, len(spans))
	for p, s := range spans {
		for _, n := range edges[s.From:s.To] {
			keys[p] += float64(n) / float64(s.To-s.From)
		}
		if order[p] = p; keys[p] > longTask {
			keys[p] = -keys[p]
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
	ranks := make([]int, len(spans))
	for k, p := range order {
		ranks[p] = k
	}
	return ranks
}
