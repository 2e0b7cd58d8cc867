package cpuengine

import (
	"unsafe"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
)

// Encodings returns the encodings of in sides, besides plain rows, that the engine can process.
func Encodings() []uint16 { return []uint16{packed.Version} }

// foldPacked is the loop over packed blocks for any program's methods: see
// [compiled.Loops].
func foldPacked[V, A any](p gas.Program[V, A]) func(acc *[1 << 16]A, b *packed.Blocks, cur []V) {
	return func(acc *[1 << 16]A, b *packed.Blocks, cur []V) {
		dsts := cur[b.First():][:b.Vertices()]
		for e := range b.All() {
			for i, u := range e.Nbr {
				s := e.Dst[i]
				acc[s] = p.Sum(acc[s], p.Gather(cur[u], gas.Edge{Weight: e.At(i)}, dsts[s]))
			}
		}
	}
}

// togetherBytes bounds the accumulators of shards that are folded together, to half of
// a second-level cache.
const togetherBytes = 1 << 19

// together returns the number of shards, of the rest of a page, that one goroutine folds
// together: the fewer the less is left. A fold of some vertices only is of one shard.
func (e *Engine[V, A]) together(rest []shardSides, w Work) int {
	if w.Marked || e.loops.Due != nil {
		return 1
	}
	most := min(togetherBytes/(rest[0].vertices*max(1, int(unsafe.Sizeof(e.zero)))), len(rest)/len(e.workers))
	n := 1
	for n < most && len(rest[n].packed) > 0 {
		n++
	}
	return n
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
			acc[v] = r.engine.zero
		}
	} else {
		acc = r.sums(len(shards) * stride)
	}
	r.sides, r.accs = r.sides[:0], r.accs[:0]
	for i := range shards {
		for _, side := range shards[i].packed {
			r.sides = append(r.sides, side)
			r.accs = append(r.accs, (*[shard.MaxVertices]A)(acc[i*stride:][:shard.MaxVertices]))
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

// foldBlocks folds the blocks of r.sides: all, or those that may have news.
func (r *worker[V, A]) foldBlocks(w Work) {
	if !w.News {
		for _, side := range r.sides {
			r.stats.Edges += uint64(side.Layout.Edges)
		}
	}
	for run := range packed.Windows(r.sides) {
		side := r.sides[run.Side]
		for from := run.From; from < run.To; {
			to := run.To
			if w.News { // dummies count as edges
				from, to = side.Active(from, run.To, r.engine.arrays.Active)
				r.stats.Edges += uint64(min((to-from)*packed.BlockSlots, int(side.Layout.Edges)))
			}
			r.blocks.Reset(side, from, to)
			r.engine.loops.Fold(r.accs[run.Side], &r.blocks, r.engine.arrays.Cur)
			from = to
		}
	}
}

// finish gathers along the sides of a shard that are not packed, and applies.
func (r *worker[V, A]) finish(s *shardSides, acc []A, list []uint16) {
	if len(list) < s.vertices { // else it is all of them, in order
		for i, v := range list {
			acc[i] = acc[v]
		}
	}
	acc = acc[:len(list)]
	for _, side := range s.rows {
		r.side(side)
		r.stats.Edges += uint64(r.engine.loops.Gather(acc, list, &r.block, r.engine.arrays.Cur))
	}
	r.apply(acc, list)
}
