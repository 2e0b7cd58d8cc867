package page

import (
	"context"
	"fmt"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// WholeRows says which rows of a whole graph a job wants: those of a vertex are its edges
// on all Sides, one side after another.
type WholeRows struct {
	Sides    []shard.Direction
	Weighted bool
	Threads  int
}

// Bytes is the memory that they take, and that reading them takes beside.
func (w WholeRows) Bytes(cat *store.Catalogue) (all, reading int64) {
	var edges uint64
	var largest int64
	for i := range cat.Shards {
		for _, dir := range w.Sides {
			edges += uint64(cat.SideEdges(dir, i))
			largest = max(largest, cat.Bytes(w.stored(cat, dir), i))
		}
	}
	return frontier.RowsBytes(cat.Vertices, edges, w.Weighted), largest * int64(max(1, w.Threads))
}

// Reads is how many bytes are read for them.
func (w WholeRows) Reads(cat *store.Catalogue) (n int64) {
	for i := range cat.Shards {
		for _, dir := range w.Sides {
			n += cat.Bytes(w.stored(cat, dir), i)
		}
	}
	return n
}

// transposed reports whether rows are made of the other side: weights are stored with
// in-edges.
func (w WholeRows) transposed(cat *store.Catalogue) bool {
	return w.Weighted && !cat.Symmetric && w.Sides[0] == shard.Out
}

// stored is the side that is read for one of w.Sides.
func (w WholeRows) stored(cat *store.Catalogue, dir shard.Direction) shard.Direction {
	if w.Weighted {
		return shard.In
	}
	if is, ok := cat.RowsOf(dir); ok {
		return is
	}
	return dir
}

// Load reads the rows. [FreeRows] returns their memory.
func (w WholeRows) Load(ctx context.Context, s *store.Store) (r *frontier.Rows, err error) {
	cat := s.Catalogue()
	l := &rowsLoader{WholeRows: w, store: s, cat: cat}
	begin := make([]uint64, len(cat.Shards)+1)
	for i := range cat.Shards {
		begin[i+1] = begin[i]
		for _, dir := range w.Sides {
			begin[i+1] += uint64(cat.SideEdges(dir, i))
		}
	}
	if l.to, err = newRows(cat.Vertices, begin[len(cat.Shards)], w.Weighted); err != nil {
		return nil, err
	}
	read := func(scratch []byte, i int) error { return l.shard(scratch, i, begin[i], begin[i+1]) }
	if w.transposed(cat) {
		if err = l.degrees(); err == nil {
			read = l.transpose
		}
	}
	if err == nil {
		err = l.each(ctx, read)
	}
	if err == nil && w.transposed(cat) {
		err = l.shift()
	}
	if err != nil {
		FreeRows(l.to)
		return nil, err
	}
	return l.to, nil
}

// newRows allocates rows. Off is zero.
func newRows(vertices uint32, edges uint64, weighted bool) (r *frontier.Rows, err error) {
	r = &frontier.Rows{}
	if r.Off, err = hostmem.Slice[uint64](int(vertices) + 1); err != nil {
		return nil, err
	}
	if weighted {
		r.Arcs, err = hostmem.Slice[frontier.Arc](int(edges))
	} else {
		r.Nbr, err = hostmem.Slice[uint32](int(edges))
	}
	if err != nil {
		FreeRows(r)
	}
	return r, err
}

// FreeRows returns the memory of rows that were loaded; nil is fine.
func FreeRows(r *frontier.Rows) {
	if r == nil {
		return
	}
	hostmem.Free(r.Off)
	hostmem.Free(r.Nbr)
	hostmem.Free(r.Arcs)
	*r = frontier.Rows{}
}

// rowsLoader reads rows.
type rowsLoader struct {
	WholeRows
	store *store.Store
	cat   *store.Catalogue
	to    *frontier.Rows
}

// each calls read for every shard, on all threads, each with memory for a blob.
func (l *rowsLoader) each(ctx context.Context, read func(scratch []byte, i int) error) error {
	_, reading := l.Bytes(l.cat)
	g, ctx := errgroup.WithContext(ctx)
	var next atomic.Int64
	threads := max(1, l.Threads)
	for range threads {
		g.Go(func() error {
			scratch, err := hostmem.Bytes(reading / int64(threads))
			if err != nil {
				return err
			}
			defer hostmem.FreeBytes(scratch)
			for i := int(next.Add(1)) - 1; i < len(l.cat.Shards) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if ahead := i + threads; ahead < len(l.cat.Shards) {
					for _, dir := range l.Sides {
						l.store.Prefetch(l.stored(l.cat, dir), ahead)
					}
				}
				if err := read(scratch, i); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
	}
	return g.Wait()
}

// read reads one side of a shard.
func (l *rowsLoader) read(scratch []byte, dir shard.Direction, i int) (shard.Side, error) {
	dir = l.stored(l.cat, dir)
	n := l.cat.Bytes(dir, i)
	return l.store.ReadShard(dir, i, scratch[:n:n])
}

// shard reads the rows of a shard's vertices to their places, from begin up to end.
func (l *rowsLoader) shard(scratch []byte, i int, begin, end uint64) error {
	info := l.cat.Shards[i]
	first, n := uint64(info.First), info.Vertices
	at := make([]uint64, n) // where the next edge goes
	for _, dir := range l.Sides {
		degrees, err := l.store.Degrees(dir, i)
		if err != nil {
			return err
		}
		for v, d := range degrees {
			at[v] += uint64(d)
		}
	}
	for v, d := range at {
		at[v] = begin
		l.to.Off[first+uint64(v)] = begin
		begin += d
	}
	if begin != end {
		return fmt.Errorf("graph %s: shard %d: %w: its degrees are not those of its edges", l.store.Name(), i, store.ErrDamaged)
	}
	if i == len(l.cat.Shards)-1 {
		l.to.Off[l.cat.Vertices] = end
	}
	for _, dir := range l.Sides {
		side, err := l.read(scratch, dir, i)
		if err != nil {
			return err
		}
		if !l.put(side, at, end) {
			begin = end + 1
		}
	}
	for v := range at {
		if behind := end; begin > end || v+1 < n && at[v] != l.to.Off[first+uint64(v)+1] || v+1 == n && at[v] != behind {
			return fmt.Errorf("graph %s: shard %d: %w: vertex %d has other edges than degrees", l.store.Name(), i, store.ErrDamaged, first+uint64(v))
		}
	}
	return nil
}

// put appends the edges of a side to the rows of its vertices. It reports whether they all
// lie before end.
func (l *rowsLoader) put(side shard.Side, at []uint64, end uint64) bool {
	switch s := side.(type) {
	case *packed.Side:
		return l.putPacked(s, at, end)
	case *rows.Side:
		for v := range at {
			list := s.Row(v, nil)
			if at[v]+uint64(len(list)) > end {
				return false
			}
			if l.to.Arcs == nil {
				copy(l.to.Nbr[at[v]:], list)
			} else {
				for k, u := range list {
					l.to.Arcs[at[v]+uint64(k)] = frontier.Arc{To: u, Weight: s.Weight[int(s.Off[v])+k]}
				}
			}
			at[v] += uint64(len(list))
		}
	case shard.Rows:
		var b shard.Buffer
		for v := range at {
			list := s.Row(v, &b)
			if at[v]+uint64(len(list)) > end {
				return false
			}
			copy(l.to.Nbr[at[v]:], list)
			at[v] += uint64(len(list))
		}
	}
	return true
}

func (l *rowsLoader) putPacked(s *packed.Side, at []uint64, end uint64) bool {
	nbr, arcs := l.to.Nbr, l.to.Arcs
	for e := range s.All() {
		for k, v := range e.Slot {
			to := at[v]
			if to >= end {
				return false
			}
			at[v] = to + 1
			if arcs == nil {
				nbr[to] = e.Nbr[k]
			} else {
				arcs[to] = frontier.Arc{To: e.Nbr[k], Weight: e.Weight[k]}
			}
		}
	}
	return true
}

// degrees puts the out-degree of vertex v, summed up, into Off[v+1], where rows to be
// transposed begin: as each edge is put, it moves to where the next one goes.
func (l *rowsLoader) degrees() error {
	sum, off := uint64(0), l.to.Off
	for i, info := range l.cat.Shards {
		degrees, err := l.store.Degrees(shard.Out, i)
		if err != nil {
			return err
		}
		for v, d := range degrees {
			off[uint64(info.First)+uint64(v)+1] = sum
			sum += uint64(d)
		}
	}
	if sum != uint64(len(l.to.Arcs)) {
		return fmt.Errorf("graph %s: %w: its out-degrees add up to %d, it has %d edges", l.store.Name(), store.ErrDamaged, sum, len(l.to.Arcs))
	}
	return nil
}

// transpose puts the in-edges of a shard's vertices into the rows of the other ends.
func (l *rowsLoader) transpose(scratch []byte, i int) error {
	side, err := l.read(scratch, shard.In, i)
	if err != nil {
		return err
	}
	off, arcs, first := l.to.Off[1:], l.to.Arcs, l.cat.Shards[i].First
	put := func(u, v uint32, w float32) bool {
		k := atomic.AddUint64(&off[u], 1) - 1
		if k >= uint64(len(arcs)) {
			return false
		}
		arcs[k] = frontier.Arc{To: v, Weight: w}
		return true
	}
	fits := true
	switch s := side.(type) {
	case *packed.Side:
		for e := range s.All() {
			for k, u := range e.Nbr {
				fits = fits && put(u, first+uint32(e.Slot[k]), e.Weight[k])
			}
		}
	case *rows.Side:
		for v := range s.Vertices() {
			for k := s.Off[v]; k < s.Off[v+1]; k++ {
				fits = fits && put(s.Nbr[k], first+uint32(v), s.Weight[k])
			}
		}
	}
	if !fits {
		return fmt.Errorf("graph %s: %w: its in-edges are not those that its out-degrees count", l.store.Name(), store.ErrDamaged)
	}
	return nil
}

// shift looks whether every transposed row ended where the next one began.
func (l *rowsLoader) shift() error {
	sum, off := uint64(0), l.to.Off
	for i, info := range l.cat.Shards {
		degrees, err := l.store.Degrees(shard.Out, i)
		if err != nil {
			return err
		}
		for v, d := range degrees {
			sum += uint64(d)
			if off[uint64(info.First)+uint64(v)+1] != sum {
				return fmt.Errorf("graph %s: %w: vertex %d has other edges than degrees", l.store.Name(), store.ErrDamaged, uint64(info.First)+uint64(v))
			}
		}
	}
	return nil
}
