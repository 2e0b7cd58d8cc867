package cpuengine

import (
	"context"
	"slices"

	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/page"
)

// heldVertices are a task of looking for active neighbours.
const heldVertices = 1 << 12

// memoryRows are rows in memory: plain ones, or held as they are stored.
type memoryRows[V, A any] struct {
	out, in *page.HeldRows // in may be out; nil if rows are plain
	absent  int            // shards that are not in memory, of out and of in
	missing []heldShard    // for a level
	full    gas.Saturable[A]
	lanes   []memoryLane[A] // by goroutine
}

// rowReader reads rows for one goroutine.
type rowReader interface {
	// Rows returns rows of the first vertices of a list, at least one, and their numbers in these rows, which are
	// valid until the next call.
	Rows(list []uint32) (rows *frontier.Rows, numbers []uint32, err error)
	// Find looks for neighbours in a set. v in the list, which ascends, stands for vertex begin+v. Find returns those of
	// the list that have one, the first of which is in nbr by v, and the number of neighbours examined. It overwrites the
	// list.
	Find(begin uint32, list []uint16, set []uint64, nbr []uint32) (found []uint16, looked int, err error)
}

// heldShard is a shard of some rows.
type heldShard struct {
	rows *page.HeldRows
	i    int
}

// memoryLane is the state of one goroutine for rows in memory.
type memoryLane[A any] struct {
	out, in rowReader // if in is nil, vertices do not look for active ones
	due     []uint16  // vertices of a task that are not settled
	acc     []A
	nbr     []uint32 // by vertex of a task, the neighbour that it has found
	off     []uint32 // of a row that is gathered along as a whole
	nbrs    []uint32 // of that row
	weights []float32
	wide    []float64
}

// places are where each vertex of a task has the neighbour that it has found.
var places = func() (off [heldVertices + 1]uint32) {
	for v := range off {
		off[v] = uint32(v)
	}
	return off
}()

// NewAdvancer returns an advancer over plain rows. rows hold all edges along which vertices notify, and in those
// along which they gather. If in is nil, vertices do not look for active neighbours. Both may be
// the same.
func NewAdvancer[V, A any](e *Engine[V, A], rows, in *frontier.Rows) (*Advancer[V, A], error) {
	m := &memoryRows[V, A]{lanes: make([]memoryLane[A], len(e.workers))}
	for i := range m.lanes {
		m.lanes[i].out = &plainReader{rows: rows}
		if in != nil {
			m.lanes[i].in = &plainReader{rows: in}
		}
	}
	f, err := newAdvancer(e, m, rows.Off[e.arrays.N])
	if err != nil {
		return nil, err
	}
	for i := range f.lanes {
		f.lanes[i].advance.Rows, f.lanes[i].advance.Next.Off = rows, rows.Off
	}
	return f, nil
}

// NewHeldAdvancer returns an advancer over rows held as they are stored, with the given number of
// edges. It is for programs that seek, without priorities. Seeking needs the rows of in-edges,
// which may be the same; if they are nil, the advancer only pushes.
func NewHeldAdvancer[V, A any](e *Engine[V, A], rows, in *page.HeldRows, edges uint64) (*Advancer[V, A], error) {
	m := &memoryRows[V, A]{out: rows, in: in, absent: rows.Absent(), lanes: make([]memoryLane[A], len(e.workers))}
	if in != nil && in != rows {
		m.absent += in.Absent()
	}
	for i := range m.lanes {
		m.lanes[i].out = rows.NewCursor()
		if in != nil {
			m.lanes[i].in = in.NewCursor()
		}
	}
	return newAdvancer(e, m, edges)
}

func (r *memoryRows[V, A]) canSeek() bool { return r.lanes[0].in != nil }

// bring brings the rows that a level needs into memory.
func (r *memoryRows[V, A]) bring(ctx context.Context, f *Advancer[V, A]) error {
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
func (r *memoryRows[V, A]) miss(rows *page.HeldRows, i int) {
	if !rows.Has(i) {
		rows.Prefetch(i)
		r.missing = append(r.missing, heldShard{rows, i})
	}
}

// push sends the values of the queue along rows.
func (r *memoryRows[V, A]) push(f *Advancer[V, A], alone bool) error {
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
		for k := begin; !alone && k < end; k++ {
			if f.block.Degree[list[k]] > f.limits.hub {
				if err := r.pushRows(f, l, list[begin:k], from[begin:k]); err != nil {
					return err
				}
				l.hubs = append(l.hubs, uint32(k))
				begin = k + 1
			}
		}
		return r.pushRows(f, l, list[begin:end], from[begin:end])
	})
	switch {
	case err != nil:
	case r.out != nil:
		err = r.pushHubs(f, list, from)
	default:
		err = f.eachHub(list, func(l *lane, k uint32) {
			f.engine.loops.Push(&l.advance, &f.block, list[k:k+1], from[k:k+1], f.engine.arrays.Cur)
		})
	}
	f.flush()
	return err
}

// pushRows sends the values of some vertices along their rows.
func (r *memoryRows[V, A]) pushRows(f *Advancer[V, A], l *lane, list []uint32, from []V) error {
	for len(list) > 0 {
		rows, numbers, err := r.lanes[l.index].out.Rows(list)
		if err != nil {
			return err
		}
		l.advance.Rows = rows
		f.engine.loops.Push(&l.advance, &f.block, numbers, from[:len(numbers)], f.engine.arrays.Cur)
		list, from = list[len(numbers):], from[len(numbers):]
	}
	return nil
}

