package gpuengine

import (
	"context"
	"iter"

	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// Pages supplies edges, in pinned memory if they are copied.
type Pages interface {
	Spans() []page.Span
	Stays(p int) bool                     // in memory
	Get(page.Request) (*page.Page, error) // one that stays
	Stream(ctx context.Context, requests []page.Request) iter.Seq2[*page.Page, error]
	// Once is Stream for pages that do not come to stay in memory for it, of whose values part
	// is checked, and Recheck says what is wrong with a side that the consumer finds
	// damaged.
	Once(ctx context.Context, requests []page.Request, part store.Check) iter.Seq2[*page.Page, error]
	Recheck(dir shard.Direction, i int) error
}

// Requests returns requests for the shards [from, to).
func Requests(spans []page.Span, from, to int) []page.Request {
	var list []page.Request
	for p, s := range spans {
		switch {
		case s.To <= from || s.From >= to:
		case s.From >= from && s.To <= to:
			list = append(list, page.Request{Page: p})
		default:
			var some []int
			for i := max(s.From, from); i < min(s.To, to); i++ {
				some = append(some, i)
			}
			list = append(list, page.Request{Page: p, Shards: some})
		}
	}
	return list
}

// Source hands out the work of an iteration. One goroutine calls Stay, another Pages, and several
// Done, one at a time.
type Source interface {
	// Stay returns the next shards, [from, to), of those that stay. If none is left, from = to.
	Stay() (from, to int)
	// Pages returns the pages to copy.
	Pages(ctx context.Context) iter.Seq2[*page.Page, error]
	// Done reports what is done.
	Done(PageTime)
}

// everything is the source of an iteration over the whole graph.
type everything struct {
	residency *residency
	pages     Pages
	streamed  []page.Request // what does not stay
	next      int
}

func (s *everything) Stay() (from, to int) {
	from = s.next
	s.next = s.residency.next(from)
	return from, s.next
}

func (s *everything) Pages(ctx context.Context) iter.Seq2[*page.Page, error] {
	if len(s.streamed) == 0 {
		return func(func(*page.Page, error) bool) {}
	}
	return s.pages.Stream(ctx, s.streamed)
}

func (s *everything) Done(PageTime) {}
