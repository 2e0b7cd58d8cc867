package dispatcher

import (
	"cmp"
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/garaph/garaph/cpuengine"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/page"
)

// onGPUs has the GPUs work on an iteration, and the CPU beside them. The error is not
// one of a GPU, but where only that has what was done.
func (j *Job[V, A]) onGPUs(ctx context.Context, x *iteration) (err error) {
	if x.requests, err = j.forGPUs(ctx, x); err != nil {
		return err
	}
	x.at.loaded = j.pages.BytesRead()
	x.handout = newHandout(j.pages, x.requests, j.shape.edges, j.began, j.workers.pieces()...)
	j.share(x)
	if x.alone {
		j.workers.place.active = j.workers.gpus[0].number // also when it breaks off
	}
	err = j.together(ctx, x)
	x.handout.release()
	j.pagesDone(x)
	switch {
	case err != nil:
		return err
	case !j.workers.anyFailed() && x.handout.queue.unread == nil: // whatever has happened since
		return nil
	case ctx.Err() != nil:
		j.broken(x)
		return ctx.Err()
	case x.handout.queue.unread != nil:
		j.broken(x)
		return x.handout.queue.unread
	case x.alone:
		return failed(j.workers.gpus[0].number, j.workers.gpus[0].failed)
	default:
		return nil
	}
}

// share says who gets what of an iteration.
func (j *Job[V, A]) share(x *iteration) {
	if x.Device == Hybrid {
		x.handout.share(j.workers.cpu.ranks, j.policy.Speeds)
	}
	before := j.snapshotNow() // one that is taken in the iteration is not of Next
	x.handout.taken = func(shards []int) {
		for _, i := range shards {
			if from, to := j.shape.interval(i); before != nil && !x.alone {
				before.keep(j.arrays.Next, from, to)
			}
		}
	}
	for k, g := range j.workers.gpus {
		p := x.handout.parts[k]
		p.worker, p.enough = g.number, g.engine.Enough
		g.stats, g.failed, g.unsent, g.following, g.early = gpuengine.Stats{}, nil, nil, nil, false
		if len(j.workers.gpus) > 1 { // who gets a page first is chance
			continue
		}
		if x.Method == Pull {
			g.following = x.handout.first()
		}
		g.early = p.beginWith(g.engine.Early())
	}
}

// forGPUs lists the pages of an iteration with a part for GPUs.
func (j *Job[V, A]) forGPUs(ctx context.Context, x *iteration) ([]page.Request, error) {
	if j.abilities.aggregable != nil { // the aggregate is over all vertices
		return gpuengine.Requests(j.pages.Spans(), 0, len(j.shape.firsts)), nil
	}
	if x.Method == Pull {
		return j.requests(false)
	}
	if err := j.mark(ctx, x); err != nil {
		return nil, err
	}
	requests, err := j.requests(true)
	clear(j.arrays.Marks)
	return requests, err
}

// mark marks who has to gather, by the active set that the GPU has where that is
// newer.
func (j *Job[V, A]) mark(ctx context.Context, x *iteration) error {
	if a := j.arrays; j.workers.place.behind() {
		if err := j.workers.gpu(j.workers.place.active).engine.Active(); err != nil {
			return failed(j.workers.place.active, err)
		}
		a.Active, a.Rising = a.Rising, a.Active
		defer func() {
			a.Active, a.Rising = a.Rising, a.Active
			clear(a.Rising)
		}()
	}
	s, err := j.notify(ctx, j.activeSet())
	x.Edges += s.Edges
	return err
}

// together lets the workers work until everything is done. The error is the CPU's;
// those of GPUs are noted with them.
func (j *Job[V, A]) together(ctx context.Context, x *iteration) (err error) {
	reading, stop := context.WithCancel(ctx) // and what GPUs do
	defer stop()
	var g errgroup.Group
	if x.handout.queue.reading {
		g.Go(func() error {
			x.handout.read(reading)
			return nil
		})
	}
	for k, gpu := range j.workers.gpus {
		g.Go(func() error {
			err := gpu.work(reading, x)
			if x.handout.parts[k].end(err != nil) {
				stop() // nobody acquires what is read
			}
			return nil
		})
	}
	if !x.alone {
		if err = j.workers.cpu.work(ctx, x); err != nil {
			stop()
		}
	}
	_ = g.Wait() // the errors are with the GPUs
	for _, g := range j.workers.gpus {
		g.failed = cmp.Or(g.failed, g.unsent)
	}
	return err
}

// work does the GPU's part of an iteration.
func (g *gpuWorker[V, A]) work(ctx context.Context, x *iteration) error {
	i := slices.IndexFunc(x.handout.parts, func(p *part) bool { return p.worker == g.number })
	g.stats, g.failed = g.engine.Iterate(ctx, gpuengine.Work{
		Step: x.step, From: x.handout.parts[i], Exchange: !x.alone, Next: g.following, Last: x.ends, Early: g.early,
	})
	return g.failed
}

