package cli

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/garaph/garaph/internal/results"
)

// topComponents selects the vertices that are the value of most vertices.
func topComponents(t results.Table, k int) ([]topRow, error) {
	switch t.IDKind() {
	case results.IDString:
		return topGroups(t, k, func(b *results.Batch) []string { return b.IDs.Strings }, func(b *results.Batch) []string { return b.V.Strings })
	case results.IDUint:
		return topGroups(t, k, func(b *results.Batch) []uint64 { return b.IDs.Uints }, func(b *results.Batch) []uint64 { return b.V.Uints })
	default:
		return topGroups(t, k, func(b *results.Batch) []int64 { return b.IDs.Ints }, func(b *results.Batch) []int64 { return b.V.Ints })
	}
}

// group is a value and how many vertices have it.
type group[K any] struct {
	key  K
	size int64
}

// topGroups selects the values that most vertices have; of equal numbers the
// least value, which is the engine's order as well. Where values are ids,
// vertices that are their own value are counted in a second pass, so that the
// many components of a single vertex take no memory.
func topGroups[K cmp.Ordered](t results.Table, k int, ids, values func(*results.Batch) []K) ([]topRow, error) {
	sizes := map[K]int64{}
	err := t.Batches(func(b *results.Batch) error {
		own := ids(b)
		for i, v := range values(b) {
			if own != nil && v == own[i] {
				continue
			}
			if _, known := sizes[v]; !known {
				v = clone(v)
			}
			sizes[v]++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	top := newBest(k, func(a, b group[K]) bool {
		return a.size > b.size || a.size == b.size && a.key < b.key
	})
	err = t.Batches(func(b *results.Batch) error {
		own := ids(b)
		for i, v := range values(b) {
			if own == nil || v != own[i] {
				continue
			}
			if n, known := sizes[v]; known {
				sizes[v] = n + 1
			} else if g := (group[K]{v, 1}); top.takes(g) {
				g.key = clone(v)
				top.offer(g)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for key, n := range sizes {
		top.offer(group[K]{key, n})
	}
	rows := []topRow{}
	for i, g := range top.sorted() {
		rows = append(rows, topRow{Rank: i + 1, ID: g.key, Value: valueText(strconv.FormatInt(g.size, 10))})
	}
	return rows, nil
}

// clone copies a string, which may be part of a large one.
func clone[K cmp.Ordered](k K) K {
	if s, ok := any(k).(string); ok {
		return any(strings.Clone(s)).(K)
	}
	return k
}
