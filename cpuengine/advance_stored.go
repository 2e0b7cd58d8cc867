package cpuengine

import (
	"context"

	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard"
)

// arcsAtOnce is the number of edges with weights that are pushed along at once.
const arcsAtOnce = 1 << 10

// storedLane is what one goroutine needs beside the others' to push along stored rows: a
// row, as rows of a graph of one vertex.
type storedLane struct {
	row  frontier.Rows
	off  [2]uint64
	arcs []frontier.Arc
	at   uint32 // the vertex that is pushed from, of a whole shard
	busy bool   // there is one
}

// oneRow is the vertex of such a row.
var oneRow = []uint32{0}

// storedRows are rows that are read as they are needed.
type storedRows[V, A any] struct {
	stored *page.StoredRows
	exact  bool            // a level that fails is as if it had not been
	reader *page.RowReader // of the level
	full   gas.Saturable[A]
}

// canSeek returns false: bring chooses.
func (r *storedRows[V, A]) canSeek() bool { return false }

// NewStoredAdvancer returns an advancer over rows that are read on demand. It keeps the frontier as
// a bit set, and seeks where that reads fewer rows than pushing. If exact is set, an error in a level
// leaves values unchanged; otherwise some are newer, and their vertices active. Where whole shards are read, a level
// processes each until none of its vertices is active.
func NewStoredAdvancer[V, A any](e *Engine[V, A], rows *page.StoredRows, exact bool) *Advancer[V, A] {
	f := &Advancer[V, A]{engine: e}
	r := &storedRows[V, A]{stored: rows, exact: exact}
	if StoredSeeks(e.loops, rows, exact) {
		r.full, _ = e.program.(gas.Saturable[A])
	}
	f.rows = r
	a := e.arrays
	f.block = compiled.Block{N: a.N, Degree: a.Degree, In: a.In, Out: a.Out, IDs: a.IDs}
	f.queue, f.next = frontier.NewQueue[uint32](nil), frontier.NewQueue[uint32](nil)
	f.lanes = make([]lane, len(e.workers))
	for i := range f.lanes {
		l := &f.lanes[i]
		l.advance.Rows, l.advance.Next.Degree = &l.stored.row, a.Degree
		if rows.Weighted && !rows.Wide() {
			l.stored.arcs = make([]frontier.Arc, arcsAtOnce)
		}
	}
	return f
}

// StoredSeeks reports whether an advancer of [NewStoredAdvancer] seeks.
func StoredSeeks[V, A any](l compiled.Loops[V, A], rows *page.StoredRows, exact bool) bool {
	return CanSeek(l) && !exact && !rows.Weighted && rows.Symmetric()
}

// rowEdges is the number of edges that are read with a row: half of a block of a file has as many.
const rowEdges = 1 << 10

// bring begins to read the rows of active vertices, or of those that are not settled, if these are fewer.
func (r *storedRows[V, A]) bring(ctx context.Context, f *Advancer[V, A]) error {
	a := f.engine.arrays
	f.seeks = false
	if r.full != nil && f.active > uint64(a.N)/seekShare {
		vertices, edges, err := f.markUnsettled()
		if err != nil {
			return err
		}
		f.seeks = vertices*rowEdges+edges < f.active*rowEdges+f.edges
	}
	if f.seeks {
		r.reader = r.stored.Read(ctx, a.Marks, true)
		return nil
	}
	if r.stored.Whole() {
		r.reader = r.stored.Read(ctx, a.Active, false)
		return nil
	}
	if err := r.saveValues(f); err != nil {
		return err
	}
	r.reader = r.stored.Read(ctx, a.Active, false)
	return nil
}

// push goes along the rows of a shard's active vertices together, in
// whatever order the shards are read.
func (r *storedRows[V, A]) push(f *Advancer[V, A], _ bool) error {
	defer r.reader.Close()
	if r.stored.Whole() {
		return r.pushShards(f)
	}
	f.ready(min(len(f.engine.workers), r.reader.Shards()) <= 1, nil)
	_, err := f.engine.parallel(r.reader.Shards(), func(w *worker[V, A], _ int) error {
		p, err := r.reader.Next()
		if err != nil || p == nil {
			return err
		}
		defer p.Release()
		l := &f.lanes[w.index]
		p.Each(func(v uint32, list []uint32, weights shard.Plane) {
			r.pushRow(f, l, v, list, weights)
		})
		return nil
	})
	f.flush()
	if err != nil {
		r.undo(f)
	}
	return err
}

// pushShards goes along the rows of each shard until none of its vertices is active. Values are read in place, and
// vertices join the active ones.
func (r *storedRows[V, A]) pushShards(f *Advancer[V, A]) error {
	a := f.engine.arrays
	f.ready(false, nil)
	for i := range f.lanes {
		f.lanes[i].advance.Next.Bits, f.lanes[i].stored.busy = a.Active, false
	}
	_, err := f.engine.parallel(r.reader.Shards(), func(w *worker[V, A], _ int) error {
		p, err := r.reader.Next()
		if err != nil || p == nil {
			return err
		}
		defer p.Release()
		l := &f.lanes[w.index]
		p.Drain(a.Active, func(v uint32, list []uint32, weights shard.Plane) {
			l.stored.at, l.stored.busy = v, true
			a.Next[v] = compiled.Load(&a.Cur[v])
			r.pushRow(f, l, v, list, weights)
			l.stored.busy = false
		})
		return nil
	})
	f.flush()
	for i := range f.lanes {
		l := &f.lanes[i]
		l.advance.Next.Unlisted, l.advance.Next.Degrees = 0, 0
		if l.stored.busy { // an error was in the middle of its rows
			a.Active.Add(l.stored.at)
		}
	}
	if err != nil {
		return err
	}
	l := &f.lanes[0].advance.Next
	if l.Unlisted, l.Degrees, err = f.count(a.Active); err != nil {
		return err
	}
	a.Active, a.Rising = a.Rising, a.Active // as after other levels
	return nil
}

