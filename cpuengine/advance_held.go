package cpuengine

import (
	"context"
	"slices"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/page"
)

// heldVertices are a task of looking for active neighbours in held rows.
const heldVertices = 1 << 12

// heldRows are rows that are held in memory as they are stored.
type heldRows[V, A any] struct {
	out, in *page.HeldRows // in may be out; if nil, it does not seek
	absent  int            // shards that are not in memory, of rows and of in
	missing []heldShard    // for a level
	full    gas.Saturable[A]
	held    []heldLane[A] // by goroutine
}

// heldShard is a shard of some rows.
type heldShard struct {
	rows *page.HeldRows
	i    int
}

// heldLane is what one goroutine needs for held rows.
type heldLane[A any] struct {
	out, in *page.RowCursor
	due     []uint16 // and which of them have found somebody
	acc     []A
	nbr     []uint32 // by vertex of a task, the neighbour that it has found
	off     []uint32 // of a row that is gathered along as a whole
	active  []uint32 // of that row
}

// places are where each vertex of a task has the neighbour that it has found.
var places = func() (off [heldVertices + 1]uint32) {
	for v := range off {
		off[v] = uint32(v)
	}
	return off
}()

// NewHeldAdvancer returns an advancer over rows held as they are stored, with the given number of
// edges. It is for programs that seek, without priorities. Seeking needs the rows of in-edges,
// which may be the same; if they are nil, the advancer only pushes.
func NewHeldAdvancer[V, A any](e *Engine[V, A], rows, in *page.HeldRows, edges uint64) (*Advancer[V, A], error) {
	f, err := newAdvancer(e, edges)
	if err != nil {
		return nil, err
	}
	h := &heldRows[V, A]{out: rows, in: in, absent: rows.Absent(), held: make([]heldLane[A], len(e.workers))}
	f.rows = h
	h.full, _ = e.program.(gas.Saturable[A])
	if in != nil && in != rows {
		h.absent += in.Absent()
	}
	for i := range f.lanes {
		f.lanes[i].advance.Rows, f.lanes[i].advance.Next.Degree = &f.lanes[i].stored.row, e.arrays.Degree
		h.held[i].out = rows.NewCursor()
		if in != nil {
			h.held[i].in = in.NewCursor()
		}
	}
	return f, nil
}

func (r *heldRows[V, A]) canSeek() bool { return r.in != nil }

// bring brings the rows that a level needs into memory.
func (r *heldRows[V, A]) bring(ctx context.Context, f *Advancer[V, A]) error {
	if r.absent == 0 {
		return nil
	}
	r.missing = r.missing[:0]
	rows := r.out
	if f.seeks {
		rows = r.in
		for i := range rows.Shards() {
			r.miss(rows, i)
		}
	} else {
		from, to := uint32(0), uint32(0)
		seen := make([]bool, rows.Shards())
		for _, v := range f.queue.List() {
			if v >= from && v < to {
				continue
			}
			i := rows.ShardOf(v)
			from, to = rows.Interval(i)
			if !seen[i] {
				seen[i] = true
				r.miss(rows, i)
			}
		}
	}
	err := f.try(len(r.missing), func(_ *lane, k int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return r.missing[k].rows.Bring(r.missing[k].i)
	})
	if err == nil {
		r.absent -= len(r.missing)
	}
	return err
}

// miss notes a shard that is not in memory.
func (r *heldRows[V, A]) miss(rows *page.HeldRows, i int) {
	if !rows.Has(i) {
		rows.Prefetch(i)
		r.missing = append(r.missing, heldShard{rows, i})
	}
}

// push sends the values of the queue along held rows.
func (r *heldRows[V, A]) push(f *Advancer[V, A], alone bool) error {
	list := f.queue.List()
	from, err := f.saved(list)
	if err != nil {
		return err
	}
	size := f.limits.task
	if alone {
		size = len(list)
	}
	err = f.try(parts(len(list), size), func(l *lane, i int) error {
		begin, end := part(i, size, len(list))
		for k := begin; k < end; k++ {
			if !alone && f.block.Degree[list[k]] > f.limits.hub {
				l.hubs = append(l.hubs, uint32(k))
				continue
			}
			row, err := r.held[l.index].out.Row(list[k])
			if err != nil {
				return err
			}
			f.pushAlong(l, from[k:k+1], row)
		}
		return nil
	})
	if err == nil {
		err = r.pushHubs(f, list, from)
	}
	f.flush()
	return err
}

