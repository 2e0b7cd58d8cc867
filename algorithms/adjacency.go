package algorithms

import (
	"context"
	"fmt"

	"github.com/garaph/garaph/page"
)

// adjacency reads the sides of a run's graph, page by page: what [Rows] and [Edges] have
// in common.
type adjacency struct {
	env     *Env
	cache   *page.Cache
	closed  bool
	allRead int64 // when it was closed
	whole   bool
	budget  int64 // memory of pages, which [Make] has after Close
}

// pages calls f for each page, read ahead, and releases it after that. Shards of which no vertex is
// wanted, from the first to before the end, are left out; if nil, all are.
func (a *adjacency) pages(ctx context.Context, wanted func(first, end uint32) bool, f func(p *page.Page) error) error {
	if a.closed {
		return fmt.Errorf("algorithm %T reads edges that it has closed", a.env.algorithm)
	}
	requests := make([]page.Request, 0, len(a.cache.Spans()))
	for i, span := range a.cache.Spans() {
		rq := page.Request{Page: i}
		for s := span.From; s < span.To && wanted != nil; s++ {
			if info := a.env.Graph.Shards[s]; wanted(info.First, info.First+uint32(info.Vertices)) {
				rq.Shards = append(rq.Shards, s)
			}
		}
		if wanted == nil || len(rq.Shards) > 0 {
			requests = append(requests, rq)
		}
	}
	for p, err := range a.cache.Stream(ctx, requests) {
		if err != nil {
			return err
		}
		err := f(p)
		p.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// Close frees the memory of the edges. An algorithm may close them when it needs
// them no more, and the end of the run does.
func (a *adjacency) Close() error {
	if a == nil || a.closed {
		return nil
	}
	a.closed, a.allRead = true, a.cache.BytesRead()
	a.env.mu.Lock()
	a.env.planned += a.budget
	a.env.mu.Unlock()
	return a.cache.Close()
}

func (a *adjacency) inMemory() bool { return a == nil || a.whole }

// bytesRead returns the number of bytes that came from the store.
func (a *adjacency) bytesRead() int64 {
	switch {
	case a == nil:
		return 0
	case a.closed:
		return a.allRead
	}
	return a.cache.BytesRead()
}
