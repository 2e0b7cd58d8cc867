package page

import (
	"errors"
	"io"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/garaph/garaph/frontier"
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
	store *store.Store
	cat   *store.Catalogue
	dir   shard.Direction
	side  *heldSide
	read  atomic.Int64
}

// heldSide has the shards of one side that are in memory, and their index.
type heldSide struct {
	shards []heldShard
	heads  packedrows.Heads // of all vertices
	index  []uint32         // its memory

	searched atomic.Uint64 // see Searched
}

// heldShard is a shard that is held when it is ready.
type heldShard struct {
	mu     sync.Mutex // held while it is loaded
	ready  atomic.Bool
	packed *packedrows.Side
	plain  *rows.Side // of one vertex
}

func newHeldSide(cat *store.Catalogue) (*heldSide, error) {
	n := int(cat.Vertices)
	index, err := hostmem.Slice[uint32](2 * n)
	if err != nil {
		return nil, err
	}
	heads := packedrows.Heads{First: index[:n], Begin: index[n:]}
	return &heldSide{shards: make([]heldShard, len(cat.Shards)), heads: heads, index: index}, nil
}

// Close frees the index.
func (h *heldSide) Close() error {
	hostmem.Free(h.index)
	return nil
}

// headsOf returns the index of the vertices in [from, to).
func (h *heldSide) headsOf(from, to uint32) packedrows.Heads {
	return packedrows.Heads{First: h.heads.First[from:to], Begin: h.heads.Begin[from:to]}
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
	side, err := s.Keep(dir, func() (io.Closer, error) { return newHeldSide(cat) })
	if err != nil {
		return nil, err
	}
	return &HeldRows{store: s, cat: cat, dir: dir, side: side.(*heldSide)}, nil
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

// ListBytes returns the memory of cursors' rows, one cursor for each of some goroutines. They grow to 3/2, beside
// the memory before.
func (r *HeldRows) ListBytes(goroutines int) int64 {
	var most uint32
	for i := range r.cat.Shards {
		most = max(most, r.cat.SideEdges(r.dir, i))
	}
	return 3 * 4 * int64(goroutines) * (int64(most) + 2*rowsAtOnce)
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
func (r *HeldRows) Has(i int) bool { return r.side.shards[i].ready.Load() }

// Absent returns the number of shards that are not in memory.
func (r *HeldRows) Absent() (n int) {
	for i := range r.side.shards {
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
	x := &r.side.shards[i]
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ready.Load() {
		return nil
	}
	side, err := r.store.ViewRows(r.dir, i)
	if err != nil {
		return err
	}
	r.read.Add(r.cat.Bytes(r.dir, i))
	switch side := side.(type) {
	case *packedrows.Side:
		x.packed = side
		if err := side.Heads(r.side.headsOf(r.Interval(i)), r.cat.Vertices); err != nil {
			return r.store.ShardError(r.dir, i, err)
		}
	case *rows.Side:
		x.plain = side
	}
	x.ready.Store(true)
	return nil
}

// Searched returns the number of edges that jobs over the open graph have looked at, to which these add.
func (r *HeldRows) Searched() *atomic.Uint64 { return &r.side.searched }

// BytesRead returns the number of bytes read from the store so far.
func (r *HeldRows) BytesRead() int64 { return r.read.Load() }

// RowCursor reads held rows: see [packedrows.Cursor]. Each goroutine needs its own.
type RowCursor struct {
	rows     *HeldRows
	i        int    // shard
	from, to uint32 // its vertices
	packed   packedrows.Cursor
	plain    *rows.Side
	unpacked frontier.Rows
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
	x := &r.side.shards[c.i]
	if c.plain = x.plain; c.plain == nil {
		c.packed.Reset(x.packed, r.side.headsOf(c.from, c.to), r.cat.Vertices)
	}
}

// Row returns the neighbours of a vertex. The list is valid until the next call.
func (c *RowCursor) Row(v uint32) ([]uint32, error) {
	rows, _, err := c.Rows([]uint32{v})
	return rows.Nbr, err
}

// rowsAtOnce is the number of edges after which Rows ends.
const rowsAtOnce = 1 << 10

// numbers are the numbers of rows in a result of Rows.
var numbers = func() (n [rowsAtOnce]uint32) {
	for i := range n {
		n[i] = uint32(i)
	}
	return n
}()

// Rows returns the rows of the first vertices of a list, one at least, and their numbers there. They are valid until
// the next call.
func (c *RowCursor) Rows(list []uint32) (r *frontier.Rows, n []uint32, err error) {
	r, list = &c.unpacked, list[:min(len(list), rowsAtOnce)]
	r.Off, r.Nbr = append(r.Off[:0], 0), r.Nbr[:0]
	for i := 0; i < len(list) && len(r.Nbr) < rowsAtOnce; i++ {
		if c.enter(list[i]); c.plain != nil {
			r.Nbr = append(r.Nbr, c.plain.Nbr...)
		} else if r.Nbr, err = c.packed.Row(int(list[i]-c.from), r.Nbr); err != nil {
			return r, nil, c.rows.store.ShardError(c.rows.dir, c.i, err)
		}
		r.Off = append(r.Off, uint64(len(r.Nbr)))
	}
	return r, numbers[:len(r.Off)-1], nil
}

// First returns the first neighbour of a vertex, or [packedrows.None].
func (c *RowCursor) First(v uint32) uint32 {
	c.enter(v)
	if c.plain == nil {
		return c.packed.First[v-c.from]
	}
	return c.plainAt(0)
}

// Seconds puts the second neighbours of consecutive vertices into a list, from v on: see [packedrows.Cursor.Seconds].
func (c *RowCursor) Seconds(v uint32, list []uint32) error {
	for len(list) > 0 {
		c.enter(v)
		n := min(uint32(len(list)), c.to-v)
		if c.plain != nil {
			if list[0] = c.plainAt(1); len(c.plain.Nbr) == 1 {
				list[0] = c.plainAt(0)
			}
		} else if err := c.packed.Seconds(int(v-c.from), list[:n]); err != nil {
			return c.rows.store.ShardError(c.rows.dir, c.i, err)
		}
		v, list = v+n, list[n:]
	}
	return nil
}

// plainAt returns the neighbour at place k of a row that is plain.
func (c *RowCursor) plainAt(k int) uint32 {
	if k < len(c.plain.Nbr) {
		return c.plain.Nbr[k]
	}
	return packedrows.None
}

// Find looks for neighbours in a set. v in the list, which ascends, stands for vertex begin+v. Find returns those of
// the list that have one, the first of which is in nbr by v, and the number of neighbours examined. It overwrites the
// list.
func (c *RowCursor) Find(begin uint32, list []uint16, set []uint64, nbr []uint32) (
	found []uint16, looked int, err error) {
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