// pushHubs pushes along the rows of vertices that were left for later, the longest first: a row by one goroutine, or
// by all of them, one after another, where it has more than its share of the edges.
func (r *heldRows[V, A]) pushHubs(f *Advancer[V, A], list []uint32, from []V) error {
	hubs, size, edges := f.takeHubs(), int(f.limits.hub), 0
	degree := func(k uint32) int { return int(f.block.Degree[list[k]]) }
	for _, k := range hubs {
		edges += degree(k)
	}
	slices.SortFunc(hubs, func(j, k uint32) int { return degree(k) - degree(j) })
	for len(hubs) > 0 && degree(hubs[0]) > edges/len(f.lanes) {
		k := hubs[0]
		row, err := r.held[0].out.Row(list[k])
		if err == nil {
			err = f.each(parts(len(row), size), func(l *lane, i int) {
				begin, end := part(i, size, len(row))
				f.pushAlong(l, from[k:k+1], row[begin:end])
			})
		}
		if err != nil {
			return err
		}
		hubs = hubs[1:]
	}
	return f.try(len(hubs), func(l *lane, i int) error {
		k := hubs[i]
		row, err := r.held[l.index].out.Row(list[k])
		if err == nil {
			f.pushAlong(l, from[k:k+1], row)
		}
		return err
	})
}

// seek has vertices look for active ones along held rows.
func (r *heldRows[V, A]) seek(f *Advancer[V, A]) error {
	n := int(f.engine.arrays.N)
	first, alike, err := f.alike()
	if err != nil {
		return err
	}
	err = f.try(parts(n, heldVertices), func(l *lane, i int) error {
		l.advance.Seek.First, l.advance.Seek.Alike = first, alike
		begin, end := part(i, heldVertices, n)
		return r.seekIn(f, l, uint32(begin), uint32(end))
	})
	f.putDeferred()
	return err
}

// seekIn does it for the vertices in [begin, end), which are whole words of bits: those that
// are not settled look for the first active neighbour, gather what that has, and go on along
// their whole rows only if that is not all that counts.
func (r *heldRows[V, A]) seekIn(f *Advancer[V, A], l *lane, begin, end uint32) error {
	a, h := f.engine.arrays, &r.held[l.index]
	b := f.block
	b.First = begin
	if h.nbr == nil {
		h.nbr, h.off, h.acc = make([]uint32, heldVertices), make([]uint32, heldVertices+1), make([]A, heldVertices)
	}
	h.due = f.engine.loops.Due(h.due[:0], identity[:end-begin], &b, a.Cur)
	l.advance.Vertices += uint64(len(h.due))
	if r.in == r.out {
		h.due = withEdges(h.due, a.Degree[begin:end])
	}
	found, looked, err := h.in.Find(begin, h.due, a.Active, h.nbr)
	if err != nil {
		return err
	}
	l.advance.Edges += uint64(looked)
	if l.advance.Seek.Alike { // the value of one that is in the cache will do
		for _, v := range found {
			h.nbr[v] = l.advance.Seek.First
		}
	}
	acc := h.acc[:len(found)]
	for i := range acc {
		acc[i] = f.engine.zero
	}
	b.Off, b.Nbr = places[:], h.nbr
	f.engine.loops.Gather(acc, found, &b, a.Cur)
	for i := range acc {
		if !r.full.Saturated(acc[i], b.Step) {
			if err := r.gatherRow(f, l, &b, found[i:i+1], acc[i:i+1]); err != nil {
				return err
			}
		}
	}
	activated, degrees := f.engine.loops.Apply(acc, found, &b, a.Cur, a.Next, a.Rising[begin>>6:])
	l.advance.Seek.Found += uint64(activated)
	l.advance.Next.Degrees += degrees
	f.replace(l, begin, found)
	return nil
}

// withEdges removes the vertices without edges from a list.
func withEdges(list []uint16, degrees []uint32) []uint16 {
	k := 0
	for _, v := range list {
		list[k] = v
		if degrees[v] > 0 {
			k++
		}
	}
	return list[:k]
}

// gatherRow has a vertex of a block gather from all active neighbours, until it is saturated.
func (r *heldRows[V, A]) gatherRow(f *Advancer[V, A], l *lane, b *compiled.Block, one []uint16, acc []A) error {
	h, v := &r.held[l.index], one[0]
	row, err := h.in.Row(b.First + uint32(v))
	if err != nil {
		return err
	}
	if cap(h.active) < len(row) {
		h.active = make([]uint32, len(row)+len(row)/2)
	}
	active := h.active[:0]
	for _, u := range row {
		if f.engine.arrays.Active.Has(u) {
			active = append(active, u)
		}
	}
	x := *b
	h.off[v], h.off[v+1] = 0, uint32(len(active))
	x.Off, x.Nbr = h.off, active
	acc[0] = f.engine.zero
	f.engine.loops.Gather(acc, one, &x, f.engine.arrays.Cur)
	l.advance.Edges += uint64(len(row))
	return nil
}

// replace gives those of a list that have changed their new values. Of active ones, others
// read the old values until the end of the level.
func (f *Advancer[V, A]) replace(l *lane, first uint32, list []uint16) {
	a := f.engine.arrays
	for _, x := range list {
		switch v := first + uint32(x); {
		case !a.Rising.Has(v):
		case a.Active.Has(v):
			l.advance.Seek.Deferred = append(l.advance.Seek.Deferred, v)
		default:
			a.Cur[v] = a.Next[v]
		}
	}
}
