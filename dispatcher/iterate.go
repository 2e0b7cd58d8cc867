package dispatcher

import (
	"context"
	"errors"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"golang.org/x/sync/errgroup"

	"github.com/garaph/garaph/cpuengine"
	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/page"
)

// activeSet is the active set as a roaring bitmap, which aliases the bits: it
// is valid until the end of the iteration.
func (j *Job[V, A]) activeSet() *roaring.Bitmap {
	return roaring.FromDense(j.arrays.Active, false)
}

// iterate does one iteration: it chooses who does it and how, and measures.
func (j *Job[V, A]) iterate(ctx context.Context) error {
	start, read := time.Now(), j.pages.BytesRead()
	o := j.observe()
	d := j.policy.decide(o)
	it := Iteration{
		Iteration: o.Iteration, Active: j.activated, Fraction: o.Fraction,
		Method: d.Method, Device: d.Device, Alpha: d.Alpha, SourceOrder: d.SourceOrder,
	}
	m := policy.Measurement{Observation: o, Decision: d}
	var err error
	if it.Device != GPU {
		err = j.fetch()
	}
	if err == nil && it.Device != CPU {
		err = j.upload()
	}
	if err != nil {
		j.lose(err)
		return nil
	}
	if !j.behind {
		j.safe, j.safeCounts = j.position, j.policy.Counts
	}
	j.ordering = false
	if it.Device == CPU {
		err = j.onCPU(ctx, &it, &m)
	} else {
		err = j.onGPU(ctx, &it, &m)
	}
	if errors.Is(err, errAgain) {
		return nil
	}
	if err != nil {
		return err
	}
	m.Seconds = time.Since(start).Seconds()
	j.policy.learn(m)
	if err := j.maintain(time.Since(start)); err != nil {
		j.lose(err)
		return nil
	}
	it.BytesRead = j.pages.BytesRead() - read
	it.Duration = time.Since(start)
	it.Seconds = it.Duration.Seconds()
	j.record(it)
	j.iterated()
	return nil
}

// onCPU does an iteration on the CPU: notify, process the pages, commit.
func (j *Job[V, A]) onCPU(ctx context.Context, it *Iteration, m *policy.Measurement) error {
	start, read := time.Now(), j.pages.BytesRead()
	w := cpuengine.Work{Step: j.step, Marked: it.Method == NotifyPull, SourceOrder: it.SourceOrder, MakeOrder: true, Aggregates: j.aggregates}
	if w.Marked {
		s, err := j.notify(ctx, j.activeSet())
		if err != nil {
			return err
		}
		it.Edges += s.Edges
	}
	requests, err := j.requests(w.Marked)
	if err == nil && j.unsummed {
		err = j.resum()
	}
	if err != nil {
		return err
	}
	done, err := j.pull(ctx, requests, w, it, j.opt.PageDone)
	if err != nil {
		return err
	}
	if j.opt.Mode == Sync {
		if err := j.commit(requests, w.Marked); err != nil {
			return err
		}
	}
	j.arrays.Advance()
	if w.Marked {
		clear(j.arrays.Marks)
	}
	var shards []int
	for _, rq := range requests {
		shards = append(shards, shardsIn(rq, j.pages.Spans())...)
	}
	for _, i := range shards {
		j.gpuStale[i] = true
	}
	j.activated, j.degrees = done.Activated, done.Degrees
	j.previous = j.step.Aggregate
	j.step = gas.Step{Iteration: j.step.Iteration + 1, Aggregate: j.aggregate()}
	it.Edges += done.Edges
	it.Vertices = done.Vertices
	took := time.Since(start).Seconds()
	if w.Marked {
		m.Notify = took
		return nil
	}
	m.Looked = done.Edges + done.Vertices
	if !j.ordering && (!j.pages.InMemory() || j.pages.BytesRead() == read) { // not while pages are loaded for good
		m.Scan = policy.Scanned{Seconds: took, Edges: j.edgesOf(shards), Looked: float64(m.Looked)}
	}
	return nil
}

// processed is a page that the CPU has done.
type processed struct {
	PageWork
	shards []int
	work   cpuengine.Work
	stats  cpuengine.Stats
}

