package page

import (
	"errors"
	"sort"
	"sync/atomic"

	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packedrows"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// HeldRows holds the rows of a graph, without weights, in memory as they are stored: about 2 bytes
// an edge, in the mapped payload ([store.Store.Map]). The rows of a shard are loaded on first use,
// all at once, and stay. It suits jobs that need few rows or parts of rows, which end before plain
// rows would be loaded.
type HeldRows struct {
	store  *store.Store
	cat    *store.Catalogue
	dir    shard.Direction
	shards []heldShard
	read   atomic.Int64
}

// heldShard is a shard that is held. It is not read while it is loaded.
type heldShard struct {
	packed *packedrows.Side
	plain  *rows.Side // of one vertex
}

// errNotHeld are rows that cannot be held.
var errNotHeld = errors.New("rows are not one side of packed rows without weights")

// PlanHeld returns the rows, not yet loaded, to be held as they are stored. The error says why they
// cannot be.
func (w WholeRows) PlanHeld(s *store.Store) (*HeldRows, error) {
	cat := s.Catalogue()
	if len(w.Sides) != 1 || w.Weighted {
		return nil, errNotHeld
	}
	dir, ok := cat.RowsOf(w.Sides[0])
	if !ok || cat.Encoding(dir) != packedrows.Version || !s.Map() {
		return nil, errNotHeld
	}
	return &HeldRows{store: s, cat: cat, dir: dir, shards: make([]heldShard, len(cat.Shards))}, nil
}

// Bytes returns the memory of all rows.
func (r *HeldRows) Bytes() (n int64) {
	for i := range r.cat.Shards {
		n += r.cat.Bytes(r.dir, i)
	}
	return n
}

// LongestRow returns an upper bound of the edges of a row.
func (r *HeldRows) LongestRow() (most uint32) {
	for i := range r.cat.Shards {
		most = max(most, r.cat.SideEdges(r.dir, i))
	}
	return most
}

// Shards returns the number of shards.
func (r *HeldRows) Shards() int { return len(r.cat.Shards) }

// Interval returns the vertices of shard i.
func (r *HeldRows) Interval(i int) (from, to uint32) {
	info := &r.cat.Shards[i]
	return info.First, info.First + uint32(info.Vertices)
}

// ShardOf returns the shard of a vertex.
func (r *HeldRows) ShardOf(v uint32) int {
	return sort.Search(len(r.cat.Shards), func(i int) bool { return r.cat.Shards[i].First > v }) - 1
}

// Has reports whether shard i is in memory.
func (r *HeldRows) Has(i int) bool { return r.shards[i] != heldShard{} }

// Prefetch makes the system read shard i from disk.
func (r *HeldRows) Prefetch(i int) { r.store.Prefetch(r.dir, i, r.store.Catalogue().Bytes(r.dir, i)) }

// Bring loads shard i. Several goroutines may load different shards.
func (r *HeldRows) Bring(i int) error {
	side, err := r.store.ViewRows(r.dir, i)
	if err != nil {
		return err
	}
	r.read.Add(r.cat.Bytes(r.dir, i))
	switch side := side.(type) {
	case *packedrows.Side:
		r.shards[i].packed = side
	case *rows.Side:
		r.shards[i].plain = side
	}
	return nil
}

// BytesRead returns the number of bytes read from the store so far.
func (r *HeldRows) BytesRead() int64 { return r.read.Load() }

// RowCursor reads held rows: see [packedrows.Cursor]. Each goroutine needs its own.
type RowCursor struct {
	rows     *HeldRows
	i        int    // shard
	from, to uint32 // its vertices
	packed   packedrows.Cursor
	plain    *rows.Side
	list     []uint32
}

// NewCursor returns a new cursor.
func (r *HeldRows) NewCursor() *RowCursor { return &RowCursor{rows: r} }

// enter goes to the shard of a vertex, which is in memory.
func (c *RowCursor) enter(v uint32) {
	r := c.rows
	c.i = r.ShardOf(v)
	c.from, c.to = r.Interval(c.i)
	if c.plain = r.shards[c.i].plain; c.plain == nil {
		c.packed.Reset(r.shards[c.i].packed, r.cat.Vertices)
	}
}

// Row returns the neighbours of a vertex. The list is valid until the next call.
func (c *RowCursor) Row(v uint32) ([]uint32, error) {
	if v < c.from || v >= c.to {
		c.enter(v)
	}
	if c.plain != nil {
		return c.plain.Nbr, nil
	}
	list, err := c.packed.Row(int(v-c.from), c.list)
	if err != nil {
		return nil, c.rows.store.ShardError(c.rows.dir, c.i, err)
	}
	c.list = list
	return list, nil
}

// First returns the first neighbour of a vertex that is in a set, if there is one, and the number
// of neighbours examined.
func (c *RowCursor) First(v uint32, set []uint64) (u uint32, looked int, found bool, err error) {
	if v < c.from || v >= c.to {
		c.enter(v)
	}
	if c.plain != nil {
		for k, u := range c.plain.Nbr {
			if set[u>>6]>>(u&63)&1 != 0 {
				return u, k + 1, true, nil
			}
		}
		return 0, len(c.plain.Nbr), false, nil
	}
	if u, looked, found, err = c.packed.First(int(v-c.from), set); err != nil {
		err = c.rows.store.ShardError(c.rows.dir, c.i, err)
	}
	return u, looked, found, err
}
