package dispatcher

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/page"
)

// share is what a GPU does in an iteration: the [gpuengine.Source] of its engine.
type share struct {
	pages    *page.Cache
	began    time.Time      // of the job
	launches []page.Span    // of shards that stay
	streamed []page.Request // the other pages
	early    int            // that many of the streamed pages were copied before the iteration

	given   []float64  // by shard: when the GPU got it, in seconds since the job began
	batches []PageWork // that the GPU has done
	err     error      // why a page could not be read
}

func (p *plan[V, A]) newShare() *share {
	return &share{pages: p.pages, began: p.began, given: make([]float64, len(p.shape.firsts))}
}

// mostFirst is the number of pages first lists at most.
const mostFirst = 8

// first lists the pages in memory with which the GPU begins.
func (s *share) first() []page.Request {
	n := 0
	for n < min(len(s.streamed), mostFirst) && s.pages.Stays(s.streamed[n].Page) {
		n++
	}
	return s.streamed[:n]
}

// begin notes the pages that were copied before the iteration, and reports whether they come first.
func (s *share) begin(early []page.Request) bool {
	n := len(early)
	same := func(a, b page.Request) bool { return a.Page == b.Page && slices.Equal(a.Shards, b.Shards) }
	if n == 0 || n > len(s.streamed) || !slices.EqualFunc(s.streamed[:n], early, same) {
		return false
	}
	s.early = n
	s.give(s.pages.ShardsOf(early...))
	return true
}

func (s *share) give(shards []int) {
	now := time.Since(s.began).Seconds()
	for _, i := range shards {
		s.given[i] = now
	}
}

// Stay is [gpuengine.Source]: the shards of the next launch.
func (s *share) Stay() (from, to int) {
	if len(s.launches) == 0 {
		return 0, 0
	}
	l := s.launches[0]
	s.launches = s.launches[1:]
	s.given[l.From] = time.Since(s.began).Seconds()
	return l.From, l.To
}

// launch divides the wanted shards of an interval, which stay, among launches. Few others between them are done as
// well.
func (s *share) launch(enough func(shard int) (end int), wanted []bool, in policy.Interval) {
	const few = 16
	for from := in.From; from < in.To; from++ {
		if !wanted[from] {
			continue
		}
		to, most := from+1, min(enough(from), in.To)
		for i := to; i < most && i-to < few; i++ {
			if wanted[i] {
				to = i + 1
			}
		}
		s.launches = append(s.launches, page.Span{From: from, To: to})
		from = to - 1
	}
}

// Pages is [gpuengine.Source]: the pages to copy.
func (s *share) Pages(ctx context.Context) iter.Seq2[*page.Page, error] {
	return func(yield func(*page.Page, error) bool) {
		if s.early == len(s.streamed) {
			return
		}
		for p, err := range s.pages.Stream(ctx, s.streamed[s.early:]) {
			if err == nil {
				s.give(p.List())
			} else if ctx.Err() == nil {
				s.err = err
			}
			if !yield(p, err) {
				return
			}
		}
	}
}

// Done is [gpuengine.Source].
func (s *share) Done(t gpuengine.PageTime) {
	s.batches = append(s.batches, PageWork{
		Device: GPU, From: t.From, To: t.To, Edges: t.Edges, Bytes: t.Bytes,
		Start: s.given[t.From], End: time.Since(s.began).Seconds(), Copy: t.Copy, Compute: t.Compute, Copies: t.Copies,
	})
}

// spans lists the shards of the batches.
func (s *share) spans() (list []page.Span) {
	for _, b := range s.batches {
		if b.From < b.To {
			list = append(list, page.Span{From: b.From, To: b.To})
		}
	}
	return list
}

// divide gives each GPU its share of an iteration, and the CPU its pages.
func (w *workers[V, A]) divide(x *iteration) {
	p := w.plan
	costs, wanted := make([]uint64, len(p.shape.costs)), make([]bool, len(p.shape.costs))
	all := p.pages.ShardsOf(x.requests...)
	p.opt.Trace.Queue(len(all))
	for _, i := range all {
		costs[i], wanted[i] = p.shape.costs[i], true
	}
	d := policy.Divide(costs, w.gpus.kept(), w.gpus.speeds, w.state.policy.known.Speeds, x.report.Device == Hybrid,
		w.gpus.division)
	w.gpus.division = d
	for k, g := range w.gpus.live {
		s := p.newShare()
		s.launch(g.engine.Enough, wanted, d.Kept[k])
		if p.opt.Mode == Sync { // the last values to be sent are the fewest where the first shards have most edges
			slices.Reverse(s.launches)
		}
		s.streamed = interleaved(p.pages, clip(p.pages, x.requests, d.GPUs[k]))
		g.share, g.stats, g.failed, g.unsent, g.following, g.early = s, gpuengine.Stats{}, nil, nil, nil, false
		if x.report.Method == Pull {
			g.following = s.first()
		}
		g.early = s.begin(g.engine.Early())
	}
	x.cpu.requests = clip(p.pages, x.requests, d.CPU)
}

// clip returns the parts of requests in an interval of shards.
func clip(pages *page.Cache, requests []page.Request, in policy.Interval) (list []page.Request) {
	if in.From >= in.To {
		return nil
	}
	for _, rq := range requests {
		all := pages.ShardsOf(rq)
		from, _ := slices.BinarySearch(all, in.From)
		to, _ := slices.BinarySearch(all, in.To)
		if from >= to {
			continue
		}
		if to-from < len(all) {
			rq.Shards = all[from:to]
		}
		list = append(list, rq)
	}
	return list
}

// interleaved spreads the pages that are read from disk among those in memory, so that they are read meanwhile.
func interleaved(pages *page.Cache, requests []page.Request) []page.Request {
	var memory, disk []page.Request
	for _, rq := range requests {
		if pages.Stays(rq.Page) {
			memory = append(memory, rq)
		} else {
			disk = append(disk, rq)
		}
	}
	if len(memory) == 0 || len(disk) == 0 {
		return requests
	}
	list := requests[:0:0]
	for i, j := 0, 0; i+j < len(requests); {
		if j == len(disk) || i < len(memory) && i*len(disk) <= j*len(memory) {
			list = append(list, memory[i])
			i++
		} else {
			list = append(list, disk[j])
			j++
		}
	}
	return list
}
