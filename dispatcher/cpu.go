package dispatcher

import (
	"context"
	"sync"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/garaph/garaph/cpuengine"
	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/frontier"
	"github.com/garaph/garaph/page"
)

// cpuWorker is the CPU.
type cpuWorker[V, A any] struct {
	plan     *plan[V, A]
	state    *state[V, A]
	recorder *recorder[V, A]
	gpus     *gpus[V, A] // to which it sends values
	engine   *cpuengine.Engine[V, A]
	advancer *cpuengine.Advancer[V, A] // nil until rows are loaded
	acquired []*page.SharedRows
}

// work does an iteration on the CPU alone: notify, then process the pages.
func (c *cpuWorker[V, A]) work(ctx context.Context, x *iteration) error {
	start, read := time.Now(), c.plan.pages.BytesRead()
	w := cpuengine.Work{Step: c.state.now.step, Marked: x.report.Method == NotifyPull, News: c.plan.can.monotone,
		Aggregates: c.state.aggregates}
	if w.Marked {
		s, err := c.notify(ctx)
		if err != nil {
			return err
		}
		x.report.Edges += s.Edges
	}
	var err error
	if x.requests, err = c.state.requests(w.Marked); err == nil && c.state.now.unsummed {
		err = c.state.resum()
	}
	if err != nil {
		return err
	}
	c.plan.opt.Trace.Queue(len(c.plan.pages.ShardsOf(x.requests...)))
	err = c.pull(ctx, x.requests, 0, w, func(p PageWork, _ []int, s cpuengine.Stats) {
		x.cpu.stats.Add(s)
		x.report.Pages++
		c.recorder.pageDone(x, p)
	})
	if err != nil {
		return err
	}
	x.measured.Looked = x.report.Edges + x.cpu.stats.Edges + x.cpu.stats.Vertices
	if w.Marked {
		x.measured.Notify = time.Since(start).Seconds()
		x.measured.Shards = uint64(len(c.plan.pages.ShardsOf(x.requests...)))
		return nil
	}
	if !c.plan.pages.InMemory() || c.plan.pages.BytesRead() == read { // not while pages are loaded for good
		x.measured.Scan = policy.Scanned{
			Seconds: time.Since(start).Seconds(), Looked: float64(x.measured.Looked),
			Edges: float64(c.plan.shape.edgesOf(c.plan.pages.ShardsOf(x.requests...))),
		}
	}
	return nil
}

// spared is the number of goroutines of the CPU that leave their processors to those that keep the GPUs busy:
// with all at work on pages, copies to the GPU stood still for as long as a page took.
const spared = 2

// workBeside does the CPU's part of an iteration with GPUs.
func (c *cpuWorker[V, A]) workBeside(ctx context.Context, x *iteration) error {
	w, spare := cpuengine.Work{Step: x.step, Aggregates: c.state.aggregates}, min(spared, c.plan.opt.Threads/4)
	return c.pull(ctx, x.cpu.requests, spare, w, func(p PageWork, shards []int, s cpuengine.Stats) {
		x.cpu.scan.Edges += float64(c.plan.shape.edgesOf(shards))
		x.cpu.pages = append(x.cpu.pages, p)
		x.cpu.stats.Add(s)
		c.gpus.send(shards)
	})
}

// pull processes pages, and calls done for each with its shards. In async mode there is one at a time, since its
// values are published before the next.
func (c *cpuWorker[V, A]) pull(ctx context.Context, requests []page.Request, spare int, w cpuengine.Work,
	done func(PageWork, []int, cpuengine.Stats)) error {
	pages := c.plan.pages.Read(ctx, requests)
	defer pages.Close()
	var mu sync.Mutex                 // guards all
	all := map[*page.Page]time.Time{} // pages in work, and when they were begun
	defer func() {                    // after an error
		for p := range all {
			p.Release()
		}
	}()
	given, last := false, false
	begin := func(ctx context.Context) (*page.Page, cpuengine.Work, error) {
		if given && c.plan.opt.Mode == Async {
			return nil, w, nil
		}
		p, err := pages.Next(ctx)
		given, last = true, p == nil
		if last {
			return nil, w, err
		}
		c.state.keep(c.state.arrays.Next, p.List())
		mu.Lock()
		defer mu.Unlock()
		all[p] = time.Now()
		return p, w, nil
	}
	end := func(p *page.Page, s cpuengine.Stats, busy time.Duration) error {
		mu.Lock()
		begun := all[p]
		delete(all, p)
		mu.Unlock()
		shards := p.List()
		p.Release()
		done(PageWork{
			Device: CPU, From: shards[0], To: shards[len(shards)-1] + 1, Edges: s.Edges,
			Start: begun.Sub(c.plan.began).Seconds(), End: time.Since(c.plan.began).Seconds(),
			Compute: busy.Seconds() / float64(c.engine.Goroutines(spare)),
		}, shards, s)
		if c.plan.opt.Mode == Async {
			c.state.publish(shards, w.Marked)
			c.recorder.epochs.published()
		}
		return nil
	}
	for !last {
		given = false
		if err := c.engine.Stream(ctx, spare, begin, end); err != nil {
			return err
		}
	}
	return nil
}

