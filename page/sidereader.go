package page

import (
	"slices"
	"sync/atomic"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

// sideReader reads sides of shards in the form in which pages hold them: as they are stored, or as plain rows.
type sideReader struct {
	store   *store.Store
	opt     Options
	scratch chan []byte // for sides that are unpacked into pages
	read    atomic.Int64
}

// oneSide has a graph that stores one side for both read that.
func (f *sideReader) oneSide() {
	if f.store.Catalogue().OneSide() {
		f.opt.Gather, f.opt.Notify = []shard.Direction{shard.In}, []shard.Direction{shard.In}
	}
}

// sides returns all that the job reads.
func (f *sideReader) sides() []shard.Direction {
	list := slices.Concat(f.opt.Gather, f.opt.Notify)
	slices.Sort(list)
	return slices.Compact(list)
}

// whole returns the memory of all pages and buffers, and the size of the largest side of a shard.
func (f *sideReader) whole() (total, largest int64) {
	for i := range f.store.Catalogue().Shards {
		for _, dir := range f.sides() {
			n := f.bytes(dir, i)
			total, largest = total+n, max(largest, n)
		}
	}
	return total + unpackers*f.packedBytes(), largest
}

// spanBytes returns the size of one side of a page.
func (f *sideReader) spanBytes(dir shard.Direction, s Span) int64 {
	var n int64
	for i := s.From; i < s.To; i++ {
		n += f.bytes(dir, i)
	}
	return n
}

// bare reports whether a side is read without the weights behind it.
func (f *sideReader) bare(dir shard.Direction, i int) bool {
	return f.opt.Bare && f.store.Catalogue().Bare(dir, i)
}

// stored returns the most bytes that are read of a side.
func (f *sideReader) stored(dir shard.Direction, i int) int64 {
	if f.bare(dir, i) {
		return f.store.Catalogue().BareBytes(dir, i)
	}
	return f.store.Catalogue().Bytes(dir, i)
}

// readShard reads a side, bare where that is possible.
func (f *sideReader) readShard(dir shard.Direction, i int, dst []byte, o store.Reading) (shard.Side, error) {
	o.Bare = f.bare(dir, i)
	return f.store.Read(dir, i, dst, o)
}

// readChecked reads a side that comes to stay, or is used once, with all checks.
func (f *sideReader) readChecked(dir shard.Direction, i int, dst []byte) (shard.Side, error) {
	return f.readShard(dir, i, dst, store.Reading{Check: shard.Side.CheckValues})
}

// prefetch starts reading a side from disk.
func (f *sideReader) prefetch(dir shard.Direction, i int) {
	f.store.Prefetch(dir, i, f.stored(dir, i))
}
