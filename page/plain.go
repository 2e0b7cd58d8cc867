package page

import (
	"slices"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/shard/rowweights"
)

// unpackers is how many sides are read into scratch memory at once, to be unpacked.
const unpackers = 4

// Unpacks reports whether pages hold a side as plain rows because its stored encoding is not among
// [Options.Encodings].
func (c *Cache) Unpacks(dir shard.Direction) bool {
	is := c.store.Catalogue().Encoding(dir)
	return is != rows.Version && !slices.Contains(c.opt.Encodings, is) && slices.Contains(c.opt.Gather, dir)
}

// weightsOf returns the side with the weights that an unpacked side gets, and whether it gets any.
func (c *Cache) weightsOf(dir shard.Direction) (shard.Direction, bool) {
	weights, ok := c.store.Catalogue().WeightsOf(dir)
	return weights, ok && dir != shard.In && c.opt.Weights && c.Unpacks(dir)
}

// bytes returns the size of a side in a page.
func (c *Cache) bytes(dir shard.Direction, i int) int64 {
	cat := c.store.Catalogue()
	if !c.Unpacks(dir) {
		return c.stored(dir, i)
	}
	weight := 0
	if _, weighted := c.weightsOf(dir); weighted || dir == shard.In && !c.bare(dir, i) {
		weight = cat.WeightBytes()
	}
	return rows.Size(cat.Shards[i].Vertices, cat.SideEdges(dir, i), weight)
}

// packedBytes returns the size of the largest side that is unpacked, or of its weights; if 0, none
// is.
func (c *Cache) packedBytes() (most int64) {
	cat := c.store.Catalogue()
	for _, dir := range c.opt.Gather {
		weights, weighted := c.weightsOf(dir)
		for i := range c.pageOf {
			n := c.stored(dir, i)
			if weighted {
				most = max(most, n, cat.Bytes(weights, i))
			} else if c.Unpacks(dir) && (n != c.bytes(dir, i) || c.bare(dir, i)) {
				most = max(most, n)
			}
		}
	}
	return most
}

// readSide reads a side into its place in a page.
func (c *Cache) readSide(dir shard.Direction, i int, dst []byte, read func(shard.Direction, int, []byte) (shard.Side, error)) (shard.Side, error) {
	n, from := c.stored(dir, i), dst
	weights, weighted := c.weightsOf(dir)
	var scratch []byte
	if weighted || int64(len(dst)) != n || c.Unpacks(dir) && c.bare(dir, i) {
		scratch = <-c.pools.packed
		defer func() { c.pools.packed <- scratch }()
		from = scratch[:n:n]
	}
	side, err := read(dir, i, from)
	if err != nil {
		return nil, err
	}
	c.read.Add(int64(len(side.Blob())))
	if !c.Unpacks(dir) {
		return side, nil
	}
	weight := 0
	if weighted {
		weight = c.store.Catalogue().WeightBytes()
	}
	to, err := plainSide(side, dst, weight)
	if err != nil || !weighted {
		return to, err
	}
	n = c.store.Catalogue().Bytes(weights, i)
	if side, err = read(weights, i, scratch[:n:n]); err != nil {
		return nil, err
	}
	c.read.Add(n)
	side.(*rowweights.Side).Fill(to.Plane(), 0)
	return to, nil
}

// plainSide returns a side of rows as plain ones in a buffer, which may have its bytes, with
// room for weights of a size.
func plainSide(side shard.Side, dst []byte, weight int) (*rows.Side, error) {
	x, plain := side.(*rows.Side) // of a vertex with many edges
	if plain && weight == 0 {
		return x, nil
	}
	if !plain && &side.Blob()[0] == &dst[0] { // what is packed takes as many bytes, by chance
		var err error
		if side, err = shard.Decode(slices.Clone(dst)); err != nil {
			return nil, err
		}
	}
	return rows.Plain(side, dst, max(weight, side.Header().WeightBytes())), nil
}
