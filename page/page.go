// Package page moves shards between the store and the engines. A page is
// consecutive shards that are read, cached and processed as one unit: per
// side one contiguous buffer, with the bytes of the store or the plain rows that
// they are unpacked to. The cache keeps as many pages as a budget allows and
// streams the rest through a ring of buffers, ahead of the engine. For frontiers there
// are rows by vertex: of the whole graph ([WholeRows]), or those of active vertices
// ([StoredRows]).
package page

import (
	"slices"

	"github.com/garaph/garaph/shard"
)

// Span is a page as a range of shards.
type Span struct {
	From, To int // shards [From, To)
}

// List returns the shards of the span.
func (s Span) List() []int {
	list := make([]int, 0, s.To-s.From)
	for i := s.From; i < s.To; i++ {
		list = append(list, i)
	}
	return list
}

// Page is a loaded page. The arrays in it belong to the cache and are valid
// until Release.
type Page struct {
	Index  int
	Shards []Shard // those that were asked for, ascending
	free   func()
}

// List returns the shards of the page.
func (p *Page) List() []int {
	list := make([]int, len(p.Shards))
	for k := range p.Shards {
		list[k] = p.Shards[k].Index
	}
	return list
}

// Shard is one loaded shard of a page, with the sides that the job gathers
// along.
type Shard struct {
	Index int
	Sides []shard.Side
}

// Release returns the page to the cache.
func (p *Page) Release() {
	if p.free != nil {
		p.free()
	}
}

// spans cuts shards into pages whose buffers hold at most limit bytes a
// side, or a single shard where that is larger.
func spans(shards int, bytes func(shard.Direction, int) int64, limit int64) []Span {
	var list []Span
	from := 0
	var sums [shard.Sides]int64
	for i := range shards {
		for dir := range sums {
			sums[dir] += bytes(shard.Direction(dir), i)
		}
		if i > from && slices.Max(sums[:]) > limit {
			list, from = append(list, Span{from, i}), i
			for dir := range sums {
				sums[dir] = bytes(shard.Direction(dir), i)
			}
		}
	}
	return append(list, Span{from, shards})
}
