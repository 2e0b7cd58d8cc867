package algorithms

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/garaph/garaph/internal/bitset"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
)

// Rows is the adjacency of the graph as rows, CSR by vertex, read from its shards.
// As many as the budget has room for stay in memory; the others are read in each
// pass. On a symmetric graph both directions are the same rows.
type Rows struct {
	adjacency
	side [2]int // by direction, the place among the sides of a page; -1: not planned
}

func newRows(a adjacency, planned []shard.Direction) *Rows {
	r := &Rows{adjacency: a, side: [2]int{-1, -1}}
	for i, dir := range planned {
		r.side[dir] = i
	}
	if a.env.Graph.Symmetric {
		r.side = [2]int{0, 0}
	}
	return r
}

// Block is the rows of some vertices, on lease until the function that
// [Rows.Each] called with it returns. They must not be changed.
type Block struct {
	Len int // rows

	rows  *Rows
	shard rows.Shard
	begin int      // row 0 in the shard
	some  []uint32 // or: the places of the rows in the shard
}

// Vertex returns the vertex of row i.
func (b *Block) Vertex(i int) uint32 {
	return b.rows.env.vertex(b.shard[0].First + uint32(b.at(i)))
}

// at returns the place of row i in the shard.
func (b *Block) at(i int) int {
	if b.some != nil {
		return int(b.some[i])
	}
	return b.begin + i
}

// Row returns row i: the neighbours of vertex Vertex(i) in a planned direction, ascending,
// parallel edges and self-loops included.
func (b *Block) Row(dir shard.Direction, i int) []uint32 {
	side := b.side(dir)
	if b.rows.env.renames() {
		row, _ := side.Renamed(b.at(i), b.rows.env.ids)
		return row
	}
	return side.Row(b.at(i), nil)
}

// all returns all rows, one after another.
func (b *Block) all(dir shard.Direction) []uint32 {
	s := b.side(dir)
	return s.Nbr[s.Off[b.begin]:s.Off[b.begin+b.Len]]
}

// Weights returns the weights of the edges of row i, if they were planned. Of a graph without
// weights, there are none, and they stand for 1.
func (b *Block) Weights(dir shard.Direction, i int) shard.Plane {
	s, v := b.side(dir), b.at(i)
	if b.rows.env.renames() {
		_, weights := s.Renamed(v, b.rows.env.ids)
		return weights
	}
	return s.Plane().Slice(int(s.Off[v]), int(s.Off[v+1]))
}

func (b *Block) side(dir shard.Direction) *rows.Side {
	at := b.rows.side[dir]
	if at < 0 {
		panic(fmt.Sprintf("rows of direction %s are read, and not planned", dir))
	}
	return b.shard[at]
}

// Each goes over all rows once: it calls f for blocks of about as many edges each,
// page by page, on the threads of the run, as [Env.Each] does. Every vertex is in one
// block. Pages are read ahead.
func (r *Rows) Each(ctx context.Context, f func(worker int, b *Block) error) error {
	return r.EachOf(ctx, nil, f)
}

// EachIn is like Each, for the rows of the vertices in [from, to).
func (r *Rows) EachIn(ctx context.Context, from, to uint32, f func(worker int, b *Block) error) error {
	wanted := func(first, end uint32) bool { return first < to && end > from }
	return r.EachOf(ctx, wanted, func(worker int, b *Block) error {
		var some []uint32
		for i := range b.Len {
			if v := b.Vertex(i); v >= from && v < to {
				some = append(some, uint32(b.begin+i))
			}
		}
		if len(some) == 0 {
			return nil
		}
		if len(some) < b.Len {
			b.some, b.Len = some, len(some)
		}
		return f(worker, b)
	})
}

// EachRow calls f for the row of each of some vertices, which are ascending: row i of block b is that of
// vertices[k]. Shards without any of them are not read.
func (r *Rows) EachRow(ctx context.Context, vertices []uint32, f func(worker int, b *Block, i, k int) error) error {
	first := func(v uint32) int {
		k, _ := slices.BinarySearch(vertices, v)
		return k
	}
	wanted := func(from, end uint32) bool { return first(from) < first(end) }
	return r.EachOf(ctx, wanted, func(worker int, b *Block) error {
		for i := range b.Len {
			k, wanted := slices.BinarySearch(vertices, b.Vertex(i))
			if !wanted {
				continue
			}
			if err := f(worker, b, i, k); err != nil {
				return err
			}
		}
		return nil
	})
}

// anyOf returns the condition of [Rows.EachOf] that leaves out shards without a vertex of set. If set is nil, it has
// all.
func anyOf(set bitset.Set) func(first, end uint32) bool {
	if set == nil {
		return nil
	}
	return set.Any
}

// pass is like EachOf, and reports the progress of a stage.
func (r *Rows) pass(ctx context.Context, stage string, wanted func(first, end uint32) bool,
	f func(worker int, b *Block),
) error {
	var done atomic.Int64
	return r.EachOf(ctx, wanted, func(worker int, b *Block) error {
		f(worker, b)
		r.env.Progress(stage, done.Add(int64(b.Len)), int64(r.env.Graph.Vertices))
		return nil
	})
}

// EachOf is like Each, without the shards for which wanted reports false. If wanted is nil, it reads all.
func (r *Rows) EachOf(
	ctx context.Context, wanted func(first, end uint32) bool, f func(worker int, b *Block) error,
) error {
	var shards []rows.Shard
	var chunks []rows.Chunk
	return r.pages(ctx, false, wanted, func(p *page.Page) error {
		shards, chunks = shards[:0], chunks[:0]
		for i := range p.Shards {
			var s rows.Shard
			for _, side := range p.Shards[i].Sides {
				s = append(s, rows.Of(side))
			}
			shards, chunks = append(shards, s), s.AppendChunks(chunks, i, rows.ChunkEdges)
		}
		return r.env.Each(ctx, len(chunks), func(worker, i int) error {
			c := chunks[i]
			if c.Begin == c.End { // amid a row that is longer than a chunk
				return nil
			}
			s := shards[c.Shard]
			return f(worker,
				&Block{Len: c.End - c.Begin, rows: r, shard: s, begin: c.Begin})
		})
	})
}
