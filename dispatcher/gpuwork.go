package dispatcher

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/garaph/garaph/dispatcher/handout"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/page"
)

// onGPUs processes an iteration on the GPUs and, beside them, on the CPU. The error is not
// one of a GPU, but where only that has what was done.
func (w *workers[V, A]) onGPUs(ctx context.Context, x *iteration) (err error) {
	if err = w.gpus.loadPages(ctx); err != nil {
		return err
	}
	x.gpus.began = time.Now()
	if x.requests, err = w.forGPUs(ctx, x); err != nil {
		return err
	}
	w.plan.opt.Trace.Queue(len(w.plan.pages.ShardsOf(x.requests...)))
	x.gpus.read = w.plan.pages.BytesRead()
	x.work = handout.New(w.plan.pages, x.requests, w.plan.shape.edges, w.plan.began, w.gpus.takePart()...)
	w.share(x)
	if x.alone {
		w.state.place.active = w.gpus.live[0].number // also when it breaks off
	}
	err = w.together(ctx, x)
	x.work.Release()
	w.pagesDone(x)
	switch {
	case err != nil:
		return err
	case !w.gpus.anyFailed() && x.work.Err == nil: // whatever has happened since
		return nil
	case ctx.Err() != nil, x.work.Err != nil:
		if x.alone && w.plan.opt.Mode == Async { // some new values are there, which can be saved
			w.state.place.wroteAll(w.gpus.live[0].number)
		}
		return cmp.Or(ctx.Err(), x.work.Err)
	case x.alone:
		return failed(w.gpus.live[0].number, w.gpus.live[0].failed)
	default:
		return nil
	}
}

// share says who gets what of an iteration.
func (w *workers[V, A]) share(x *iteration) {
	if x.report.Device == Hybrid {
		x.work.Share(w.cpu.ranks, w.state.policy.known.Speeds)
	}
	before := w.state.taken // one that is taken in the iteration is not of Next
	x.work.Taken = func(shards []int) {
		if !x.alone {
			w.state.keepFor(before, w.state.arrays.Next, shards)
		}
	}
	for k, g := range w.gpus.live {
		g.stats, g.failed, g.unsent, g.following, g.early = gpuengine.Stats{}, nil, nil, nil, false
		if len(w.gpus.live) > 1 { // who gets a page first is chance
			continue
		}
		if x.report.Method == Pull {
			g.following = x.work.First()
		}
		g.early = x.work.Parts[k].BeginWith(g.engine.Early())
	}
}

// forGPUs lists the pages of an iteration with a part for GPUs.
func (w *workers[V, A]) forGPUs(ctx context.Context, x *iteration) ([]page.Request, error) {
	if w.plan.can.aggregable != nil { // the aggregate is over all vertices
		return gpuengine.Requests(w.plan.pages.Spans(), 0, len(w.plan.shape.firsts)), nil
	}
	if x.report.Method == Pull {
		return w.state.requests(false)
	}
	if err := w.mark(ctx, x); err != nil {
		return nil, err
	}
	requests, err := w.state.requests(true)
	clear(w.state.arrays.Marks)
	return requests, err
}

// mark marks who has to gather, by the active set that the GPU has where that is newer.
func (w *workers[V, A]) mark(ctx context.Context, x *iteration) error {
	if a := w.state.arrays; w.state.place.behind() {
		if err := w.gpus.get(w.state.place.active).engine.Active(); err != nil {
			return failed(w.state.place.active, err)
		}
		a.Active, a.Rising = a.Rising, a.Active
		defer func() {
			a.Active, a.Rising = a.Rising, a.Active
			clear(a.Rising)
		}()
	}
	s, err := w.cpu.notify(ctx)
	x.report.Edges += s.Edges
	return err
}

