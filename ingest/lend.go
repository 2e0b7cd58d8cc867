package ingest

import "math"

// Blocks of edges have memory of their own, a third of the budget. Beside that they are lent what
// others do not need of theirs, and return it: while edges are read, what arrays over more vertices
// would take; then, what is more than the sorters take for the groups that there are.

// lendStep is how many vertices are counted on at once.
const lendStep = 1 << 18

// lend leaves the blocks what arrays over vertices up to the number t do not take. Where numbers come
// from a map, that is nothing.
func (b *builder) lend(t uint32) error {
	b.lending.Lock()
	defer b.lending.Unlock()
	if b.spill == nil {
		return nil // it is not known yet what there will be
	}
	vertices := (max(uint64(t)+1, b.lentFor.Load()) + lendStep - 1) / lendStep * lendStep
	spare := int64(0)
	if b.mapped.Load() {
		vertices = math.MaxUint64
	} else {
		spare = max(0, b.plan.arrays+b.plan.names-b.reserved-int64(vertices)*b.vertexBytes())
	}
	b.lentFor.Store(vertices)
	return b.spill.setRoom(b.plan.blocks + int(spare/blockBytes))
}

// allBlocks is how many blocks there may ever be in memory.
func (p *memoryPlan) allBlocks() int { return p.blocks + int(p.sort/blockBytes) }

// lendSorters leaves the blocks what the sorters do not take, for good.
func (b *builder) lendSorters(in, out *sideBuilder) error {
	last := out.groups
	if in.twin != nil {
		last = in.twin.groups
	}
	spare := max(0, min(b.plan.sort-in.kept-in.most(b.plan, in.groups), b.plan.sort-out.kept-out.most(b.plan, last)))
	b.plan.sort -= spare
	return b.spill.keepRoom(b.plan.blocks + int(spare/blockBytes))
}
