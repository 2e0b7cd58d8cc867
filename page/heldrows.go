package page

import (
	"errors"
	"io"
	"sort"
	"sync/atomic"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packedrows"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// HeldRows holds the rows of a graph, without weights, in memory as they are stored: about 2 bytes
// an edge, in the mapped payload ([store.Store.Map]), and an index of 8 bytes a vertex. The rows of a
// shard are loaded on first use, all at once, and stay until the store is closed, for all jobs over it.
// It suits jobs that need few rows or parts of rows, which end before plain rows would be loaded.
type HeldRows struct {
	store  *store.Store
	cat    *store.Catalogue
	dir    shard.Direction
	shards heldShards
	read   atomic.Int64
}

// heldShards are the shards of one side that are in memory. The others are nil.
type heldShards []atomic.Pointer[heldShard]

// heldShard is a shard that is held.
type heldShard struct {
	packed *packedrows.Side
	heads  packedrows.Heads // of packed
	plain  *rows.Side       // of one vertex
}

// Close frees the indexes.
func (h heldShards) Close() error {
	for i := range h {
		if x := h[i].Load(); x != nil {
			x.free()
		}
	}
	return nil
}

func (x *heldShard) free() {
	hostmem.Free(x.heads.First)
	hostmem.Free(x.heads.Begin)
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
	shards := s.Keep(dir, func() io.Closer { return make(heldShards, len(cat.Shards)) })
	return &HeldRows{store: s, cat: cat, dir: dir, shards: shards.(heldShards)}, nil
}

// Bytes returns the memory of all rows.
func (r *HeldRows) Bytes() (n int64) {
	for i := range r.cat.Shards {
		n += r.cat.Bytes(r.dir, i) + headBytes*int64(r.cat.Shards[i].Vertices)
	}
	return n
}

// headBytes is the size of the index for a vertex.
const headBytes = 8

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
func (r *HeldRows) Has(i int) bool { return r.shards[i].Load() != nil }

// Absent returns the number of shards that are not in memory.
func (r *HeldRows) Absent() (n int) {
	for i := range r.shards {
		if !r.Has(i) {
			n++
		}
	}
	return n
}

// Prefetch makes the system read shard i from disk.
func (r *HeldRows) Prefetch(i int) { r.store.Prefetch(r.dir, i, r.store.Catalogue().Bytes(r.dir, i)) }

// Bring loads shard i, unless it is there.
func (r *HeldRows) Bring(i int) error {
	side, err := r.store.ViewRows(r.dir, i)
	if err != nil {
		return err
	}
	r.read.Add(r.cat.Bytes(r.dir, i))
	x := &heldShard{}
	switch side := side.(type) {
	case *packedrows.Side:
		x.packed = side
		if err := x.index(r.cat.Vertices); err != nil {
			x.free()
			return r.store.ShardError(r.dir, i, err)
		}
	case *rows.Side:
		x.plain = side
	}
	if !r.shards[i].CompareAndSwap(nil, x) { // another job was first
		x.free()
	}
	return nil
}

// index indexes the rows, of a graph of n vertices.
func (x *heldShard) index(n uint32) (err error) {
	vertices := x.packed.Header().Vertices
	if x.heads.First, err = hostmem.Slice[uint32](vertices); err != nil {
		return err
	}
	if x.heads.Begin, err = hostmem.Slice[uint32](vertices); err != nil {
		return err
	}
	return x.packed.Heads(x.heads, n)
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
	if v >= c.from && v < c.to {
		return
	}
	r := c.rows
	c.i = r.ShardOf(v)
	c.from, c.to = r.Interval(c.i)
	x := r.shards[c.i].Load()
	if c.plain = x.plain; c.plain == nil {
		c.packed.Reset(x.packed, x.heads, r.cat.Vertices)
	}
}

// Row returns the neighbours of a vertex. The list is valid until the next call.
func (c *RowCursor) Row(v uint32) ([]uint32, error) {
	c.enter(v)
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

// Find looks for neighbours in a set. v in the list, which ascends, stands for vertex begin+v. Find returns those of
// the list that have one, the first of which is in nbr by v, and the number of neighbours examined. It overwrites the
// list.
func (c *RowCursor) Find(begin uint32, list []uint16, set []uint64, nbr []uint32) (found []uint16, looked int, err error) {
	for at := 0; at < len(list); {
		c.enter(begin + uint32(list[at]))
		end := at + sort.Search(len(list)-at, func(i int) bool { return begin+uint32(list[at+i]) >= c.to })
		part := list[at:end]
		if at = end; c.plain != nil {
			nbr[part[0]] = packedrows.None
			for _, u := range c.plain.Nbr {
				looked++
				if set[u>>6]>>(u&63)&1 != 0 {
					nbr[part[0]] = u
					break
				}
			}
			continue
		}
		n, err := c.packed.Find(int(begin)-int(c.from), part, set, nbr)
		if err != nil {
			return nil, 0, c.rows.store.ShardError(c.rows.dir, c.i, err)
		}
		looked += n
	}
	k := 0
	for _, v := range list {
		list[k] = v
		if nbr[v] != packedrows.None {
			k++
		}
	}
	return list[:k], looked, nil
}
