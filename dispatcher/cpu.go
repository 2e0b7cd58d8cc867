package dispatcher

import (
	"context"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/garaph/garaph/cpuengine"
	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/page"
)

// cpuWorker is the CPU.
type cpuWorker[V, A any] struct {
	Job    *Job[V, A]
	engine *cpuengine.Engine[V, A]
	ranks  []int // of pages: beside GPUs it begins with the last one
}

// onCPU does an iteration on the CPU: notify, then process the pages.
func (j *Job[V, A]) onCPU(ctx context.Context, x *iteration) error {
	start, read := time.Now(), j.pages.BytesRead()
	w := cpuengine.Work{Step: j.standing.position.step, Marked: x.Method == NotifyPull, News: j.abilities.monotone, Aggregates: j.abilities.aggregates}
	if w.Marked {
		s, err := j.notify(ctx, j.activeSet())
		if err != nil {
			return err
		}
		x.Edges += s.Edges
	}
	var err error
	if x.requests, err = j.requests(w.Marked); err == nil && j.standing.position.unsummed {
		err = j.resum()
	}
	if err != nil {
		return err
	}
	err = j.workers.cpu.pull(ctx, x.requests, w, func(p processed) {
		x.byHost.Add(p.stats)
		x.Pages++
		j.pageDone(x, p.PageWork)
	})
	if err != nil {
		return err
	}
	x.measured.Looked = x.Edges + x.byHost.Edges + x.byHost.Vertices
	if w.Marked {
		x.measured.Notify = time.Since(start).Seconds()
		x.measured.Shards = uint64(len(shardsOfAll(x.requests, j.pages.Spans())))
		return nil
	}
	if !j.pages.InMemory() || j.pages.BytesRead() == read { // not while pages are loaded for good
		x.measured.Scan = policy.Scanned{
			Seconds: time.Since(start).Seconds(), Looked: float64(x.measured.Looked),
			Edges: float64(j.shape.edgesOf(shardsOfAll(x.requests, j.pages.Spans()))),
		}
	}
	return nil
}

// activeSet is the active set as a roaring bitmap, which aliases the bits: it
// is valid until the end of the iteration.
func (j *Job[V, A]) activeSet() *roaring.Bitmap {
	return roaring.FromDense(j.arrays.Active, false)
}

// spared is how many goroutines of the CPU leave their processors to those that keep the
// GPUs busy: with all at work on pages, copies to the GPU stood still for as long as a
// page took.
const spared = 2

func (c *cpuWorker[V, A]) spare() int { return min(spared, c.Job.opt.Threads/4) }

// work does the CPU's part of an iteration with GPUs: it acquires shards from the hand-out until there is
// nothing left for it.
func (c *cpuWorker[V, A]) work(ctx context.Context, x *iteration) error {
	w := cpuengine.Work{Step: x.step, Aggregates: c.Job.abilities.aggregates}
	c.Job.standing.position.unsummed = true
	return c.onPages(ctx, c.spare(), func(ctx context.Context) (*page.Page, cpuengine.Work, error) {
		for {
			task, err := x.handout.forHost(ctx)
			c.relay(x, task.arrived)
			if err != nil || len(task.arrived) == 0 {
				return task.page, w, err
			}
		}
	}, func(p processed) {
		x.scan.Seconds += p.Compute
		x.scan.Edges += float64(c.Job.shape.edgesOf(p.shards))
		x.scan.Looked += float64(p.stats.Edges + p.stats.Vertices)
		x.times = append(x.times, p.PageWork)
		x.byHost.Add(p.stats)
		c.Job.workers.values.send(host, p.shards)
	})
}

// relay passes on what GPUs have brought: for the other GPUs, and in async mode for the
// pages that come.
func (c *cpuWorker[V, A]) relay(x *iteration, shards []int) {
	for _, i := range shards {
		if len(c.Job.workers.gpus) > 1 {
			c.Job.workers.values.send(x.handout.shards[i].by, []int{i})
		}
	}
	if c.Job.opt.Mode == Async && len(shards) > 0 {
		c.Job.publish(shards, false)
	}
}

// processed is a page that the CPU has done.
type processed struct {
	PageWork
	shards []int
	stats  cpuengine.Stats
}

// onPages has the CPU process the pages that next gives, until it gives nil. It calls
// done for each and releases it. In async mode there is one at a time, since its values
// are published before the next.
func (c *cpuWorker[V, A]) onPages(ctx context.Context, spare int, next cpuengine.Next, done func(processed)) error {
	type begun struct {
		work cpuengine.Work
		at   time.Time
	}
	var mu sync.Mutex // guards all
	all := map[*page.Page]begun{}
	defer func() { // after an error
		for p := range all {
			p.Release()
		}
	}()
	begin := func(ctx context.Context) (*page.Page, cpuengine.Work, error) {
		p, w, err := next(ctx)
		if err != nil || p == nil {
			return nil, w, err
		}
		c.Job.keep(c.Job.arrays.Next, shardsOf(p))
		mu.Lock()
		defer mu.Unlock()
		all[p] = begun{w, time.Now()}
		return p, w, nil
	}
	end := func(p *page.Page, s cpuengine.Stats, busy time.Duration) error {
		mu.Lock()
		b := all[p]
		delete(all, p)
		mu.Unlock()
		shards := shardsOf(p)
		p.Release()
		done(processed{
			PageWork: PageWork{
				Device: CPU, From: shards[0], To: shards[len(shards)-1] + 1, Edges: s.Edges,
				Start: b.at.Sub(c.Job.began).Seconds(), End: time.Since(c.Job.began).Seconds(),
				Compute: busy.Seconds() / float64(c.engine.Goroutines(spare)),
			},
			shards: shards, stats: s,
		})
		if c.Job.opt.Mode == Async {
			c.Job.publish(shards, b.work.Marked)
		}
		return nil
	}
	if c.Job.opt.Mode == Sync {
		return c.engine.Stream(ctx, spare, begin, end)
	}
	return c.oneByOne(ctx, spare, begin, end)
}

