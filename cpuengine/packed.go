package cpuengine

import (
	"math"
	"unsafe"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
)

// foldPacked is the loop over packed blocks for any program's methods: see
// [compiled.Loops].
func foldPacked[V, A any](p gas.Program[V, A]) func(acc *[1 << 16]A, b *packed.Blocks, cur []V) {
	return func(acc *[1 << 16]A, b *packed.Blocks, cur []V) {
		dsts := cur[b.First():][:b.Vertices()]
		for e := range b.All() {
			for i, u := range e.Nbr {
				s := e.Slot[i]
				acc[s] = p.Sum(acc[s], p.Gather(cur[u], gas.Edge{Weight: e.Weight[i]}, dsts[s]))
			}
		}
	}
}

const (
	// windowSources is how many sources one goroutine goes on in each of the packed
	// shards that it folds together: their values stay in the second-level cache from
	// one shard to the next.
	windowSources = 1 << 15
	// togetherBytes bounds the accumulators of these shards, to half of such a cache.
	togetherBytes = 1 << 19
)

// together is how many of the shards, the rest of a page, one goroutine folds
// together: the fewer the less is left. A fold of some vertices only is of one shard.
func (e *Engine[V, A]) together(rest []shardSides, w Work) int {
	if w.Marked || e.loops.Due != nil {
		return 1
	}
	most := min(togetherBytes/(rest[0].vertices*max(1, int(unsafe.Sizeof(e.zero)))), len(rest)/(2*len(e.workers)))
	n := 1
	for n < most && len(rest[n].packed) > 0 {
		n++
	}
	return n
}

// cursor is where a fold is in a packed side.
type cursor[A any] struct {
	side  *packed.Side
	acc   *[shard.MaxVertices]A
	at    int // block
	slots int // folded
}

// fold pulls over whole shards that are packed, on some of their sides: one goroutine
// folds every edge of a shard, in an order that depends on the shard alone, so that
// sums depend neither on the number of goroutines nor on the other shards.
func (r *worker[V, A]) fold(shards []shardSides, w Work) {
	list := identity[:]
	if len(shards) == 1 {
		r.enter(&shards[0], w)
		if list = r.pick(0, shards[0].vertices, w); len(list) == 0 {
			return
		}
	}
	stride := 0 // from the accumulators of a shard to the next
	for i := range shards {
		stride = max(stride, shards[i].vertices+1) // and that of dummies
	}
	if most := (len(shards)-1)*stride + shard.MaxVertices; cap(r.acc) < most {
		r.acc = make([]A, most)
	}
	var acc []A
	if w.News && len(list) < shards[0].vertices { // what others had does no harm to a monotone program
		acc = r.acc[:stride]
		for _, v := range list {
			acc[v] = r.zero
		}
	} else {
		acc = r.sums(len(shards) * stride)
	}
	r.cursors = r.cursors[:0]
	for i := range shards {
		for _, side := range shards[i].packed {
			all := (*[shard.MaxVertices]A)(acc[i*stride:][:shard.MaxVertices])
			r.cursors = append(r.cursors, cursor[A]{side: side, acc: all})
		}
	}
	r.foldBlocks(w)
	for i := range shards {
		s := &shards[i]
		if len(shards) > 1 {
			r.enter(s, w)
		}
		r.finish(s, acc[i*stride:][:s.vertices], list[:min(len(list), s.vertices)])
	}
}

// foldBlocks folds the blocks of all cursors, window by window: all, or those that
// may have news.
func (r *worker[V, A]) foldBlocks(w Work) {
	defer func() {
		for _, c := range r.cursors { // dummies count where blocks were left out
			r.stats.Edges += uint64(min(int(c.side.Edges), c.slots))
		}
	}()
	for {
		next := uint64(math.MaxUint64)
		for k := range r.cursors {
			if c := &r.cursors[k]; c.at < c.side.Blocks {
				next = min(next, uint64(c.side.Heads[c.at].Source))
			}
		}
		if next == math.MaxUint64 {
			return
		}
		end := next&^(windowSources-1) + windowSources
		for k := range r.cursors {
			c := &r.cursors[k]
			from := c.at
			for c.at < c.side.Blocks && (len(r.cursors) == 1 || uint64(c.side.Heads[c.at].Source) < end) {
				c.at++
			}
			for from < c.at {
				to := c.at
				if w.News {
					from, to = c.side.Active(from, c.at, r.arrays.Active)
				}
				r.blocks.Reset(c.side, from, to)
				r.loops.Fold(c.acc, &r.blocks, r.arrays.Cur)
				c.slots += (to - from) * packed.BlockSlots
				from = to
			}
		}
	}
}

// finish gathers along the sides of a shard that are not packed, and applies.
func (r *worker[V, A]) finish(s *shardSides, acc []A, list []uint16) {
	for i, v := range list { // which ascends
		acc[i] = acc[v]
	}
	acc = acc[:len(list)]
	for _, side := range s.rows {
		r.side(side)
		r.stats.Edges += uint64(r.loops.Gather(acc, list, &r.block, r.arrays.Cur))
	}
	r.apply(acc, list)
}
