package page

import (
	"slices"

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

// readSide reads a side into its place in a page.
func (f *sideReader) readSide(dir shard.Direction, i int, dst []byte,
	read func(shard.Direction, int, []byte) (shard.Side, error)) (shard.Side, error) {
	n, from := f.stored(dir, i), dst
	weights, weighted := f.weightsOf(dir)
	var scratch []byte
	if weighted || int64(len(dst)) != n || f.unpacks(dir) && f.bare(dir, i) {
		scratch = <-f.scratch
		defer func() { f.scratch <- scratch }()
		from = scratch[:n:n]
	}
	side, err := read(dir, i, from)
	if err != nil {
		return nil, err
	}
	f.read.Add(int64(len(side.Blob())))
	if !f.unpacks(dir) {
		return side, nil
	}
	weight := 0
	if weighted {
		weight = f.store.Catalogue().WeightBytes()
	}
	to, err := plainSide(side, dst, weight)
	if err != nil || !weighted {
		return to, err
	}
	n = f.store.Catalogue().Bytes(weights, i)
	if side, err = read(weights, i, scratch[:n:n]); err != nil {
		return nil, err
	}
	f.read.Add(n)
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