// oneByOne has the CPU process pages so that each is done before the next is begun.
func (c *cpuWorker[V, A]) oneByOne(ctx context.Context, spare int, begin cpuengine.Next, end func(*page.Page, cpuengine.Stats, time.Duration) error) error {
	for last := false; !last; {
		given := false
		err := c.engine.Stream(ctx, spare, func(ctx context.Context) (*page.Page, cpuengine.Work, error) {
			if given {
				return nil, cpuengine.Work{}, nil
			}
			p, w, err := begin(ctx)
			given, last = true, p == nil
			return p, w, err
		}, end)
		if err != nil {
			return err
		}
	}
	return nil
}

// pull processes pages.
func (c *cpuWorker[V, A]) pull(ctx context.Context, requests []page.Request, w cpuengine.Work, done func(processed)) error {
	pages := c.Job.pages.Read(ctx, requests)
	defer pages.Close()
	return c.onPages(ctx, 0, func(ctx context.Context) (*page.Page, cpuengine.Work, error) {
		p, err := pages.Next(ctx)
		return p, w, err
	}, done)
}

// notify marks who has to gather: the neighbours of active vertices, and these
// themselves unless the program is [gas.Idempotent]. Vertices that begin active
// were never applied, so that the first iteration marks them in any case.
func (j *Job[V, A]) notify(ctx context.Context, active *roaring.Bitmap) (cpuengine.Stats, error) {
	if j.abilities.restless || j.standing.position.step.Iteration == 0 {
		copy(j.arrays.Marks, j.arrays.Active)
	}
	var total cpuengine.Stats
	for _, dir := range j.shape.notifySides {
		tasks := j.workers.cpu.engine.Tasks(active, j.shape.firsts, j.pages.InMemory())
		s, err := j.workers.cpu.engine.Notify(ctx, tasks, dir, j.pages)
		if err != nil {
			return total, err
		}
		total.Add(s)
	}
	return total, nil
}

// requests lists the pages with work: with marked vertices, or with unsettled
// ones. A panic of the program's Settled ends as an error.
func (j *Job[V, A]) requests(marked bool) (list []page.Request, err error) {
	err = panics.Guard(j.program, func() error {
		for p, span := range j.pages.Spans() {
			some := make([]int, 0, span.To-span.From)
			for i := span.From; i < span.To; i++ {
				if marked && j.arrays.Marks.Any(j.shape.interval(i)) || !marked && !j.settled(i) {
					some = append(some, i)
				}
			}
			switch len(some) {
			case 0:
			case span.To - span.From:
				list = append(list, page.Request{Page: p})
			default:
				list = append(list, page.Request{Page: p, Shards: some})
			}
		}
		return nil
	})
	return list, err
}

// shardsOf lists the shards of a page.
func shardsOf(p *page.Page) []int {
	shards := make([]int, len(p.Shards))
	for k := range p.Shards {
		shards[k] = p.Shards[k].Index
	}
	return shards
}

// shardsOfAll lists the shards of requests.
func shardsOfAll(requests []page.Request, spans []page.Span) (shards []int) {
	for _, rq := range requests {
		shards = append(shards, shardsIn(rq, spans)...)
	}
	return shards
}

// publish makes a page's new values visible to the pages after it.
func (j *Job[V, A]) publish(shards []int, marked bool) {
	j.keep(j.arrays.Cur, shards)
	j.copyNext(shards, marked)
	for _, i := range shards { // what comes in the iteration sees new values as well
		from, to := j.shape.interval(i)
		for w := from >> 6; j.abilities.monotone && w <= (to-1)>>6; w++ {
			j.arrays.Active[w] |= j.arrays.Rising[w]
		}
	}
	j.published()
}

// makeCurrent makes the new values of an iteration current on the host. After a pull
// over all shards the arrays change places; otherwise what was processed is copied.
func (j *Job[V, A]) makeCurrent(requests []page.Request, marked bool) {
	whole := !marked && len(requests) == len(j.pages.Spans())
	for _, rq := range requests {
		whole = whole && rq.Shards == nil
	}
	if whole {
		j.arrays.Swap()
		return
	}
	shards := shardsOfAll(requests, j.pages.Spans())
	j.keep(j.arrays.Cur, shards)
	j.copyNext(shards, marked)
}

// copyNext copies the new values of shards, on all goroutines when there are enough of
// them to be worth it.
func (j *Job[V, A]) copyNext(shards []int, marked bool) {
	const few = 8
	goroutines := 1
	if len(shards) > few {
		goroutines = min(j.opt.Threads, bits.Len(uint(len(shards))))
	}
	var next atomic.Int64
	var g sync.WaitGroup
	for range goroutines {
		g.Go(func() {
			for k := next.Add(1) - 1; k < int64(len(shards)); k = next.Add(1) - 1 {
				from, to := j.shape.interval(shards[k])
				j.arrays.Publish(from, to, marked)
			}
		})
	}
	g.Wait()
}

// recount counts the active vertices and their edges.
func (j *Job[V, A]) recount() {
	j.standing.position.activated, j.standing.position.degrees = 0, 0
	active := j.arrays.Active
	for v, ok := active.Next(0, j.shape.cat.Vertices); ok; v, ok = active.Next(v+1, j.shape.cat.Vertices) {
		j.standing.position.activated++
		j.standing.position.degrees += uint64(j.arrays.Degree[v])
	}
}