// markUnsettled marks the vertices with edges that are not settled, and counts them and their edges.
func (f *Advancer[V, A]) markUnsettled() (vertices, edges uint64, err error) {
	a := f.engine.arrays
	s, err := f.engine.parallel(parts(int(a.N), heldVertices), func(w *worker[V, A], i int) error {
		begin, end := part(i, heldVertices, int(a.N))
		b := f.block
		b.First = uint32(begin)
		clear(a.Marks[begin>>6 : (end+63)>>6])
		w.due = f.engine.loops.Due(w.due[:0], identity[:end-begin], &b, a.Cur)
		for _, v := range w.due {
			if v := uint32(begin) + uint32(v); a.Degree[v] > 0 {
				a.Marks[v>>6] |= 1 << (v & 63)
				w.stats.Vertices++
				w.stats.Degrees += uint64(a.Degree[v])
			}
		}
		return nil
	})
	return s.Vertices, s.Degrees, err
}

// seek has vertices look for active ones along their rows, a shard after another.
func (r *storedRows[V, A]) seek(f *Advancer[V, A]) error {
	defer r.reader.Close()
	a := f.engine.arrays
	s, err := f.engine.parallel(r.reader.Shards(), func(w *worker[V, A], _ int) error {
		p, err := r.reader.Next()
		if err != nil || p == nil {
			return err
		}
		defer p.Release()
		w.enter(&shardSides{}, Work{Step: f.block.Step})
		p.Each(func(v uint32, list []uint32, _ shard.Plane) { r.gatherRow(w, &f.lanes[w.index], v, list) })
		return nil
	})
	f.putLater()
	a.Marks.Clear()
	l := &f.lanes[0]
	l.advance.Edges, l.advance.Vertices, l.found, l.advance.Next.Degrees = s.Edges, s.Vertices, s.Activated, s.Degrees
	return err
}

// gatherRow has a vertex gather from the active ones among its neighbours, up to the first after which
// no other counts.
func (r *storedRows[V, A]) gatherRow(w *worker[V, A], l *lane, v uint32, list []uint32) {
	a := w.engine.arrays
	w.block.First, w.block.Off, w.block.Nbr = v, w.part[:], list
	acc := w.sums(1)
	found, looked := false, len(list)
	for i, u := range list {
		if !a.Active.Has(u) {
			continue
		}
		found = true
		w.part = [2]uint32{uint32(i), uint32(i) + 1}
		w.engine.loops.Gather(acc, identity[:1], &w.block, a.Cur)
		if r.full.Saturated(acc[0], w.block.Step) {
			looked = i + 1
			break
		}
	}
	w.stats.Edges += uint64(looked)
	if !found {
		return
	}
	before := w.stats.Activated
	w.apply(acc, identity[:1])
	switch {
	case w.stats.Activated == before:
	case a.Active.Has(v): // others read its value until the end of the level
		l.later = append(l.later, v)
	default:
		a.Cur[v] = a.Next[v]
	}
}

// saveValues copies the values from which the level pushes, or all.
func (r *storedRows[V, A]) saveValues(f *Advancer[V, A]) error {
	const words = 1 << 10
	a := f.engine.arrays
	return f.each(parts(len(a.Active), words), func(_ *lane, i int) {
		begin, end := part(i, words, len(a.Active))
		from, to := uint32(min(64*begin, int(a.N))), uint32(min(64*end, int(a.N)))
		if r.exact {
			copy(a.Next[from:to], a.Cur[from:to])
			return
		}
		for v, ok := a.Active.Next(from, to); ok; v, ok = a.Active.Next(v+1, to) {
			a.Next[v] = a.Cur[v]
		}
	})
}

// undo takes a level back that went wrong, where all values were copied.
func (r *storedRows[V, A]) undo(f *Advancer[V, A]) {
	if r.exact {
		copy(f.engine.arrays.Cur, f.engine.arrays.Next)
		f.engine.arrays.Rising.Clear()
	}
}

// pushRow sends the value of an active vertex along a row.
func (r *storedRows[V, A]) pushRow(f *Advancer[V, A], l *lane, v uint32, list []uint32, weights shard.Plane) {
	from := f.engine.arrays.Next[v : v+1]
	if weights.Narrow == nil { // wide ones are beside the list
		l.stored.row.Wide = weights.Wide
		f.pushAlong(l, from, list)
		return
	}
	l.stored.row.Off = l.stored.off[:]
	vertices := l.advance.Vertices + 1
	for len(list) > 0 {
		n := min(len(list), arcsAtOnce)
		for k, u := range list[:n] {
			l.stored.arcs[k] = frontier.Arc{To: u, Weight: weights.Narrow[k]}
		}
		l.stored.off[1], l.stored.row.Arcs = uint64(n), l.stored.arcs
		f.engine.loops.Push(&l.advance, &f.block, oneRow, from, f.engine.arrays.Cur)
		list, weights.Narrow = list[n:], weights.Narrow[n:]
	}
	l.advance.Vertices = vertices
}

// pushAlong sends a value along a row, or a part of one.
func (f *Advancer[V, A]) pushAlong(l *lane, from []V, list []uint32) {
	l.advance.Rows, l.stored.row.Off, l.stored.row.Nbr = &l.stored.row, l.stored.off[:], list
	l.stored.off[1] = uint64(len(list))
	f.engine.loops.Push(&l.advance, &f.block, oneRow, from, f.engine.arrays.Cur)
}
