package gpuengine

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/garaph/garaph/page"
)

const (
	// unitChunks is about how many chunks one launch processes: enough that the
	// last blocks, which leave processors idle, do not count.
	unitChunks = 2048
	// asyncUnits is into how many units an async job cuts what stays, at least if
	// that leaves them leastChunks, so that new values are seen early.
	asyncUnits, leastChunks = 8, 64
)

// requests ask for the shards [from, to).
func requests(spans []page.Span, from, to int) []page.Request {
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
// destinations, and makes units of their chunks. Copies of a page run while the
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
		lists [keys][]chunk
		parts []work     // one for each page
		held  *page.Page // the last one
	)
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
	for p, err := range e.pages.Stream(ctx, requests(e.pages.Spans(), 0, e.plan.resident)) {
		if err != nil {
			return err
		}
		before := held
		held = p
		l := e.every[len(parts)%len(e.every)]
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
			err = e.every[(len(parts)-2)%len(e.every)].copied.Sync()
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
	err := l.send(e.device)
	if err == nil {
		err = l.expand()
	}
	*arena = l.room
	return err
}

// list copies the chunks to the device once more, in lists that units share,
// and cuts them into units.
func (e *Engine[V, A]) list(lists [keys][]chunk, parts []work) error {
	var at [keys]Pointer
	total := 0
	e.pieces = parts
	for k, list := range lists {
		if len(list) == 0 {
			continue
		}
		total += len(list)
		var err error
		if at[k], err = e.take256(int64(len(list)) * int64(unsafe.Sizeof(chunk{}))); err != nil {
			return err
		}
		if err := e.staging.toDevice(e.main, at[k], bytesOfSlice(list)); err != nil {
			return err
		}
	}
	enough := unitChunks
	if e.opt.Async {
		enough = min(enough, max(leastChunks, total/asyncUnits))
	}
	for i, n := 0, 0; i < len(parts); i++ {
		if i == 0 || n >= enough {
			e.units = append(e.units, work{page: -1, chunks: at, from: parts[i].from})
			n = 0
		}
		u := &e.units[len(e.units)-1]
		u.to = parts[i].to
		u.edges += parts[i].edges
		for k, count := range parts[i].counts {
			u.counts[k] += count
			u.shared[k] = max(u.shared[k], parts[i].shared[k])
			at[k] += Pointer(count) * Pointer(unsafe.Sizeof(chunk{}))
			n += count
		}
	}
	return e.main.Sync()
}

// sync waits for all lanes.
func (e *Engine[V, A]) sync() error {
	for _, l := range e.every {
		if err := l.stream.Sync(); err != nil {
			return err
		}
	}
	return nil
}

// quiet waits for all lanes after an error, which is known.
func (e *Engine[V, A]) quiet() {
	for _, l := range e.every {
		_ = l.stream.Sync()
	}
}
