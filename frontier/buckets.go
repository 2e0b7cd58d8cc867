package frontier

import "math"

// nearBuckets is the number of buckets for priorities from the lowest on. What is
// farther is in one more, and sorted when they have all been done.
const nearBuckets = 1024

// Buckets are one goroutine's share of the vertices to be done in the order of priorities,
// as in delta-stepping (Meyer and Sanders, 2003): bucket i has those with priorities in
// [low + i·width, low + (i+1)·width). A vertex that got better several times is in several.
type Buckets struct {
	lists [nearBuckets + 2][]uint32
	Held  int     // vertices in all buckets
	Now   int     // the bucket that is being done: those before it are empty
	low   float64 // of bucket 0
	scale float64 // 1/width
}

// Begin empties the buckets and moves them to priorities from low on.
func (b *Buckets) Begin(low, width float64) {
	b.Now, b.Held, b.low, b.scale = 0, 0, low, 1/width
	for i := range b.lists {
		b.lists[i] = b.lists[i][:0]
	}
}

// place returns the position of a priority among the buckets. NaN is far.
func (b *Buckets) place(priority float64) float64 {
	if priority <= b.low {
		return 0
	}
	return (priority - b.low) * b.scale
}

// Passed reports whether a priority is that of a bucket that has been done.
func (b *Buckets) Passed(priority float64) bool { return b.place(priority) < float64(b.Now) }

// Put adds a vertex to the bucket of its priority, or to [Fallen].
func (b *Buckets) Put(v uint32, priority float64) {
	i := b.bucket(priority)
	b.lists[i] = append(b.lists[i], v)
	b.Held++
}

// bucket returns the bucket of a priority, or [Fallen].
func (b *Buckets) bucket(priority float64) int {
	switch x := b.place(priority); {
	case x < float64(b.Now):
		return Fallen
	case x < nearBuckets:
		return int(x)
	default:
		return Far
	}
}

// Next returns the first bucket from Now on that has vertices, [Far] included, or end if none before it has.
func (b *Buckets) Next(end int) int {
	i := b.Now
	for i < end && len(b.lists[i]) == 0 {
		i++
	}
	return i
}

const (
	// Far is the bucket of all priorities that are in no other.
	Far = nearBuckets
	// Fallen has the vertices that got a priority whose bucket had been done. No vertex
	// comes there where priorities do not fall along edges.
	Fallen = Far + 1
)

// Take empties bucket i and returns what it had, in the place of the memory of old.
func (b *Buckets) Take(i int, old []uint32) []uint32 {
	list := b.lists[i]
	b.Held -= len(list)
	b.lists[i] = old[:0]
	return list
}

// Compact removes vertices from buckets that come after that of their priority, in which they are as well.
func (b *Buckets) Compact(priority func(v uint32) float64) {
	b.Held = 0
	for i := range b.lists {
		keep := b.lists[i][:0]
		for _, v := range b.lists[i] {
			if i == Fallen || !(b.place(priority(v)) < float64(i)) { // also without a priority
				keep = append(keep, v)
			}
		}
		b.lists[i] = keep
		b.Held += len(keep)
	}
}

// Len returns the number of vertices in bucket i.
func (b *Buckets) Len(i int) int { return len(b.lists[i]) }

// Each calls f for all vertices in all buckets that are yet to be done.
func (b *Buckets) Each(f func(v uint32), priority func(v uint32) float64) {
	for i, list := range b.lists {
		for _, v := range list {
			if i == Fallen || !b.Passed(priority(v)) {
				f(v)
			}
		}
	}
}

// Lowest returns the lowest of some priorities; those that are no number do not count.
func Lowest(a, b float64) float64 {
	if b < a || math.IsNaN(a) {
		return b
	}
	return a
}
