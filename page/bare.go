package page

import "github.com/garaph/garaph/shard"

// bare reports whether a side is read without the weights behind it.
func (c *Cache) bare(dir shard.Direction, i int) bool {
	return c.opt.Bare && c.store.Catalogue().Bare(dir, i)
}

// stored is the most that is read of a side.
func (c *Cache) stored(dir shard.Direction, i int) int64 {
	if c.bare(dir, i) {
		return c.store.Catalogue().BareBytes(dir, i)
	}
	return c.store.Catalogue().Bytes(dir, i)
}

// readShard reads a side that comes to stay, or is used once.
func (c *Cache) readShard(dir shard.Direction, i int, dst []byte) (shard.Side, error) {
	if c.bare(dir, i) {
		return c.store.ReadBare(dir, i, dst)
	}
	return c.store.ReadShard(dir, i, dst)
}

// prefetch starts reading a side from disk.
func (c *Cache) prefetch(dir shard.Direction, i int) {
	c.store.PrefetchPart(dir, i, c.stored(dir, i))
}
