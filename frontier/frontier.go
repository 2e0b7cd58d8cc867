// Package frontier has the active vertices of algorithms that begin with few and spread
// along edges: as a queue while they are few, as bits when they are many, and in buckets
// where they have an order; and the rows of edges that lead on from them. The words are
// those of Gunrock (Wang et al., PPoPP 2016): an operator advances a frontier to the next
// one. The engine has operators of its own, which call vertex programs; those of this package
// call functions, and are for all else: see [Frontier] and [Advance].
package frontier

import (
	"math/bits"
	"sync/atomic"

	"github.com/garaph/garaph/internal/bitset"
)

// ID is the type of the numbers of vertices, and of edges by their positions in rows.
type ID interface{ uint32 | uint64 }

// Queue lists vertices or edges. Goroutines write to it through a [Collector] each, which
// adds no vertex twice, or through a [Lane].
type Queue[T ID] struct {
	list []T
	n    atomic.Int64
}

// NewQueue makes an empty queue in memory for all that it will hold.
func NewQueue[T ID](memory []T) *Queue[T] { return &Queue[T]{list: memory} }

// List returns the items of the queue, after all collectors have flushed.
func (q *Queue[T]) List() []T { return q.list[:q.n.Load()] }

// Clear empties the queue.
func (q *Queue[T]) Clear() { q.n.Store(0) }

// put appends a list, if there is room for it.
func (q *Queue[T]) put(list []T) bool {
	end := q.n.Add(int64(len(list)))
	if end > int64(len(q.list)) {
		return false
	}
	copy(q.list[end-int64(len(list)):end], list)
	return true
}

// collected is the number of vertices a collector holds before it writes them to the queue.
const collected = 1 << 10

// Collector is one goroutine's way to add vertices to the next frontier.
type Collector struct {
	Queue  *Queue[uint32] // if nil, the bits are enough
	Bits   bitset.Set     // what the frontier holds
	Degree []uint32
	Off    []uint64 // of rows: what lies between two is a degree; if nil, Degree has it
	// Alone says that no other goroutine adds to the frontier now.
	Alone bool
	// Uncounted says that Degrees is not needed.
	Uncounted bool

	Degrees  uint64 // of the vertices that it has added
	Unlisted uint64 // of these, that were flushed without a queue
	buffer   []uint32
}

// Add adds v, unless it is there.
func (c *Collector) Add(v uint32) {
	w, bit := &c.Bits[v>>6], uint64(1)<<(v&63)
	if c.Alone {
		if *w&bit != 0 {
			return
		}
		*w |= bit
	} else if atomic.LoadUint64(w)&bit != 0 || atomic.OrUint64(w, bit)&bit != 0 {
		return
	}
	if len(c.buffer) == collected {
		c.Flush()
	}
	c.buffer = append(c.buffer, v)
}

// Flush counts what was added, and writes it to the queue. Degrees are loaded here, all at
// once: their places in memory are anywhere. The next pass along the rows finds their offsets in
// the caches.
func (c *Collector) Flush() {
	switch {
	case c.Uncounted:
	case c.Off != nil:
		for _, v := range c.buffer {
			c.Degrees += c.Off[v+1] - c.Off[v]
		}
	default:
		for _, v := range c.buffer {
			c.Degrees += uint64(c.Degree[v])
		}
	}
	c.write()
}

// write writes the buffer to the queue.
func (c *Collector) write() {
	if c.Queue != nil {
		if !c.Queue.put(c.buffer) {
			panic("frontier: a queue is smaller than its graph")
		}
	} else {
		c.Unlisted += uint64(len(c.buffer))
	}
	if c.buffer == nil {
		c.buffer = make([]uint32, 0, collected)
	}
	c.buffer = c.buffer[:0]
}

// List adds the members of a set in the words [from, to) to the queue. They are in the set
// that the frontier has as its bits.
func (c *Collector) List(from, to int) {
	for w := from; w < to; w++ {
		for word := c.Bits[w]; word != 0; word &= word - 1 {
			if len(c.buffer) == collected {
				c.write()
			}
			c.buffer = append(c.buffer, uint32(w)<<6+uint32(bits.TrailingZeros64(word)))
		}
	}
}