// anyFailed reports whether a GPU failed in the iteration.
func (w *workers[V, A]) anyFailed() bool {
	return slices.ContainsFunc(w.gpus, func(g *gpuWorker[V, A]) bool { return g.failed != nil })
}

// broken notes what an iteration of a GPU alone leaves that ends in its middle,
// so that the job can be saved: in async mode, some new values.
func (j *Job[V, A]) broken(x *iteration) {
	if !x.alone || j.opt.Mode == Sync {
		return
	}
	for i := range j.shape.firsts {
		j.workers.place.wrote(j.workers.gpus[0].number, i)
	}
}

// exchange ends the exchange of values of an iteration: what GPUs had that failed is done
// on the CPU, and the others make the new values current.
func (j *Job[V, A]) exchange(ctx context.Context, x *iteration) error {
	if x.Device == CPU {
		return nil
	}
	if j.workers.anyFailed() {
		if err := j.finishOnHost(ctx, x); err != nil {
			return err
		}
	}
	for k, g := range slices.Clone(j.workers.gpus) {
		g.failed = cmp.Or(g.failed, g.unsent)
		if g.failed == nil {
			exchanged, err := g.engine.Commit()
			x.BytesCopied += g.stats.Bytes + exchanged
			g.failed = err
		}
		if g.failed != nil {
			if x.alone {
				return failed(g.number, g.failed)
			}
			x.lost = true
			g.stats = j.statsOf(x, k)
			j.lose(g.number, g.failed)
		}
		x.addGPU(g.stats)
	}
	return nil
}

// statsOf is what a GPU did that has failed.
func (j *Job[V, A]) statsOf(x *iteration, k int) gpuengine.Stats {
	p := x.handout.parts[k]
	s := gpuengine.Stats{Pages: len(p.times)}
	for i, w := range x.handout.shards {
		if w.state == fromGPU && w.by == p.worker {
			s.Edges += j.shape.edges[i]
			s.Vertices += uint64(j.shape.cat.Shards[i].Vertices)
		}
	}
	return s
}

// finishOnHost does on the CPU what GPUs have not done that failed.
func (j *Job[V, A]) finishOnHost(ctx context.Context, x *iteration) error {
	var requests []page.Request
	for _, i := range x.handout.unfinished() {
		p := j.pages.PageOf(i)
		if n := len(requests); n == 0 || requests[n-1].Page != p {
			requests = append(requests, page.Request{Page: p})
		}
		last := &requests[len(requests)-1]
		last.Shards = append(last.Shards, i)
		x.handout.shards[i] = shardWork{state: onHost, by: host}
	}
	return j.workers.cpu.pull(ctx, requests, cpuengine.Work{Step: j.standing.position.step, Aggregates: j.abilities.aggregates}, func(p processed) {
		x.byHost.Add(p.stats)
		x.times = append(x.times, p.PageWork)
		j.workers.values.send(host, p.shards)
		j.pageDone(x, p.PageWork)
	})
}

// pagesDone reports the pages of an iteration of GPUs.
func (j *Job[V, A]) pagesDone(x *iteration) {
	all := slices.Clone(x.times)
	for _, p := range x.handout.parts {
		all = append(all, p.times...)
	}
	slices.SortFunc(all, func(a, b PageWork) int { return cmp.Compare(a.Start, b.Start) })
	for _, w := range all {
		j.pageDone(x, w)
	}
}

func (j *Job[V, A]) pageDone(x *iteration, w PageWork) {
	if j.opt.Trace.Page != nil {
		w.Iteration = x.Iteration.Iteration
		j.opt.Trace.Page(w)
	}
}

// account notes what each device did in an iteration of GPUs, and how fast it was.
func (j *Job[V, A]) account(x *iteration) {
	x.Devices = map[Device]DeviceWork{}
	worked, batches := 0.0, 0 // until all pages were done
	for _, p := range x.handout.parts {
		batches += len(p.times)
	}
	if batches > 0 {
		worked = x.handout.tally.last - x.handout.start
		x.Devices[GPU] = DeviceWork{Pages: batches, Edges: x.byGPUs.Edges, Seconds: worked}
	}
	if n := len(x.times); n > 0 {
		seconds := x.times[n-1].End - x.handout.start // they are noted in this order
		worked = max(worked, seconds)
		x.Devices[CPU] = DeviceWork{Pages: n, Edges: x.byHost.Edges, Seconds: seconds}
	}
	m := &x.measured
	m.GPUWorked = x.handout.tally.last - x.handout.start
	if loading := j.pages.InMemory() && j.pages.BytesRead() > x.at.loaded; x.lost || loading { // pages that stay
		return
	}
	m.Beside, m.Scan = time.Since(x.at.worked).Seconds()-worked, x.scan
	if x.handout.tally.did[streams] > 0 {
		m.Streamed.Seconds, m.Streamed.Amount = m.GPUWorked, float64(x.handout.tally.did[streams])
	} else {
		m.Resident.Seconds, m.Resident.Amount = m.GPUWorked, float64(x.handout.tally.did[stays])
	}
}
