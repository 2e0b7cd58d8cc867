package cpuengine

import (
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

// fold pulls over a whole shard that is packed, on some of its sides: one goroutine
// folds every edge, in the order of the blocks, so that sums do not depend on the
// number of goroutines.
func (r *worker[V, A]) fold(s *shardSides, w Work) {
	r.enter(s, w)
	list := r.pick(0, s.vertices, w)
	if len(list) == 0 {
		return
	}
	if cap(r.acc) < shard.MaxVertices {
		r.acc = make([]A, shard.MaxVertices)
	}
	acc := r.sums(s.vertices + 1) // and that of dummies
	all := (*[shard.MaxVertices]A)(acc[:shard.MaxVertices])
	for _, side := range s.packed {
		r.blocks.Reset(side, 0, side.Blocks)
		r.loops.Fold(all, &r.blocks, r.arrays.Cur)
		r.stats.Edges += uint64(side.Edges)
	}
	for _, side := range s.rows {
		r.side(side)
		r.stats.Edges += uint64(r.loops.Gather(acc[:s.vertices], identity[:s.vertices], &r.block, r.arrays.Cur))
	}
	if len(list) < s.vertices {
		for i, v := range list { // which ascends
			acc[i] = acc[v]
		}
	}
	r.apply(acc[:len(list)], list)
}
