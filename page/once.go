package page

import (
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

const (
	// onceBytes of buffers let all processors read and check shards while others are
	// copied: 16 goroutines with 2 MiB each, and as much that waits for its copy.
	// Each of several devices has half of that, which are more together than one needs: memory that the processors'
	// caches do not hold takes twice as long.
	onceBytes = 96 << 20
	// leastFrames, with fewer of which nothing is read ahead; mostFrames are enough.
	leastFrames, mostFrames = 2, 32
)

// Once returns pages for a single use, as a device does whose memory they go to for good.
// Pages that would stay in memory and are not there yet do not come to stay: they go through a
// ring of buffers, in the free memory of their places, with as many goroutines
// reading and checking shards as the job has threads. Otherwise it is [Cache.Stream].
//
// For sides that do not stay and have the encoding of the store, part performs the checks that the consumer of pages
// omits. The consumer calls [Cache.Recheck] to diagnose an error.
func (c *Cache) Once(ctx context.Context, requests []Request, part store.Check) iter.Seq2[*Page, error] {
	return func(yield func(*Page, error) bool) {
		r := c.newReader(ctx)
		r.part = part
		ring := c.onceRing(requests)
		if ring != nil {
			r.once, r.ring = ring, ring.buffers
			r.reads = make(chan struct{}, max(Readers, c.from.opt.Threads))
		}
		r.begin(c, requests)
		going := r.each(ctx, yield)
		r.Close()
		if ring == nil {
			return
		}
		if err := ring.free(); err != nil && going {
			yield(nil, err)
		}
	}
}

// Recheck reads a side of a shard again, into memory of its own, and checks all of it. It returns
// nil if the side is valid.
func (c *Cache) Recheck(dir shard.Direction, i int) error {
	buf, err := hostmem.Bytes(c.from.stored(dir, i))
	if err != nil {
		return err
	}
	defer hostmem.FreeBytes(buf)
	_, err = c.from.readChecked(dir, i, buf)
	return err
}

// onceRing takes the buffers for pages that are used once; if nil, all are there. Where two of
// them have no room, each page has one of its own.
func (c *Cache) onceRing(requests []Request) *frames {
	var size, room, pages int64
	for _, rq := range requests {
		if c.Stays(rq.Page) && !c.Loaded(rq.Page) {
			n := c.ringBytes(rq.Page)
			size, room, pages = max(size, n), room+c.gatherBytes(rq.Page), pages+1
		}
	}
	switch {
	case size == 0:
		return nil
	case !c.all:
		return &frames{buffers: c.pools.ring}
	}
	most := int64(onceBytes)
	if c.from.opt.Devices > 1 {
		most /= 2
	}
	n := min(room/size, max(leastFrames, min(mostFrames, most/size)))
	if n < leastFrames {
		n, size = pages, 0
	}
	f := &frames{buffers: make(chan []byte, n), memory: c.from.pinned(c.from.opt.Gather[0]), size: size}
	for range n {
		f.buffers <- nil // its memory is taken by the goroutine that reads to it first
	}
	return f
}

// frames are buffers that one pass over pages has.
type frames struct {
	buffers chan []byte
	memory  Memory // if nil, they are the cache's
	size    int64  // if 0, that of the first page, which is the only one

	mu   sync.Mutex // guards over
	over bool       // what is put back is freed
}

// ready returns a buffer with its memory, for a page of a size.
func (f *frames) ready(buf []byte, page int64) ([]byte, error) {
	if buf != nil || f == nil {
		return buf, nil
	}
	return f.memory.Pin(max(f.size, page))
}

// put returns a buffer to the pool, or frees it if the pass is over.
func (f *frames) put(buf []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.over {
		f.buffers <- buf
	} else if buf != nil && f.memory != nil {
		_ = f.memory.Unpin(buf) // a device that was lost says so elsewhere
	}
}

// free returns the memory of the buffers: of those in use, when they are put back.
func (f *frames) free() error {
	if f.memory == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	var errs []error
	for range len(f.buffers) {
		if b := <-f.buffers; b != nil {
			errs = append(errs, f.memory.Unpin(b))
		}
	}
	return errors.Join(errs...)
}
