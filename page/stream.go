package page

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// A Request asks for a page. If Shards is non-nil, only those shards are read.
type Request struct {
	Page   int
	Shards []int
}

// A Reader returns pages in the order of their requests and reads ahead as far as the ring reaches: [Cache.Read]. The
// consumer releases pages; while all pages of the ring are in use, Next waits for a release. After the first error
// there are no more pages.
type Reader struct {
	ctx     context.Context
	cancel  context.CancelFunc
	ahead   chan chan loaded
	reading sync.WaitGroup
	err     error

	ring  chan []byte   // buffers for pages that do not stay
	reads chan struct{} // held while a shard is read to one
	once  *frames       // if nil, what stays comes to stay
	part  store.Check   // of the values of what does not stay; if nil, all of them are checked
}

func (c *Cache) newReader(ctx context.Context) *Reader {
	r := &Reader{ring: c.pools.ring, reads: c.pools.reads}
	r.ctx, r.cancel = context.WithCancel(ctx)
	return r
}

// Read starts reading pages. The caller must close the reader.
func (c *Cache) Read(ctx context.Context, requests []Request) *Reader {
	r := c.newReader(ctx)
	r.begin(c, requests)
	return r
}

// put returns a buffer of the ring.
func (r *Reader) put(buf []byte) {
	if r.once != nil {
		r.once.put(buf)
	} else {
		r.ring <- buf
	}
}

// begin begins to read.
func (r *Reader) begin(c *Cache, requests []Request) {
	r.ahead = make(chan chan loaded, max(ringPages, cap(r.ring)))
	r.reading.Go(func() {
		defer close(r.ahead)
		for _, rq := range requests {
			if !c.start(rq, r) {
				return
			}
		}
	})
}

// Next returns the next page, or nil after the last. When its context ends, reading stops. Only one
// goroutine at a time may call it.
func (r *Reader) Next(ctx context.Context) (*Page, error) {
	if r.err != nil {
		return nil, r.err
	}
	defer context.AfterFunc(ctx, r.cancel)()
	f, more := <-r.ahead
	if !more {
		r.err = r.ctx.Err()
		return nil, r.err
	}
	l := <-f
	r.err = l.err
	return l.page, l.err
}

// Close stops reading and frees what was read ahead.
func (r *Reader) Close() {
	r.cancel()
	for f := range r.ahead {
		if l := <-f; l.page != nil {
			l.page.Release()
		}
	}
	r.reading.Wait()
}

// Stream is [Cache.Read] for a loop. What was read ahead is given back before it
// ends.
func (c *Cache) Stream(ctx context.Context, requests []Request) iter.Seq2[*Page, error] {
	return func(yield func(*Page, error) bool) {
		r := c.Read(ctx, requests)
		defer r.Close()
		r.each(ctx, yield)
	}
}

// each yields the pages that are left, and reports whether more would have been taken.
func (r *Reader) each(ctx context.Context, yield func(*Page, error) bool) bool {
	for {
		p, err := r.Next(ctx)
		if p == nil && err == nil {
			return true
		}
		if !yield(p, err) || err != nil {
			return false
		}
	}
}

type loaded struct {
	page *Page
	err  error
}

// start queues one page and begins to read it, when there is a buffer for it.
func (c *Cache) start(rq Request, r *Reader) bool {
	ctx := r.ctx
	if ctx.Err() != nil {
		return false
	}
	f := make(chan loaded, 1)
	stays := c.Stays(rq.Page) && (r.once == nil || c.Loaded(rq.Page))
	var buf []byte
	if !stays {
		select {
		case buf = <-r.ring:
		case <-ctx.Done():
			return false
		}
	}
	r.reading.Go(func() {
		var l loaded
		if stays {
			l.page, l.err = c.Get(rq)
		} else {
			l.page, l.err = c.streamed(rq, buf, r)
		}
		f <- l
	})
	select {
	case r.ahead <- f:
		return true
	case <-ctx.Done():
		if l := <-f; l.page != nil {
			l.page.Release()
		}
		return false
	}
}

// Get returns a resident page, and loads it if necessary.
func (c *Cache) Get(rq Request) (*Page, error) {
	for _, dir := range c.from.opt.Gather {
		if err := c.load(dir, rq.Page); err != nil {
			return nil, err
		}
	}
	return c.assemble(rq, func(dir shard.Direction, i int, side *shard.Side) error {
		*side = c.blocks[dir][rq.Page].sides[i-c.spans[rq.Page].From]
		return nil
	})
}