// notify marks who has to gather: the neighbours of active vertices, and these
// themselves unless the program is [gas.Idempotent]. Vertices that begin active
// were never applied, so that the first iteration marks them in any case.
func (c *cpuWorker[V, A]) notify(ctx context.Context) (cpuengine.Stats, error) {
	if c.plan.can.restless || c.state.now.step.Iteration == 0 {
		copy(c.state.arrays.Marks, c.state.arrays.Active)
	}
	active := roaring.FromDense(c.state.arrays.Active, false) // aliases the bits
	var total cpuengine.Stats
	for _, dir := range c.plan.shape.notifySides {
		tasks := c.engine.Tasks(active, c.plan.shape.firsts, c.plan.pages.InMemory())
		s, err := c.engine.Notify(ctx, tasks, dir, c.plan.pages)
		if err != nil {
			return total, err
		}
		total.Add(s)
	}
	return total, nil
}

// measureCPU times a pull over a page.
func (c *cpuWorker[V, A]) measureCPU(ctx context.Context, v *policy.Speeds) error {
	scan, err := c.timePage(ctx)
	v.Page, v.CPU = scan.Rates()
	if v.Page == 0 || v.CPU == 0 { // a page without edges
		v.Page, v.CPU = 1e-9, 1e-9
	}
	return err
}

// timePage times a pull over the page in the middle. Nothing is published.
func (c *cpuWorker[V, A]) timePage(ctx context.Context) (scan policy.Scanned, err error) {
	for p, err := range c.plan.pages.Stream(ctx, []page.Request{{Page: len(c.plan.pages.Spans()) / 2}}) {
		if err != nil {
			return scan, err
		}
		shards := p.List()
		start := time.Now()
		c.state.keep(c.state.arrays.Next, shards)
		s, err := c.engine.Process(p, cpuengine.Work{Step: c.state.now.step})
		scan = policy.Scanned{Seconds: time.Since(start).Seconds(), Edges: float64(c.plan.shape.edgesOf(shards)),
			Looked: float64(s.Edges + s.Vertices)}
		p.Release()
		clear(c.state.arrays.Rising)
		if err != nil {
			return scan, err
		}
	}
	return scan, nil
}

// lookAtCPU measures the CPU while the GPU works alone, by a page that is in
// memory. What goes wrong with it does so again where it matters.
func (c *cpuWorker[V, A]) lookAtCPU() {
	if !c.plan.pages.Stays(len(c.plan.pages.Spans()) / 2) {
		return
	}
	if scan, err := c.timePage(context.Background()); err == nil {
		c.state.policy.learn(policy.Measurement{Scan: scan})
	}
}

// slice is how long the engine goes on by itself at least, before the job looks at what
// else is due: reports, progress, checkpoints.
const slice = time.Millisecond

// orderedSlice is the same where buckets are filled and emptied at both ends.
const orderedSlice = 200 * time.Millisecond

// loadRows brings the rows into memory, unless they are there, and returns how many bytes it read.
func (c *cpuWorker[V, A]) loadRows(ctx context.Context) (read int64, err error) {
	f := &c.plan.front
	switch {
	case c.advancer != nil:
		return 0, nil
	case f.stored != nil:
		c.advancer = cpuengine.NewStoredAdvancer(c.engine, f.stored, c.plan.opt.Iterations > 0)
		return 0, nil
	case f.held != nil:
		out, in := f.held[0], f.held[len(f.held)-1]
		if f.pushes() {
			in = nil
		}
		c.advancer, err = cpuengine.NewHeldAdvancer(c.engine, out, in, c.plan.shape.notifyEdges)
		if err == nil && in == nil && c.plan.opt.Method == Auto {
			c.advancer.Most = uint64(policy.PushShare * float64(c.plan.shape.notifyEdges))
		}
		return 0, err
	}
	var rows []*frontier.Rows
	for _, x := range f.plain {
		r, n, err := x.Acquire(ctx, c.plan.opt.Threads)
		if err != nil {
			return 0, err
		}
		c.acquired, rows, read = append(c.acquired, x), append(rows, r), read+n
	}
	out, in := rows[0], rows[len(rows)-1]
	if !f.seeks {
		in = nil
	}
	c.advancer, err = cpuengine.NewAdvancer(c.engine, out, in)
	return read, err
}

// advance does iterations from frontier to frontier, at most limit. New values replace old ones in
// place.
func (c *cpuWorker[V, A]) advance(ctx context.Context, x *iteration, limit int) error {
	read, err := c.loadRows(ctx)
	if err != nil {
		return err
	}
	s, f := c.state, &c.plan.front
	s.keep(s.arrays.Cur, c.plan.shape.allShards())
	s.keep(s.arrays.Next, c.plan.shape.allShards())
	from := cpuengine.Stats{Activated: s.now.activated, Degrees: s.now.degrees}
	next, until := c.advancer.Advance, slice
	if f.ordered {
		next, until = c.advancer.AdvanceOrdered, orderedSlice
	}
	heldBefore, storedBefore, neededBefore := f.counts()
	done, err := next(ctx, s.now.step, from, limit, time.Now().Add(until))
	held, stored, needed := f.counts()
	x.report.Traffic.RowsRead, x.report.Traffic.RowsNeeded = stored-storedBefore, needed-neededBefore
	read += x.report.Traffic.RowsRead + held - heldBefore
	x.report.Levels, x.report.Edges, x.report.Vertices, x.loaded = done.Levels, done.Edges, done.Vertices, read
	s.advanced(done.Levels, done.Activated, done.Degrees)
	if f.held != nil {
		f.held[0].Searched().Add(done.Edges)
	}
	return err
}

// freeRows frees the advancer and its rows. Jobs without a limit of memory leave plain ones to later jobs.
func (c *cpuWorker[V, A]) freeRows() {
	for _, x := range c.acquired {
		x.Release(c.plan.opt.Memory == 0)
	}
	c.acquired = nil
	if c.advancer != nil {
		c.advancer.Free()
		c.advancer = nil
	}
}
