package gpuengine

import (
	"context"
	"fmt"

	"github.com/garaph/garaph/gpuengine/device"
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

// residency describes the edges that stay on the device: before they are loaded, those that will.
type residency struct {
	loaded   bool
	requests []page.Request
	first    int    // shard
	shards   []work // from the first one on
	chunks   []int  // of the shards
	enough   int    // for one launch
	joined   map[page.Span]work
}

// newResidency returns the residency that requests will load.
func newResidency(p *plan, requests []page.Request) residency {
	r := residency{requests: requests, loaded: len(requests) == 0, first: p.kept.From}
	for i := p.kept.From; i < p.kept.To; i++ {
		w := work{extent: extent{page: -1, from: i, to: i + 1}}
		for _, dir := range p.sides {
			w.edges += uint64(p.cat.SideEdges(dir, i))
		}
		r.shards = append(r.shards, w)
	}
	return r
}

// loader copies the edges that stay to the device. Copies of a page run while the next
// one is read.
type loader struct {
	resources *resources
	arrays    *arrays
	lanes     *lanes
	pack      packer
	checks    checks
	arena     room
	lists     [keys][]byte // of chunks
	shards    []work
	pages     int        // that were copied
	held      *page.Page // the last one
}

// load copies the pages to the device, expands their destinations and checks packed sides.
func (d *loader) load(ctx context.Context, pages Pages, requests []page.Request) (r residency, err error) {
	if n := d.arrays.plan.kept.arena; n > 0 { // not all shards are empty
		d.arena.high = n
		if d.arena.base, err = d.resources.alloc(n); err != nil {
			return r, err
		}
	}
	d.pack.checks = &d.checks
	if err := d.checks.open(d.resources, d.arrays); err != nil {
		return r, err
	}
	for p, err := range pages.Once(ctx, requests, hostCheck) {
		if err == nil {
			err = d.next(p)
		}
		if err != nil {
			return r, d.stop(err)
		}
	}
	if err := d.lanes.sync(); err != nil {
		return r, d.stop(err)
	}
	d.release(nil)
	if err := d.checks.verdict(d.arrays, pages); err != nil {
		return r, err
	}
	return d.list()
}

// stop releases the page that is held, once no copy runs from it.
func (d *loader) stop(err error) error {
	d.lanes.quiet()
	d.release(nil)
	return err
}

// next copies a page, and releases the one before it once its copies are done.
func (d *loader) next(p *page.Page) error {
	all := d.lanes.all()
	l := all[d.pages%len(all)]
	if err := d.place(l, p); err != nil {
		d.lanes.quiet()
		p.Release()
		return fmt.Errorf("page %d: %w", p.Index, err)
	}
	for k := range d.lists {
		d.lists[k] = append(d.lists[k], l.batch.lists[k]...)
	}
	d.pages++
	if d.held == nil {
		d.held = p
		return nil
	}
	err := all[(d.pages-2)%len(all)].events.copied.Sync()
	if err != nil {
		d.lanes.quiet()
	}
	d.release(p)
	return err
}

// release releases the page that is held, and holds the next one.
func (d *loader) release(next *page.Page) {
	if d.held != nil {
		d.held.Release()
	}
	d.held = next
}

// place copies a page into the arena.
func (d *loader) place(l *lane, p *page.Page) error {
	if err := l.stream.Sync(); err != nil { // its descriptors are in use until then
		return err
	}
	l.batch.reset(p.Index, p.Shards[0].Index)
	l.room = d.arena
	for i := range p.Shards {
		d.shards = append(d.shards, work{extent: d.pack.alone(&l.batch, &l.room, &p.Shards[i])})
	}
	err := l.send(d.resources, d.lanes.copies)
	if err == nil {
		err = d.arrays.expand(l, l.work.rows())
	}
	if err == nil {
		err = d.checks.launch(d.arrays.kernels.Check, l.stream)
	}
	d.arena = l.room
	return err
}

// list copies the chunks to the device once more, in lists in which those of
// consecutive shards follow each other, so that one launch can do several.
func (d *loader) list() (r residency, err error) {
	var at [keys]device.Pointer
	total := 0
	for k, list := range d.lists {
		if len(list) == 0 {
			continue
		}
		total += int(int64(len(list)) / listBytes(k))
		if at[k], err = d.resources.alloc(int64(len(list))); err != nil {
			return r, err
		}
		if err := d.arrays.staging.toDevice(d.arrays.main, at[k], list); err != nil {
			return r, err
		}
	}
	r.enough = unitChunks
	if d.arrays.plan.async {
		r.enough = min(r.enough, max(leastChunks, total/asyncUnits))
	}
	for i := range d.shards {
		d.shards[i].lists = at
		for k, count := range d.shards[i].counts {
			at[k] += device.Pointer(int64(count) * listBytes(k))
		}
	}
	r.shards, r.joined = d.shards, map[page.Span]work{}
	for i := range d.shards {
		r.chunks = append(r.chunks, d.shards[i].chunks())
	}
	return r, d.arrays.main.Sync()
}

// next returns the end of the shards, from number i on, that make one launch that keeps the device busy.
func (r *residency) next(i int) int {
	for n := 0; i < r.first+len(r.chunks) && n < r.enough; i++ {
		n += r.chunks[i-r.first]
	}
	return i
}

// join returns the work of the shards [from, to). Most launches are those of the iteration before, and the shards are
// not in the cache by then.
func (r *residency) join(from, to int) work {
	const most = 64
	w, ok := r.joined[page.Span{From: from, To: to}]
	if !ok {
		if len(r.joined) >= most {
			clear(r.joined)
		}
		w = r.sum(from, to)
		r.joined[page.Span{From: from, To: to}] = w
	}
	return w
}

func (r *residency) sum(from, to int) work {
	w := r.shards[from-r.first]
	w.to = to
	for i := from + 1; i < to; i++ {
		p := &r.shards[i-r.first]
		w.edges += p.edges
		w.replicas += p.replicas
		for k, count := range p.counts {
			w.counts[k] += count
			w.shared[k] = max(w.shared[k], p.shared[k])
		}
	}
	return w
}
