package page

import (
	"slices"

	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/shard/rowweights"
)

// unpackers is the number of sides that are read into scratch memory at once, to be unpacked.
const unpackers = 4

// unpacks reports whether pages hold a side as plain rows.
func (f *sideReader) unpacks(dir shard.Direction) bool {
	is := f.store.Catalogue().Encoding(dir)
	return is != rows.Version && !slices.Contains(f.opt.Encodings, is) && slices.Contains(f.opt.Gather, dir)
}

// weightsOf returns the side with the weights that an unpacked side gets, and whether it gets any.
func (f *sideReader) weightsOf(dir shard.Direction) (shard.Direction, bool) {
	weights, ok := f.store.Catalogue().WeightsOf(dir)
	return weights, ok && dir != shard.In && f.opt.Weights && f.unpacks(dir)
}

// bytes returns the size of a side in a page.
func (f *sideReader) bytes(dir shard.Direction, i int) int64 {
	cat := f.store.Catalogue()
	if !f.unpacks(dir) {
		return f.stored(dir, i)
	}
	weight := 0
	if _, weighted := f.weightsOf(dir); weighted || dir == shard.In && !f.bare(dir, i) {
		weight = cat.WeightBytes()
	}
	return rows.Size(cat.Shards[i].Vertices, cat.SideEdges(dir, i), weight)
}

// packedBytes returns the size of the largest side that is unpacked, or of its weights; if 0, none
// is.
func (f *sideReader) packedBytes() (most int64) {
	cat := f.store.Catalogue()
	for _, dir := range f.opt.Gather {
		weights, weighted := f.weightsOf(dir)
		for i := range f.store.Catalogue().Shards {
			n := f.stored(dir, i)
			if weighted {
				most = max(most, n, cat.Bytes(weights, i))
			} else if f.unpacks(dir) && (n != f.bytes(dir, i) || f.bare(dir, i)) {
				most = max(most, n)
			}
		}
	}
	return most
}

// readSide reads a side into its place in a page. Without a budget, one that is unpacked is read where the payload is
// mapped, by as many goroutines as call it. A shard of one vertex may have plain rows, which stay as they are read.
func (f *sideReader) readSide(dir shard.Direction, i int, dst []byte,
	read func(shard.Direction, int, []byte) (shard.Side, error)) (side shard.Side, err error) {
	one := f.store.Catalogue().Shards[i].Vertices == 1
	if one || !f.unpacks(dir) || !f.opt.Map || f.opt.Budget > 0 || !f.store.Map() {
		return f.readPlain(dir, i, dst, read)
	}
	err = panics.Guard(nil, func() error {
		side, err = f.plain(dir, i, dst, func(dir shard.Direction, i int) (shard.Side, error) {
			return f.store.ViewShard(dir, i, f.bare(dir, i))
		})
		return err
	})
	return side, f.store.MapError(err)
}

// readPlain is readSide with read, to scratch memory if the side is unpacked.
func (f *sideReader) readPlain(dir shard.Direction, i int, dst []byte,
	read func(shard.Direction, int, []byte) (shard.Side, error)) (shard.Side, error) {
	_, weighted := f.weightsOf(dir)
	from := dst
	if weighted || int64(len(dst)) != f.stored(dir, i) || f.unpacks(dir) && f.bare(dir, i) {
		from = <-f.scratch
		defer func() { f.scratch <- from }()
	}
	return f.plain(dir, i, dst, func(dir shard.Direction, i int) (shard.Side, error) {
		n := f.stored(dir, i)
		return read(dir, i, from[:n:n])
	})
}

// plain returns a side that read reads as a page holds it, in dst if it is unpacked.
func (f *sideReader) plain(dir shard.Direction, i int, dst []byte,
	read func(shard.Direction, int) (shard.Side, error)) (shard.Side, error) {
	side, err := read(dir, i)
	if err != nil {
		return nil, err
	}
	f.read.Add(int64(len(side.Blob())))
	if !f.unpacks(dir) {
		return side, nil
	}
	weight := 0
	weights, weighted := f.weightsOf(dir)
	if weighted {
		weight = f.store.Catalogue().WeightBytes()
	}
	to, err := plainSide(side, dst, weight)
	if err != nil || !weighted {
		return to, err
	}
	if side, err = read(weights, i); err != nil {
		return nil, err
	}
	f.read.Add(f.store.Catalogue().Bytes(weights, i))
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
