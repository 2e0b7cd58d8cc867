package algorithms

import (
	"context"
	"fmt"
	"slices"

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

// pages calls f for each page, read ahead, and releases it after that. If once, it keeps no pages in memory. Shards of
// which no vertex is wanted, from the first to before the end, are left out; if nil, all are.
func (a *adjacency) pages(
	ctx context.Context, once bool, wanted func(first, end uint32) bool, f func(p *page.Page) error,
) error {
	if a.closed {
		return fmt.Errorf("algorithm %T reads edges that it has closed", a.env.algorithm)
	}
	requests := make([]page.Request, 0, len(a.cache.Spans()))
	for i, span := range a.cache.Spans() {
		rq := page.Request{Page: i}
		for s := span.From; s < span.To && wanted != nil; s++ {
			if a.wanted(s, wanted) {
				rq.Shards = append(rq.Shards, s)
			}
		}
		if wanted == nil || len(rq.Shards) > 0 {
			requests = append(requests, rq)
		}
	}
	read := a.cache.Stream(ctx, requests)
	if once {
		read = a.cache.Once(ctx, requests, nil)
	}
	for p, err := range read {
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

// wanted reports whether a shard has a wanted vertex.
func (a *adjacency) wanted(i int, wanted func(first, end uint32) bool) bool {
	from := a.env.Graph.Shards[i].First
	to := from + uint32(a.env.Graph.Shards[i].Vertices)
	if !a.env.renames() {
		return wanted(from, to)
	}
	return slices.ContainsFunc(a.env.ids[from:to], func(v uint32) bool { return wanted(v, v+1) })
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