// directFrom is the size from which a blob begins at a multiple of blockBytes in a
// buffer of the ring, as it does in the store: it can be read there past the
// system's page cache.
const (
	directFrom = 32 << 10
	blockBytes = 4 << 10
)

// place returns where a blob of n bytes begins behind the first at bytes of a buffer.
func place(at, n int64) int64 {
	if n < directFrom {
		return at
	}
	return (at + blockBytes - 1) &^ (blockBytes - 1)
}

// ringBytes returns the size of page p in a buffer of the ring.
func (c *Cache) ringBytes(p int) (at int64) {
	for i := range c.shards(p, nil) {
		for _, dir := range c.from.opt.Gather {
			n := c.from.bytes(dir, i)
			at = place(at, n) + n
		}
	}
	return at
}

// streamed reads a page into a buffer of the reader's ring, several shards at once. The
// error is that of the first shard, in order, that cannot be read.
func (c *Cache) streamed(rq Request, frame []byte, r *Reader) (_ *Page, err error) {
	buf, err := r.once.ready(frame, c.ringBytes(rq.Page))
	defer func() {
		if err != nil {
			r.put(buf)
		}
	}()
	if err != nil {
		return nil, err
	}
	span := c.spans[rq.Page]
	for i := range c.shards(rq.Page, rq.Shards) {
		if c.all {
			for _, dir := range c.from.opt.Gather {
				c.from.prefetch(dir, i)
			}
		}
	}
	errs := make([]error, (span.To-span.From)*len(c.from.opt.Gather)) // in the order of the page
	next := 0
	var reading sync.WaitGroup
	var at int64
	p, err := c.assemble(rq, func(dir shard.Direction, i int, side *shard.Side) error {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		r.reads <- struct{}{}
		n := c.from.bytes(dir, i)
		at = place(at, n)
		dst := buf[at : at+n : at+n]
		at += n
		k := next
		next++
		part := r.part
		if c.from.unpacks(dir) { // which relies on all of them
			part = nil
		}
		reading.Go(func() {
			*side, errs[k] = c.from.readSide(dir, i, dst, func(dir shard.Direction, i int, dst []byte) (shard.Side, error) {
				return c.stream(dir, i, dst, part)
			})
			<-r.reads
		})
		return nil
	})
	reading.Wait()
	if err = cmp.Or(append(errs, err)...); err != nil {
		return nil, err
	}
	p.free = func() { r.put(buf) }
	return p, nil
}

// stream reads a side that does not stay. part is the check of its values if others check
// the rest. If nil, all of them are checked, unless they were before.
func (c *Cache) stream(dir shard.Direction, i int, dst []byte, part store.Check) (shard.Side, error) {
	check := part
	if part == nil {
		check = shard.Side.CheckValues
	}
	if c.all { // for a single use: another job may have one, too, and finds it in the system's cache
		return c.from.readShard(dir, i, dst, store.Reading{Check: check})
	}
	known := &c.known[dir][i]
	if known.Load() {
		check = nil
	}
	side, err := c.from.readShard(dir, i, dst, store.Reading{Direct: c.direct, Check: check})
	if err == nil && part == nil {
		known.Store(true)
	}
	return side, err
}

// assemble makes a page of the sides that get gives, or will have given.
func (c *Cache) assemble(rq Request, get func(shard.Direction, int, *shard.Side) error) (*Page, error) {
	p := &Page{Index: rq.Page}
	for i := range c.shards(rq.Page, rq.Shards) {
		s := Shard{Index: i, Sides: make([]shard.Side, len(c.from.opt.Gather))}
		for k, dir := range c.from.opt.Gather {
			if err := get(dir, i, &s.Sides[k]); err != nil {
				return nil, err
			}
		}
		p.Shards = append(p.Shards, s)
	}
	return p, nil
}

// shards returns the given ones, or all of page p.
func (c *Cache) shards(p int, some []int) iter.Seq[int] {
	if some != nil {
		return slices.Values(some)
	}
	return func(yield func(int) bool) {
		for i := c.spans[p].From; i < c.spans[p].To; i++ {
			if !yield(i) {
				return
			}
		}
	}
}
