package cpuengine

import (
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/shard/packed"
)

// Fold is the loop over packed blocks for any program's methods: see
// [compiled.Loops].
func Fold[V, A any](p gas.Program[V, A]) func(acc *[1 << 16]A, b *packed.Blocks, cur []V) {
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
