package page

import (
	"golang.org/x/sync/errgroup"

	"github.com/garaph/garaph/shard"
)

// load makes sure that a block that stays is in memory.
func (c *Cache) load(dir shard.Direction, p int) error {
	b := &c.blocks[dir][p]
	if b.loaded.Load() {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.loaded.Load() {
		return nil
	}
	var err error
	if c.maps(dir, p) {
		b.sides, err = c.viewSpan(dir, p)
	} else {
		b.sides, err = c.fillSpan(dir, p)
	}
	b.loaded.Store(err == nil)
	return err
}

// maps reports whether a side lies in the mapped payload where it stays.
func (c *Cache) maps(dir shard.Direction, p int) bool {
	return c.from.opt.Map && c.memory(dir, p) == plain{} && !c.from.unpacks(dir) && c.from.store.Map()
}

// viewSpan returns one side of a page in the mapped payload. Several goroutines check it: work
// begins with the first page, and checks of 64 MiB take as long as an iteration.
func (c *Cache) viewSpan(dir shard.Direction, p int) ([]shard.Side, error) {
	var list []int
	for i := range c.shards(p, nil) {
		c.from.prefetch(dir, i)
		list = append(list, i)
	}
	sides, errs := make([]shard.Side, len(list)), make([]error, len(list))
	var g errgroup.Group
	g.SetLimit(max(1, c.from.opt.Threads))
	for k, i := range list {
		g.Go(func() error {
			sides[k], errs[k] = c.from.store.ViewShard(dir, i, c.from.bare(dir, i))
			return nil
		})
	}
	_ = g.Wait()
	for k := range list { // the error of the first shard that has one
		if errs[k] != nil {
			return nil, errs[k]
		}
		c.from.read.Add(int64(len(sides[k].Blob())))
	}
	return sides, nil
}

// fillSpan reads one side of a page into memory of its own.
func (c *Cache) fillSpan(dir shard.Direction, p int) ([]shard.Side, error) {
	memory := c.memory(dir, p)
	buf, err := memory.Pin(c.from.spanBytes(dir, c.spans[p]))
	if err != nil {
		return nil, err
	}
	sides, err := c.readSpan(dir, p, buf)
	if err != nil {
		_ = memory.Unpin(buf) // the first error counts
		return nil, err
	}
	c.own(buf, memory)
	return sides, nil
}

// readSpan reads one side of a page into buf, shard after shard.
func (c *Cache) readSpan(dir shard.Direction, p int, buf []byte) ([]shard.Side, error) {
	sides := make([]shard.Side, 0, c.spans[p].To-c.spans[p].From)
	for i := range c.shards(p, nil) {
		c.from.prefetch(dir, i)
	}
	for i := range c.shards(p, nil) {
		n := c.from.bytes(dir, i)
		side, err := c.from.readSide(dir, i, buf[:n:n], c.from.readChecked)
		if err != nil {
			return nil, err
		}
		buf = buf[n:]
		sides = append(sides, side)
	}
	return sides, nil
}
