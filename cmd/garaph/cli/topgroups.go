package cli

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/results"
)

// group is a value and how many vertices have it.
type group[K any] struct {
	key  K
	size int64
}

// newTopGroups keeps the largest groups; of equal sizes those of the least
// values.
func newTopGroups[K cmp.Ordered](k int) *best[group[K]] {
	return newBest(k, func(a, b group[K]) bool {
		return a.size > b.size || a.size == b.size && a.key < b.key
	})
}

// topComponents selects the vertices that are the value of most vertices. They
// are counted in an array of four bytes a vertex: the job has given back as
// much, for the degrees, when its results are there.
func topComponents(t results.Table, k int) ([]topRow, error) {
	sizes, err := hostmem.Slice[uint32](int(t.Rows()))
	if err != nil {
		return nil, err
	}
	defer hostmem.Free(sizes)
	err = t.Vertices(func(values []uint32) error {
		for _, v := range values {
			if int64(v) >= t.Rows() {
				return fmt.Errorf("the result of a vertex is no vertex: dense id %d of %d", v, t.Rows())
			}
			sizes[v]++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	top := newTopGroups[uint32](k)
	for v, n := range sizes {
		if n > 0 {
			top.offer(group[uint32]{uint32(v), int64(n)})
		}
	}
	groups := top.sorted()
	vertices := make([]uint32, len(groups))
	for i, g := range groups {
		vertices[i] = g.key
	}
	ids, err := t.IDsOf(vertices)
	if err != nil {
		return nil, err
	}
	rows := []topRow{}
	for i, g := range groups {
		rows = append(rows, g.row(i, idOf(&ids, i)))
	}
	return rows, nil
}

// topLabels selects the numbers that most vertices have.
func topLabels(t results.Table, k int) ([]topRow, error) {
	sizes := map[int64]int64{}
	err := t.Batches(func(b *results.Batch) error {
		for _, x := range b.I64 {
			sizes[x]++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	top := newTopGroups[int64](k)
	for x, n := range sizes {
		top.offer(group[int64]{x, n})
	}
	rows := []topRow{}
	for i, g := range top.sorted() {
		rows = append(rows, g.row(i, g.key))
	}
	return rows, nil
}

func (g group[K]) row(at int, id any) topRow {
	return topRow{Rank: at + 1, ID: id, Value: valueText(strconv.FormatInt(g.size, 10))}
}
