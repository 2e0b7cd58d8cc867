package gpuengine

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"unsafe"

	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/page"
)

const (
	// unitChunks is about how many chunks one launch processes: enough that the
	// last blocks, which leave processors idle, do not count.
	unitChunks = 2048
	// asyncUnits is in how many launches an async job does what stays, at least if
	// that leaves them leastChunks, so that new values are seen early.
	asyncUnits, leastChunks = 8, 64
)

// Requests ask for the shards [from, to).
func Requests(spans []page.Span, from, to int) []page.Request {
	var list []page.Request
	for p, s := range spans {
		switch {
		case s.To <= from || s.From >= to:
		case s.From >= from && s.To <= to:
			list = append(list, page.Request{Page: p})
		default:
			var some []int
			for i := max(s.From, from); i < min(s.To, to); i++ {
				some = append(some, i)
			}
			list = append(list, page.Request{Page: p, Shards: some})
		}
	}
	return list
}

// settle copies the shards that stay into the arena, expands their
// destinations, and makes lists of their chunks. Copies of a page run while the
// next one is read.
func (e *Engine[V, A]) settle(ctx context.Context) (err error) {
	if e.plan.resident == 0 {
		return nil
	}
	arena := room{high: e.plan.arena}
	if e.plan.arena > 0 { // not all shards are empty
		if arena.base, err = e.take256(e.plan.arena); err != nil {
			return err
		}
	}
	var (
		lists [keys][]kernels.Chunk
		parts []work     // one for each page
		held  *page.Page // the last one
	)
	all := slices.Concat(e.lanes, e.residents)
	release := func(p *page.Page) {
		if p != nil {
			p.Release()
		}
	}
	defer func() {
		if err != nil {
			e.quiet() // no copy runs from a page that is released
		}
		release(held)
	}()
	for p, err := range e.pages.Stream(ctx, Requests(e.pages.Spans(), 0, e.plan.resident)) {
		if err != nil {
			return err
		}
		before := held
		held = p
		l := all[len(parts)%len(all)]
		if err := e.place(l, p, &arena); err != nil {
			e.quiet()
			release(before)
			return fmt.Errorf("page %d: %w", p.Index, err)
		}
		for k := range lists {
			lists[k] = append(lists[k], l.batch.chunks[k]...)
		}
		parts = append(parts, l.work)
		if before != nil {
			err = all[(len(parts)-2)%len(all)].copied.Sync()
			if err != nil {
				e.quiet()
			}
			release(before)
		}
		if err != nil {
			return err
		}
	}
	if err := e.sync(); err != nil {
		return err
	}
	return e.list(lists, parts)
}

// place copies a page into the arena.
func (e *Engine[V, A]) place(l *lane, p *page.Page, arena *room) error {
	if err := l.stream.Sync(); err != nil { // its descriptors are in use until then
		return err
	}
	l.batch.reset(p.Index, p.Shards[0].Index)
	l.room = *arena
	for i := range p.Shards {
		e.kept.whole(&l.batch, &l.room, &p.Shards[i])
	}
	err := l.send(e.device, e.copies)
	if err == nil {
		err = l.expand(e.kernels.Expand)
	}
	*arena = l.room
	return err
}

// list copies the chunks to the device once more, in lists in which those of
// consecutive pieces follow each other, so that one launch can do several.
func (e *Engine[V, A]) list(lists [keys][]kernels.Chunk, parts []work) error {
	var at [keys]device.Pointer
	total := 0
	for k, list := range lists {
		if len(list) == 0 {
			continue
		}
		total += len(list)
		var err error
		if at[k], err = e.take256(int64(len(list)) * int64(unsafe.Sizeof(kernels.Chunk{}))); err != nil {
			return err
		}
		if err := e.staging.toDevice(e.main, at[k], bytesOfSlice(list)); err != nil {
			return err
		}
	}
	e.enough = unitChunks
	if e.opt.Async {
		e.enough = min(e.enough, max(leastChunks, total/asyncUnits))
	}
	for _, w := range parts {
		p := resident{placed: w.chunks[0], work: w}
		p.page, p.bytes, p.chunks = -1, 0, at
		e.pieces = append(e.pieces, p)
		for k, count := range w.counts {
			at[k] += device.Pointer(count) * device.Pointer(unsafe.Sizeof(kernels.Chunk{}))
		}
	}
	return e.main.Sync()
}

// resident is a page, or the first shards of one, that stays.
type resident struct {
	work
	placed device.Pointer // its descriptors, where it was copied to
}

// Piece is what stays of a page.
type Piece struct {
	From, To int // shards
	Edges    uint64
}

// Pieces are what stays on the device, in the order of shards.
func (e *Engine[V, A]) Pieces() []Piece {
	list := make([]Piece, len(e.pieces))
	for i := range e.pieces {
		p := &e.pieces[i]
		list[i] = Piece{p.from, p.to, p.edges}
	}
	return list
}

// Enough is how many of the pieces from number i on make one launch that keeps
// the device busy.
func (e *Engine[V, A]) Enough(i int) int {
	n, from := 0, i
	for ; i < len(e.pieces) && n < e.enough; i++ {
		for _, count := range e.pieces[i].counts {
			n += count
		}
	}
	return i - from
}

// join is the work of the pieces [from, to).
func (e *Engine[V, A]) join(from, to int) work {
	w := e.pieces[from].work
	for i := from + 1; i < to; i++ {
		p := &e.pieces[i]
		w.to = p.to
		w.edges += p.edges
		w.replicas += p.replicas
		for k, count := range p.counts {
			w.counts[k] += count
			w.shared[k] = max(w.shared[k], p.shared[k])
		}
	}
	return w
}

// everything is the source of an iteration over the whole graph.
type everything[V, A any] struct {
	*Engine[V, A]
	next int
}

func (s *everything[V, A]) Stay() (from, to int) {
	from = s.next
	s.next += s.Enough(from)
	return from, s.next
}

func (s *everything[V, A]) Pages(ctx context.Context) iter.Seq2[*page.Page, error] {
	if len(s.all) == 0 {
		return func(func(*page.Page, error) bool) {}
	}
	return s.pages.Stream(ctx, s.all)
}

func (s *everything[V, A]) Done(PageTime) {}

// sync waits for all slots.
func (e *Engine[V, A]) sync() error {
	for _, s := range e.slots {
		if err := s.stream.Sync(); err != nil {
			return err
		}
	}
	return e.copies.Sync()
}

// quiet waits for all slots after an error, which is known.
func (e *Engine[V, A]) quiet() {
	_ = e.copies.Sync()
	for _, s := range e.slots {
		_ = s.stream.Sync()
	}
}
