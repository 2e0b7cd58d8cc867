package algorithms

import (
	"context"
	"fmt"

	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
)

// Rows is the adjacency of the graph as rows, CSR by vertex, read from its shards.
// As many as the budget has room for stay in memory; the others are read in each
// pass. On a symmetric graph both directions are the same rows.
type Rows struct {
	env     *Env
	cache   *page.Cache
	side    [2]int // by direction, the place among the sides of a page; -1: not planned
	closed  bool
	allRead int64 // when it was closed
	whole   bool
}

func newRows(e *Env, c *page.Cache, planned []shard.Direction) *Rows {
	r := &Rows{env: e, cache: c, side: [2]int{-1, -1}, whole: c.InMemory()}
	for i, dir := range planned {
		r.side[dir] = i
	}
	if e.Graph.Symmetric {
		r.side = [2]int{0, 0}
	}
	return r
}

// Block is the rows of consecutive vertices, on loan until the function that
// [Rows.Each] called with it returns. They must not be changed.
type Block struct {
	First uint32 // the vertex of row 0
	Len   int    // rows

	rows  *Rows
	shard rows.Shard
	begin int // row 0 in the shard
}

// Row is row i: the neighbours of vertex First+i in a planned direction, ascending,
// parallel edges and self-loops included.
func (b *Block) Row(dir shard.Direction, i int) []uint32 {
	return b.side(dir).Row(b.begin+i, nil)
}

// Weights are those of the edges of row i, where the plan has weights. Of a graph without
// weights, they are nil, and stand for 1.
func (b *Block) Weights(dir shard.Direction, i int) []float32 {
	s := b.side(dir)
	if s.Weight == nil {
		return nil
	}
	v := b.begin + i
	return s.Weight[s.Off[v]:s.Off[v+1]]
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
	if r.closed {
		return fmt.Errorf("algorithm %T reads rows that it has closed", r.env.algorithm)
	}
	requests := make([]page.Request, len(r.cache.Spans()))
	for i := range requests {
		requests[i].Page = i
	}
	var shards []rows.Shard
	var chunks []rows.Chunk
	for p, err := range r.cache.Stream(ctx, requests) {
		if err != nil {
			return err
		}
		shards, chunks = shards[:0], chunks[:0]
		for i := range p.Shards {
			var s rows.Shard
			for _, side := range p.Shards[i].Sides {
				s = append(s, rows.Of(side))
			}
			shards, chunks = append(shards, s), s.AppendChunks(chunks, i, rows.ChunkEdges)
		}
		err := r.env.Each(ctx, len(chunks), func(worker, i int) error {
			c := chunks[i]
			if c.Begin == c.End { // amid a row that is longer than a chunk
				return nil
			}
			s := shards[c.Shard]
			return f(worker, &Block{First: s[0].First + uint32(c.Begin), Len: c.End - c.Begin, rows: r, shard: s, begin: c.Begin})
		})
		p.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

// Close frees the memory of the rows. An algorithm may close them when it needs
// them no more, and the end of the run does.
func (r *Rows) Close() error {
	if r == nil || r.closed {
		return nil
	}
	r.closed, r.allRead = true, r.cache.BytesRead()
	return r.cache.Close()
}

func (r *Rows) inMemory() bool { return r == nil || r.whole }

// bytesRead is how many bytes came from the store. The rows are closed.
func (r *Rows) bytesRead() int64 {
	if r == nil {
		return 0
	}
	return r.allRead
}