// onPages has the CPU process the pages that next gives, until it gives nil. It calls
// done for each and releases it. In async mode there is one at a time, since its values
// are published before the next.
func (j *Job[V, A]) onPages(ctx context.Context, spare int, next cpuengine.Next, done func(processed) error) error {
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
		j.keep(j.arrays.Next, shardsOf(p))
		j.ordering = j.ordering || w.SourceOrder && w.MakeOrder && !w.Marked && j.pages.Unordered(page.Request{Page: p.Index, Shards: shardsOf(p)})
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
		err := done(processed{
			PageWork: PageWork{
				Device: CPU, From: shards[0], To: shards[len(shards)-1] + 1, Edges: s.Edges,
				Start: b.at.Sub(j.began).Seconds(), End: time.Since(j.began).Seconds(),
				Compute: busy.Seconds() / float64(j.cpu.Goroutines(spare)),
			},
			shards: shards, work: b.work, stats: s,
		})
		if err == nil && j.opt.Mode == Async {
			err = j.publish(shards, b.work.Marked)
		}
		return err
	}
	if j.opt.Mode == Sync {
		return j.cpu.Stream(ctx, spare, begin, end)
	}
	for last := false; !last; {
		given := false
		err := j.cpu.Stream(ctx, spare, func(ctx context.Context) (*page.Page, cpuengine.Work, error) {
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

// pull processes pages on the CPU.
func (j *Job[V, A]) pull(ctx context.Context, requests []page.Request, w cpuengine.Work, it *Iteration, told func(PageWork)) (total cpuengine.Stats, err error) {
	pages := j.pages.Read(ctx, requests)
	defer pages.Close()
	err = j.onPages(ctx, 0, func(ctx context.Context) (*page.Page, cpuengine.Work, error) {
		p, err := pages.Next(ctx)
		return p, w, err
	}, func(p processed) error {
		total.Add(p.stats)
		it.Pages++
		if told != nil {
			p.Iteration = it.Iteration
			told(p.PageWork)
		}
		return nil
	})
	return total, err
}

func (j *Job[V, A]) record(it Iteration) {
	if it.Devices == nil {
		it.Devices = map[Device]DeviceWork{it.Device: {it.Pages, it.Edges, it.Seconds}}
	}
	j.report.Iterations = append(j.report.Iterations, it)
	j.report.Edges += it.Edges
	j.report.Duration += it.Duration
	if j.report.Devices == nil {
		j.report.Devices = map[Device]DeviceWork{}
	}
	for d, did := range it.Devices {
		sum := j.report.Devices[d]
		j.report.Devices[d] = DeviceWork{sum.Pages + did.Pages, sum.Edges + did.Edges, sum.Seconds + did.Seconds}
	}
	if j.opt.Progress != nil {
		j.opt.Progress(it)
	}
}

// notify marks who has to gather: the neighbours of active vertices, and these
// themselves unless the program is [gas.Idempotent]. Vertices that begin active
// were never applied, so that the first iteration marks them in any case.
func (j *Job[V, A]) notify(ctx context.Context, active *roaring.Bitmap) (cpuengine.Stats, error) {
	if j.restless || j.step.Iteration == 0 {
		copy(j.arrays.Marks, j.arrays.Active)
	}
	pieces := j.cpu.Pieces(active, j.firsts, j.pages.InMemory())
	var total cpuengine.Stats
	for _, dir := range j.notifySides {
		s, err := j.cpu.Notify(ctx, pieces, dir, j.pages)
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
		list = j.withWork(marked)
		return nil
	})
	return list, err
}

func (j *Job[V, A]) withWork(marked bool) []page.Request {
	var list []page.Request
	for p, span := range j.pages.Spans() {
		some := make([]int, 0, span.To-span.From)
		for i := span.From; i < span.To; i++ {
			if marked && j.arrays.Marks.Any(j.interval(i)) || !marked && !j.settled(i) {
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
	return list
}

func (j *Job[V, A]) interval(i int) (from, to uint32) {
	return j.cat.Shards[i].First, j.cat.Shards[i].First + uint32(j.cat.Shards[i].Vertices)
}

// settled reports whether every vertex of shard i is. What is settled stays so:
// the search goes on where it ended.
func (j *Job[V, A]) settled(i int) bool {
	if j.settleable == nil || j.hostStale[i] { // a value of before says nothing about this step
		return false
	}
	_, to := j.interval(i)
	v := j.unsettled[i]
	for v < to && j.settleable.Settled(j.arrays.Cur[v], j.step) {
		v++
	}
	j.unsettled[i] = v
	return v == to
}

// shardsOf lists the shards of a page.
func shardsOf(p *page.Page) []int {
	shards := make([]int, len(p.Shards))
	for k := range p.Shards {
		shards[k] = p.Shards[k].Index
	}
	return shards
}

// publish makes a page's new values visible to the pages after it.
func (j *Job[V, A]) publish(shards []int, marked bool) error {
	j.keep(j.arrays.Cur, shards)
	if err := j.parallel(shards, marked); err != nil {
		return err
	}
	j.published()
	return nil
}

// commit makes the new values of an iteration current. After a pull over all
// shards the arrays change places; otherwise what was processed is copied.
func (j *Job[V, A]) commit(requests []page.Request, marked bool) error {
	spans := j.pages.Spans()
	whole := !marked && len(requests) == len(spans)
	var shards []int
	for _, rq := range requests {
		whole = whole && rq.Shards == nil
		shards = append(shards, rq.Shards...)
		for i := spans[rq.Page].From; rq.Shards == nil && i < spans[rq.Page].To; i++ {
			shards = append(shards, i)
		}
	}
	if whole {
		j.arrays.Swap()
		return nil
	}
	j.keep(j.arrays.Cur, shards)
	return j.parallel(shards, marked)
}

// parallel publishes shards on all goroutines, when there are enough of them to
// be worth it.
func (j *Job[V, A]) parallel(shards []int, marked bool) error {
	const few = 8
	if len(shards) <= few {
		for _, i := range shards {
			from, to := j.interval(i)
			j.arrays.Publish(from, to, marked)
		}
		return nil
	}
	var g errgroup.Group
	var next atomic.Int64
	for range min(j.opt.Threads, bits.Len(uint(len(shards)))) {
		g.Go(func() error {
			for k := next.Add(1) - 1; k < int64(len(shards)); k = next.Add(1) - 1 {
				from, to := j.interval(shards[k])
				j.arrays.Publish(from, to, marked)
			}
			return nil
		})
	}
	return g.Wait()
}

// aggregate is the global aggregate, summed in the order of the shards.
func (j *Job[V, A]) aggregate() float64 {
	var sum float64
	for _, a := range j.aggregates {
		sum += a
	}
	return sum
}