// together lets the workers work until everything is done. The error is the CPU's;
// those of GPUs are noted with them.
func (w *workers[V, A]) together(ctx context.Context, x *iteration) (err error) {
	reading, stop := context.WithCancel(ctx) // and what GPUs do
	defer stop()
	var g sync.WaitGroup
	g.Go(func() { x.work.Read(reading) })
	for k, gpu := range w.gpus.live {
		g.Go(func() {
			part := x.work.Parts[k]
			gpu.work(reading, x, part)
			if part.End(gpu.failed != nil) {
				stop() // pages that are read have no consumer
			}
		})
	}
	if !x.alone {
		if err = w.cpu.workBeside(ctx, x); err != nil {
			stop()
		}
	}
	g.Wait()
	for _, g := range w.gpus.live {
		g.failed = cmp.Or(g.failed, g.unsent)
	}
	return err
}

// work does the GPU's part of an iteration.
func (g *gpuWorker[V, A]) work(ctx context.Context, x *iteration, part *handout.Part) {
	g.stats, g.failed = g.engine.Iterate(ctx, gpuengine.Work{
		Step: x.step, From: part, Exchange: !x.alone, Next: g.following, Last: x.last, Early: g.early,
	})
}

// exchange ends the exchange of values of an iteration: what GPUs had that failed is done
// on the CPU, and the others make the new values current.
func (w *workers[V, A]) exchange(ctx context.Context, x *iteration) error {
	if x.report.Device == CPU {
		return nil
	}
	if w.gpus.anyFailed() {
		if err := w.finishOnHost(ctx, x); err != nil {
			return err
		}
	}
	for k, g := range slices.Clone(w.gpus.live) {
		g.failed = cmp.Or(g.failed, g.unsent)
		if g.failed == nil {
			exchanged, err := g.engine.Commit()
			x.report.Traffic.BytesCopied += g.stats.Bytes + exchanged
			g.failed = err
		}
		if g.failed != nil {
			if x.alone {
				return failed(g.number, g.failed)
			}
			x.lost = true
			g.stats = w.statsOf(x, k)
			w.lose(g.number, g.failed)
		}
		x.addGPU(g.stats)
	}
	return nil
}

// pagesDone reports the pages of an iteration of GPUs.
func (w *workers[V, A]) pagesDone(x *iteration) {
	all := slices.Clone(x.cpu.pages)
	for _, p := range x.work.Parts {
		for _, b := range p.Batches {
			all = append(all, PageWork{
				Device: GPU, From: b.From, To: b.To, Edges: b.Edges, Bytes: b.Bytes,
				Start: b.Start, End: b.End, Copy: b.Copy, Compute: b.Compute, Copies: b.Copies,
			})
		}
	}
	slices.SortFunc(all, func(a, b PageWork) int { return cmp.Compare(a.Start, b.Start) })
	for _, p := range all {
		w.recorder.pageDone(x, p)
	}
}

// account notes what each device did in an iteration of GPUs, and how fast it was.
func (w *workers[V, A]) account(x *iteration) {
	x.report.Devices = map[Device]DeviceWork{}
	worked, batches := 0.0, 0 // until all pages were done
	for _, p := range x.work.Parts {
		batches += len(p.Batches)
	}
	gpus, stayed, streamed := x.work.Worked()
	if batches > 0 {
		worked = gpus
		x.report.Devices[GPU] = DeviceWork{Pages: batches, Edges: x.gpus.stats.Edges, Seconds: worked}
	}
	if n := len(x.cpu.pages); n > 0 {
		seconds := x.cpu.pages[n-1].End - x.work.Start // they are noted in this order
		worked = max(worked, seconds)
		x.report.Devices[CPU] = DeviceWork{Pages: n, Edges: x.cpu.stats.Edges, Seconds: seconds}
	}
	m := &x.measured
	m.GPUWorked = gpus
	if loading := w.plan.pages.InMemory() && w.plan.pages.BytesRead() > x.gpus.read; x.lost || loading { // pages that stay
		return
	}
	m.Beside, m.Scan = time.Since(x.gpus.began).Seconds()-worked, x.cpu.scan
	if streamed > 0 {
		m.Streamed.Seconds, m.Streamed.Amount = gpus, float64(streamed)
	} else {
		m.Resident.Seconds, m.Resident.Amount = gpus, float64(stayed)
	}
}
