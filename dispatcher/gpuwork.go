package dispatcher

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/garaph/garaph/cpuengine"
	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/page"
)

// onGPUs processes an iteration on the GPUs and, beside them, on the CPU. With a GPU that fails, the
// iteration is lost.
func (w *workers[V, A]) onGPUs(ctx context.Context, x *iteration) (err error) {
	if err = w.gpus.load(ctx); err != nil {
		return err
	}
	x.gpus.began = time.Now()
	if x.requests, err = w.forGPUs(ctx, x); err != nil {
		return err
	}
	x.gpus.read = w.plan.pages.BytesRead()
	w.divide(x)
	if x.alone {
		w.state.place.behind = true // also when it breaks off
	} else {
		w.state.keep(w.state.arrays.Next, w.plan.shape.allShards())
	}
	x.gpus.start = time.Since(w.plan.began).Seconds()
	err = w.work(ctx, x)
	w.pagesDone(x)
	if err != nil && x.alone && w.plan.opt.Mode == Async { // some new values are there, which can be saved
		w.state.place.wroteAll()
	}
	return err
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

// mark marks who has to gather, by the active set that the GPUs have where that is newer.
func (w *workers[V, A]) mark(ctx context.Context, x *iteration) error {
	if a := w.state.arrays; w.state.place.behind {
		if err := w.gpus.active(); err != nil {
			return err
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

// work lets the workers work until everything is done, or one has failed. The error is the
// context's, that of a page that cannot be read, a [failure] of a GPU, or the CPU's.
func (w *workers[V, A]) work(ctx context.Context, x *iteration) error {
	working, stop := context.WithCancel(ctx)
	defer stop()
	var err error
	n := len(w.gpus.live)
	if len(x.cpu.requests) > 0 {
		n++
	}
	together(n, func(k int) {
		if k < len(w.gpus.live) {
			gpu := w.gpus.live[k]
			gpu.stats, gpu.failed = gpu.engine.Iterate(working, gpuengine.Work{
				Step: x.step, From: gpu.share, Exchange: !x.alone, Next: gpu.following, Last: x.last, Early: gpu.early,
			})
			if gpu.failed != nil {
				stop()
			}
		} else if err = w.cpu.workBeside(working, x); err != nil {
			stop()
		}
	})
	var unread, lost error
	for _, gpu := range w.gpus.live {
		unread = cmp.Or(unread, gpu.share.err)
		if e := cmp.Or(gpu.failed, gpu.unsent); lost == nil || errors.Is(lost, context.Canceled) {
			lost = cmp.Or(failed(gpu.number, e), lost)
		}
	}
	if cmp.Or(unread, lost, err) == nil { // whatever has happened since
		return nil
	}
	if errors.Is(lost, context.Canceled) { // since another worker has failed
		lost = nil
	}
	return cmp.Or(ctx.Err(), unread, lost, err)
}

// exchange ends the exchange of values of an iteration: every worker has all new values, and GPUs make them
// current. A GPU that fails is lost after the iteration, if any other worker has the values.
func (w *workers[V, A]) exchange(x *iteration) error {
	if x.report.Device == CPU {
		return nil
	}
	if w.plan.opt.Mode == Async {
		if len(w.gpus.live) > 1 {
			if err := w.gpus.each(func(g *gpuWorker[V, A]) error { return g.engine.Send() }); err != nil {
				return err
			}
		}
		if !x.alone {
			w.state.publish(w.gpus.did(x), false)
		}
	}
	for _, gpu := range w.gpus.live { // most often only pointers change places, for which no goroutine is worth waking
		var sent []page.Span
		for _, other := range w.gpus.live {
			if other != gpu {
				sent = append(sent, other.share.spans()...)
			}
		}
		gpu.engine.Sums(w.state.aggregates)
		copied, err := gpu.engine.Commit(sent...)
		s := gpu.stats
		x.gpus.stats.Add(cpuengine.Stats{Edges: s.Edges, Vertices: s.Vertices, Activated: s.Activated, Degrees: s.Degrees})
		x.report.Pages += s.Pages
		x.report.Traffic.BytesBack += s.Back
		x.report.Traffic.BytesCopied += s.Bytes + copied
		if err != nil {
			x.lost = append(x.lost, &failure{gpu.number, err})
		}
	}
	if x.alone && len(x.lost) == len(w.gpus.live) {
		return x.lost[0]
	}
	return nil
}

// pagesDone reports the pages of an iteration of GPUs.
func (w *workers[V, A]) pagesDone(x *iteration) {
	all := slices.Clone(x.cpu.pages)
	for _, g := range w.gpus.live {
		all = append(all, g.share.batches...)
	}
	slices.SortFunc(all, func(a, b PageWork) int { return cmp.Compare(a.Start, b.Start) })
	for _, p := range all {
		w.recorder.pageDone(x, p)
	}
}

// account notes what each device did in an iteration of GPUs, and how fast it was.
func (w *workers[V, A]) account(x *iteration) {
	x.report.Devices = map[Device]DeviceWork{}
	worked, gpus, stayed, streamed, batches := 0.0, 0.0, uint64(0), uint64(0), 0
	kept, ends := w.gpus.stay(), make([]float64, len(w.gpus.live))
	for k, g := range w.gpus.live {
		did := DeviceWork{Pages: len(g.share.batches)}
		for _, b := range g.share.batches {
			did.Edges, did.Seconds = did.Edges+b.Edges, max(did.Seconds, b.End-x.gpus.start)
			if b.From < kept {
				stayed += b.Edges
			} else {
				streamed += b.Edges
			}
		}
		batches, gpus, ends[k] = batches+did.Pages, max(gpus, did.Seconds), did.Seconds
		if each := w.recorder.report.GPU.Each; len(each) > 0 {
			each[g.number-1].DeviceWork = each[g.number-1].plus(did)
		}
	}
	if batches > 0 {
		worked = gpus
		x.report.Devices[GPU] = DeviceWork{Pages: batches, Edges: x.gpus.stats.Edges, Seconds: worked}
	}
	if n := len(x.cpu.pages); n > 0 {
		seconds := x.cpu.pages[n-1].End - x.gpus.start // they are noted in this order
		worked = max(worked, seconds)
		x.report.Devices[CPU] = DeviceWork{Pages: n, Edges: x.cpu.stats.Edges, Seconds: seconds}
		x.cpu.scan.Seconds = seconds // with the time that goroutines waited for each other at the end
	}
	m := &x.measured
	m.GPUWorked = gpus
	if w.plan.pages.InMemory() && w.plan.pages.BytesRead() > x.gpus.read { // pages that stay were loaded
		return
	}
	w.gpus.speeds = policy.Balance(w.gpus.speeds, ends)
	m.Beside, m.Scan = time.Since(x.gpus.began).Seconds()-worked, x.cpu.scan
	if streamed > 0 {
		m.Streamed.Seconds, m.Streamed.Amount = gpus, float64(streamed)
	} else {
		m.Resident.Seconds, m.Resident.Amount = gpus, float64(stayed)
	}
}
