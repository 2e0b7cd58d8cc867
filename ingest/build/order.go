package build

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/store"
)

// orderBytes is the memory for a vertex while places are found.
const orderBytes = 12

// fewDegrees are counted; vertices of larger degrees, which are few, are sorted.
const fewDegrees = 1 << 16

// place gives vertices places in the order of the options, and stores their ids by place. From then
// on, the dense ids of m are the places.
func (b *Builder) place(m *numbering, w *store.Writer) error {
	if b.opt.Storage.Order == store.ByInput || m.n == 0 {
		return nil
	}
	ids, err := b.byDegree(m)
	if err != nil {
		return fmt.Errorf("order of vertices: %w", err)
	}
	defer hostmem.Free(ids)
	return w.PutOrder(store.ByDegree, ids)
}

// byDegree renumbers the vertices of m, those with more edges first, and returns their ids by place.
func (b *Builder) byDegree(m *numbering) (ids []uint32, err error) {
	if ids, err = hostmem.Slice[uint32](int(m.n)); err != nil {
		return nil, err
	}
	numbers, err := hostmem.Slice[uint32](int(m.n))
	if err != nil {
		hostmem.Free(ids)
		return nil, err
	}
	degree := func(t uint32) uint64 { return uint64(b.in.of(t)) + uint64(b.out.of(t)) }
	next := make([]uint32, fewDegrees+1) // by degree, the next place; first, how many vertices there are
	m.each(func(t uint32) { next[min(degree(t), fewDegrees)]++ })
	sum := uint32(0)
	for d := fewDegrees; d >= 0; d-- {
		next[d], sum = sum, sum+next[d]
	}
	many := next[fewDegrees-1] // vertices that are to be sorted
	id := uint32(0)
	m.each(func(t uint32) {
		at := &next[min(degree(t), fewDegrees)]
		ids[*at], numbers[*at] = id, t
		*at++
		id++
	})
	hubs := make([]numbered, many)
	for i := range hubs {
		hubs[i] = numbered{uint64(ids[i]), numbers[i]}
	}
	slices.SortFunc(hubs, func(a, b numbered) int {
		return cmp.Or(cmp.Compare(degree(b.t), degree(a.t)), cmp.Compare(a.id, b.id))
	})
	for i, x := range hubs {
		ids[i], numbers[i] = uint32(x.id), x.t
	}
	m.freeOrder()
	if m.perm == nil {
		if m.perm, err = hostmem.Slice[uint32](int(slices.Max(numbers)) + 1); err != nil {
			hostmem.Free(ids)
			hostmem.Free(numbers)
			return nil, err
		}
	}
	for at, t := range numbers {
		m.perm[t] = uint32(at)
	}
	m.order, m.ranks, m.first = numbers, nil, 0
	return ids, nil
}
