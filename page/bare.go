package page

import (
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// bare reports whether a side is read without the weights behind it.
func (c *Cache) bare(dir shard.Direction, i int) bool {
	return c.opt.Bare && c.store.Catalogue().Bare(dir, i)
}

// stored returns the most bytes that are read of a side.
func (c *Cache) stored(dir shard.Direction, i int) int64 {
	if c.bare(dir, i) {
		return c.store.Catalogue().BareBytes(dir, i)
	}
	return c.store.Catalogue().Bytes(dir, i)
}

// readShard reads a side, bare where that is possible.
func (c *Cache) readShard(dir shard.Direction, i int, dst []byte, o store.Reading) (shard.Side, error) {
	o.Bare = c.bare(dir, i)
	return c.store.Read(dir, i, dst, o)
}

// readChecked reads a side that comes to stay, or is used once, with all checks.
func (c *Cache) readChecked(dir shard.Direction, i int, dst []byte) (shard.Side, error) {
	return c.readShard(dir, i, dst, store.Reading{Check: shard.Side.CheckValues})
}

// prefetch starts reading a side from disk.
func (c *Cache) prefetch(dir shard.Direction, i int) {
	c.store.Prefetch(dir, i, c.stored(dir, i))
}