// pushHubs pushes along held rows of vertices that were left for later, the longest first: a row by one goroutine, or
// by all of them, one after another, where it has more than its share of the edges.
func (r *memoryRows[V, A]) pushHubs(f *Advancer[V, A], list []uint32, from []V) error {
	hubs, size, edges := f.takeHubs(), int(f.limits.hub), 0
	degree := func(k uint32) int { return int(f.block.Degree[list[k]]) }
	for _, k := range hubs {
		edges += degree(k)
	}
	slices.SortFunc(hubs, func(j, k uint32) int { return degree(k) - degree(j) })
	for len(hubs) > 0 && degree(hubs[0]) > edges/len(f.lanes) {
		k := hubs[0]
		rows, _, err := r.lanes[0].out.Rows(list[k : k+1])
		if err == nil {
			err = f.each(parts(len(rows.Nbr), size), func(l *lane, i int) {
				begin, end := part(i, size, len(rows.Nbr))
				f.pushAlong(l, from[k:k+1], rows.Nbr[begin:end])
			})
		}
		if err != nil {
			return err
		}
		hubs = hubs[1:]
	}
	return f.try(len(hubs), func(l *lane, i int) error {
		k := hubs[i]
		return r.pushRows(f, l, list[k:k+1], from[k:k+1])
	})
}

// seek has vertices look for active ones along rows.
func (r *memoryRows[V, A]) seek(f *Advancer[V, A]) error {
	n := int(f.engine.arrays.N)
	like, err := f.alike()
	if err != nil {
		return err
	}
	err = f.try(parts(n, heldVertices), func(l *lane, i int) error {
		begin, end := part(i, heldVertices, n)
		return r.seekIn(f, l, like, uint32(begin), uint32(end))
	})
	f.putLater()
	return err
}

// seekIn does it for the vertices in [begin, end), which are whole words of bits: those that
// are not settled look for the first active neighbour, gather its value, or the value of vertex like, and go on along
// their whole rows only if that is not all that counts.
func (r *memoryRows[V, A]) seekIn(f *Advancer[V, A], l *lane, like, begin, end uint32) error {
	a, h := f.engine.arrays, &r.lanes[l.index]
	b := f.block
	b.First = begin
	if h.nbr == nil {
		h.nbr, h.off, h.acc = make([]uint32, heldVertices), make([]uint32, heldVertices+1), make([]A, heldVertices)
	}
	h.due = f.engine.loops.Due(h.due[:0], identity[:end-begin], &b, a.Cur)
	l.advance.Vertices += uint64(len(h.due))
	if r.in != nil && r.in == r.out {
		h.due = withEdges(h.due, a.Degree[begin:end])
	}
	found, looked, err := h.in.Find(begin, h.due, a.Active, h.nbr)
	if err != nil {
		return err
	}
	l.advance.Edges += uint64(looked)
	for i := 0; like < a.N && i < len(found); i++ { // the value of one that is in the cache will do
		h.nbr[found[i]] = like
	}
	acc := h.acc[:len(found)]
	for i := range acc {
		acc[i] = f.engine.zero
	}
	b.Off, b.Nbr = places[:], h.nbr
	plain, _ := h.in.(*plainReader)
	weighted := plain != nil && (plain.rows.Arcs != nil || plain.rows.Wide != nil)
	if !weighted {
		f.engine.loops.Gather(acc, found, &b, a.Cur)
	}
	for i := range acc {
		if weighted || !r.full.Saturated(acc[i], b.Step) {
			if err := r.gatherRow(f, l, &b, found[i:i+1], acc[i:i+1]); err != nil {
				return err
			}
		}
	}
	activated, degrees := f.engine.loops.Apply(acc, found, &b, a.Cur, a.Next, a.Rising[begin>>6:])
	l.found += uint64(activated)
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
func (r *memoryRows[V, A]) gatherRow(f *Advancer[V, A], l *lane, b *compiled.Block, one []uint16, acc []A) error {
	h, v := &r.lanes[l.index], one[0]
	rows, numbers, err := h.in.Rows([]uint32{b.First + uint32(v)})
	if err != nil {
		return err
	}
	x, k, end := *b, rows.Off[numbers[0]], rows.Off[numbers[0]+1]
	l.advance.Edges += end - k
	x.Nbr, x.Weight, x.Wide = h.nbrs[:0], h.weights[:0], h.wide[:0]
	for ; k < end; k++ {
		u, weight := rows.Arc(k)
		if !f.engine.arrays.Active.Has(u) {
			continue
		}
		x.Nbr = append(x.Nbr, u)
		switch {
		case rows.Arcs != nil:
			x.Weight = append(x.Weight, float32(weight))
		case rows.Wide != nil:
			x.Wide = append(x.Wide, weight)
		}
	}
	h.nbrs, h.weights, h.wide = x.Nbr, x.Weight, x.Wide
	h.off[v], h.off[v+1] = 0, uint32(len(x.Nbr))
	x.Off = h.off
	acc[0] = f.engine.zero
	f.engine.loops.Gather(acc, one, &x, f.engine.arrays.Cur)
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
			l.later = append(l.later, v)
		default:
			a.Cur[v] = a.Next[v]
		}
	}
}
