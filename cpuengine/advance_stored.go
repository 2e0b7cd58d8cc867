package cpuengine

import (
	"context"

	"github.com/garaph/garaph/frontier"
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
}

// oneRow is the vertex of such a row.
var oneRow = []uint32{0}

// storedRows are rows that are read as they are needed.
type storedRows[V, A any] struct {
	stored *page.StoredRows
	exact  bool            // a level that fails is as if it had not been
	reader *page.RowReader // of the level
}

func (r *storedRows[V, A]) canSeek() bool              { return false }
func (r *storedRows[V, A]) seek(*Advancer[V, A]) error { return nil }

// NewStoredAdvancer returns an advancer over rows that are read on demand. It only pushes, and
// keeps the frontier as a bit set. If exact is set, an error in a level leaves values unchanged;
// otherwise some are newer, and their vertices active.
func NewStoredAdvancer[V, A any](e *Engine[V, A], rows *page.StoredRows, exact bool) *Advancer[V, A] {
	f := &Advancer[V, A]{engine: e}
	f.rows = &storedRows[V, A]{stored: rows, exact: exact}
	a := e.arrays
	f.block = compiled.Block{N: a.N, Degree: a.Degree, In: a.In, Out: a.Out}
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

// bring begins to read the rows of active vertices.
func (r *storedRows[V, A]) bring(ctx context.Context, f *Advancer[V, A]) error {
	if err := r.saveValues(f); err != nil {
		return err
	}
	r.reader = r.stored.Read(ctx, f.engine.arrays.Active)
	return nil
}

// push goes along the rows of a shard's active vertices together, in
// whatever order the shards are read.
func (r *storedRows[V, A]) push(f *Advancer[V, A], _ bool) error {
	defer r.reader.Close()
	f.ready(min(len(f.engine.workers), r.reader.Shards()) <= 1, nil)
	_, err := f.engine.parallel(r.reader.Shards(), func(w *worker[V, A], _ int) error {
		p, err := r.reader.Next()
		if err != nil || p == nil {
			return err
		}
		defer p.Release()
		l := &f.lanes[w.index]
		p.Each(f.engine.arrays.Active, func(v uint32, list []uint32, weights shard.Plane) {
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
