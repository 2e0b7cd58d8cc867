package parquetread

import (
	"encoding/binary"
	"math"

	"github.com/garaph/garaph/internal/columnar"
)

// bounds are the least and the largest integer of a column, as far as the statistics of
// its row groups say.
type bounds struct {
	groups, known int
	min, max      int64 // of a column of unsigned integers: the bits
}

// join takes a chunk into account.
func (b *bounds) join(c *column, k columnar.Kind, head *chunkHead) {
	b.groups++
	low, ok := integerBound(c, k, head.min)
	high, also := integerBound(c, k, head.max)
	if !ok || !also {
		return
	}
	less := func(x, y int64) bool { return x < y }
	if k == columnar.Uint {
		less = func(x, y int64) bool { return uint64(x) < uint64(y) }
	}
	if b.known == 0 || less(low, b.min) {
		b.min = low
	}
	if b.known == 0 || less(b.max, high) {
		b.max = high
	}
	b.known++
}

// integerBound reads a bound from statistics.
func integerBound(c *column, k columnar.Kind, b []byte) (int64, bool) {
	switch {
	case k != columnar.Int && k != columnar.Uint:
	case c.physical == typeInt64 && len(b) == 8:
		return int64(binary.LittleEndian.Uint64(b)), true
	case c.physical == typeInt32 && len(b) == 4 && k == columnar.Int:
		return int64(int32(binary.LittleEndian.Uint32(b))), true
	case c.physical == typeInt32 && len(b) == 4:
		return int64(binary.LittleEndian.Uint32(b)), true
	}
	return 0, false
}

// Largest is the largest value of the i-th of the columns that were picked, where
// it is integers, none negative, and all statistics are there. What they say is a hint:
// a writer may be wrong.
func (f *File) Largest(i int) (uint64, bool) {
	b := &f.bounds[i]
	if b.groups == 0 || b.known < b.groups || b.min < 0 || b.max < 0 {
		return 0, false
	}
	return uint64(b.max), b.max < math.MaxInt64
}
