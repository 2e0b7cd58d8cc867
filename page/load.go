package page

import (
	"cmp"

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

// viewSpan returns one side of a page in the mapped payload.
func (c *Cache) viewSpan(dir shard.Direction, p int) ([]shard.Side, error) {
	sides, err := c.eachShard(dir, p, func(i, _ int) (shard.Side, error) {
		return c.from.store.ViewShard(dir, i, c.from.bare(dir, i))
	})
	for _, side := range sides {
		c.from.read.Add(int64(len(side.Blob())))
	}
	return sides, err
}

// eachShard returns one side of the shards of a page. Several goroutines call load, with each shard and its place
// among those of the page: work begins with the first page, and to check or unpack 64 MiB takes as long as an
// iteration. The error is that of the first shard that has one.
func (c *Cache) eachShard(dir shard.Direction, p int, load func(i, k int) (shard.Side, error)) ([]shard.Side, error) {
	first, n := c.spans[p].From, c.spans[p].To-c.spans[p].From
	sides, errs := make([]shard.Side, n), make([]error, n)
	for k := range n {
		c.from.prefetch(dir, first+k)
	}
	var g errgroup.Group
	g.SetLimit(max(1, c.from.opt.Threads))
	for k := range n {
		g.Go(func() error {
			sides[k], errs[k] = load(first+k, k)
			return nil
		})
	}
	_ = g.Wait()
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	return sides, nil
}

// fillSpan reads one side of a page into memory of its own, shard after shard.
func (c *Cache) fillSpan(dir shard.Direction, p int) ([]shard.Side, error) {
	memory := c.memory(dir, p)
	buf, err := memory.Pin(c.from.spanBytes(dir, c.spans[p]))
	if err != nil {
		return nil, err
	}
	var places [][]byte
	rest := buf
	for i := range c.shards(p, nil) {
		n := c.from.bytes(dir, i)
		places, rest = append(places, rest[:n:n]), rest[n:]
	}
	sides, err := c.eachShard(dir, p, func(i, k int) (shard.Side, error) {
		return c.from.readSide(dir, i, places[k], c.from.readChecked)
	})
	if err != nil {
		_ = memory.Unpin(buf) // the first error counts
		return nil, err
	}
	c.own(buf, memory)
	return sides, nil
}
