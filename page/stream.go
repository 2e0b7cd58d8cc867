package page

import (
	"context"
	"iter"
	"sync"

	"github.com/garaph/garaph/shard"
)

// Request asks for a page; Shards, when not nil, for those of its shards alone.
type Request struct {
	Page   int
	Shards []int
}

// Stream gives the requested pages in order, reading ahead as far as the ring
// reaches. The consumer releases each page; when all pages of the ring are held,
// the next one comes after one is released, by whatever goroutine. After an
// error, or when the consumer stops, what was read ahead is given back before
// Stream returns.
func (c *Cache) Stream(ctx context.Context, requests []Request) iter.Seq2[*Page, error] {
	return func(yield func(*Page, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		ahead := make(chan chan loaded, ringPages)
		var reading sync.WaitGroup
		reading.Go(func() {
			defer close(ahead)
			for _, rq := range requests {
				if !c.start(ctx, rq, ahead, &reading) {
					return
				}
			}
		})
		defer func() {
			cancel()
			for f := range ahead {
				if l := <-f; l.page != nil {
					l.page.Release()
				}
			}
			reading.Wait()
		}()
		for f := range ahead {
			l := <-f
			if !yield(l.page, l.err) || l.err != nil {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(nil, err)
		}
	}
}

type loaded struct {
	page *Page
	err  error
}

// start queues one page and begins to read it, when there is a buffer for it.
func (c *Cache) start(ctx context.Context, rq Request, ahead chan<- chan loaded, reading *sync.WaitGroup) bool {
	if ctx.Err() != nil {
		return false
	}
	f := make(chan loaded, 1)
	stays := c.Stays(rq.Page)
	var buf []byte
	if !stays {
		select {
		case buf = <-c.ring:
		case <-ctx.Done():
			return false
		}
	}
	reading.Go(func() {
		var l loaded
		if stays {
			l.page, l.err = c.Get(rq)
		} else if l.page, l.err = c.streamed(ctx, rq, buf); l.err != nil {
			c.ring <- buf
		}
		f <- l
	})
	select {
	case ahead <- f:
		return true
	case <-ctx.Done():
		if l := <-f; l.page != nil {
			l.page.Release()
		}
		return false
	}
}

// Get gives a page that stays in memory, and reads it where nobody did yet.
func (c *Cache) Get(rq Request) (*Page, error) {
	for _, dir := range c.opt.Gather {
		if err := c.load(dir, rq.Page); err != nil {
			return nil, err
		}
	}
	return c.assemble(rq, func(dir shard.Direction, i int) (shard.Side, error) {
		return c.blocks[dir][rq.Page].sides[i-c.spans[rq.Page].From], nil
	})
}

// streamed reads a page into a buffer of the ring.
func (c *Cache) streamed(ctx context.Context, rq Request, buf []byte) (*Page, error) {
	rest := buf
	p, err := c.assemble(rq, func(dir shard.Direction, i int) (side shard.Side, err error) {
		if err = ctx.Err(); err != nil {
			return side, err
		}
		n := c.store.Catalogue().Bytes(dir, i)
		side, err = c.store.StreamShard(dir, i, rest)
		c.read.Add(n)
		rest = rest[n:]
		return side, err
	})
	if err == nil {
		p.free = func() { c.ring <- buf }
	}
	return p, err
}

func (c *Cache) assemble(rq Request, get func(shard.Direction, int) (shard.Side, error)) (*Page, error) {
	p := &Page{Index: rq.Page}
	for i := range c.shards(rq.Page, rq.Shards) {
		s := Shard{Index: i, Sides: make([]shard.Side, len(c.opt.Gather))}
		if i < len(c.orderings) {
			s.Ordering = &c.orderings[i]
		}
		for k, dir := range c.opt.Gather {
			var err error
			if s.Sides[k], err = get(dir, i); err != nil {
				return nil, err
			}
		}
		p.Shards = append(p.Shards, s)
	}
	return p, nil
}

// shards are the given ones, or all of page p.
func (c *Cache) shards(p int, some []int) iter.Seq[int] {
	return func(yield func(int) bool) {
		if some != nil {
			for _, i := range some {
				if !yield(i) {
					return
				}
			}
			return
		}
		for i := c.spans[p].From; i < c.spans[p].To; i++ {
			if !yield(i) {
				return
			}
		}
	}
}
