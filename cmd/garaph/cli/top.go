package cli

import (
	"container/heap"
	"slices"
)

// best keeps the first few, in an order, of the items that it is offered; of
// equal ones those that were offered first.
type best[T any] struct {
	size   int
	before func(a, b T) bool
	kept   keptHeap[T]
	seen   int64
}

func newBest[T any](size int, before func(a, b T) bool) *best[T] {
	return &best[T]{size: size, before: before, kept: keptHeap[T]{before: before}}
}

// takes reports whether x would be kept, so that a caller need not make what
// will not be.
func (b *best[T]) takes(x T) bool {
	return len(b.kept.items) < b.size || b.size > 0 && b.before(x, b.kept.items[0].value)
}

func (b *best[T]) offer(x T) {
	b.seen++
	if !b.takes(x) {
		return
	}
	if len(b.kept.items) == b.size {
		b.kept.items[0] = keptItem[T]{x, b.seen}
		heap.Fix(&b.kept, 0)
		return
	}
	heap.Push(&b.kept, keptItem[T]{x, b.seen})
}

// sorted gives what was kept, the first one first.
func (b *best[T]) sorted() []T {
	items := slices.Clone(b.kept.items)
	slices.SortFunc(items, func(x, y keptItem[T]) int {
		if b.kept.after(y, x) {
			return -1
		}
		return 1
	})
	values := make([]T, 0, len(items))
	for _, i := range items {
		values = append(values, i.value)
	}
	return values
}

// keptItem is an item and when it was offered.
type keptItem[T any] struct {
	value T
	seen  int64
}

// keptHeap has the last of the kept items on top.
type keptHeap[T any] struct {
	before func(a, b T) bool
	items  []keptItem[T]
}

func (h *keptHeap[T]) after(a, b keptItem[T]) bool {
	if h.before(b.value, a.value) {
		return true
	}
	return !h.before(a.value, b.value) && a.seen > b.seen
}

func (h *keptHeap[T]) Len() int           { return len(h.items) }
func (h *keptHeap[T]) Less(i, j int) bool { return h.after(h.items[i], h.items[j]) }
func (h *keptHeap[T]) Swap(i, j int)      { h.items[i], h.items[j] = h.items[j], h.items[i] }
func (h *keptHeap[T]) Push(x any)         { h.items = append(h.items, x.(keptItem[T])) }

func (h *keptHeap[T]) Pop() any {
	last := h.items[len(h.items)-1]
	h.items = h.items[:len(h.items)-1]
	return last
}
