package page

import (
	"slices"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// unpackers is how many sides are read into scratch memory at once, to be unpacked.
const unpackers = 4

// plainBytes is the size of a side as plain rows: engines and algorithms gather along
// these, and what is stored as packed rows is unpacked as it is read. So are in sides
// that are packed, with [Options.Plain].
func plainBytes(cat *store.Catalogue, dir shard.Direction, i int) int64 {
	return rows.Size(cat.Shards[i].Vertices, cat.SideEdges(dir, i), cat.Weighted && dir == shard.In)
}

// Unpacks reports whether pages hold a side as plain rows that is stored in another
// encoding.
func (c *Cache) Unpacks(dir shard.Direction) bool {
	return c.store.Catalogue().Layout == store.Packed && (dir != shard.In || c.opt.Plain) && slices.Contains(c.opt.Gather, dir)
}

// bytes is what a side takes in a page.
func (c *Cache) bytes(dir shard.Direction, i int) int64 {
	if c.Unpacks(dir) {
		return plainBytes(c.store.Catalogue(), dir, i)
	}
	return c.store.Catalogue().Bytes(dir, i)
}

// packedBytes is the size of the largest side that is unpacked; 0: none is.
func (c *Cache) packedBytes() (most int64) {
	for _, dir := range c.opt.Gather {
		for i := range c.pageOf {
			if n := c.store.Catalogue().Bytes(dir, i); c.Unpacks(dir) && n != c.bytes(dir, i) {
				most = max(most, n)
			}
		}
	}
	return most
}

// readSide reads a side into its place in a page.
func (c *Cache) readSide(dir shard.Direction, i int, dst []byte, read func(shard.Direction, int, []byte) (shard.Side, error)) (shard.Side, error) {
	n := c.store.Catalogue().Bytes(dir, i)
	from := dst
	if int64(len(dst)) != n {
		scratch := <-c.packed
		defer func() { c.packed <- scratch }()
		from = scratch[:n:n]
	}
	side, err := read(dir, i, from)
	if err != nil {
		return nil, err
	}
	c.read.Add(n)
	if _, already := side.(*rows.Side); already || !c.Unpacks(dir) {
		return side, nil
	}
	if int64(len(dst)) == n { // by chance
		if side, err = shard.Decode(slices.Clone(dst)); err != nil {
			return nil, err
		}
	}
	return side.(interface{ Plain([]byte) *rows.Side }).Plain(dst), nil
}
