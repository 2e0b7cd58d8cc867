package dispatcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/garaph/garaph/cpuengine"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/page"
)

// failure is why a GPU is lost.
type failure struct {
	worker int
	error
}

func (f *failure) Unwrap() error { return f.error }

// failed makes an error one of a worker.
func failed(worker int, err error) error {
	if err == nil {
		return nil
	}
	return &failure{worker, err}
}

// survive loses the GPU of a failure; other errors end the job.
func (w *workers[V, A]) survive(err error) error {
	var f *failure
	if errors.As(err, &f) {
		w.lose(f.worker, f.error)
		return nil
	}
	return err
}

// lose goes on without a GPU, from the host's state if that of the GPU was newer.
func (w *workers[V, A]) lose(number int, err error) {
	without := "the job goes on on the CPU"
	if len(w.gpus.live) > 1 {
		without = "the job goes on without it"
	}
	w.plan.opt.Log.Warn(fmt.Sprintf("%v; %s", err, without))
	w.gpus.lose(number)
	w.recorder.report.GPU.Lost = cmp.Or(w.recorder.report.GPU.Lost, err.Error())
	w.plan.opt.Trace.GPUMemory(w.gpus.memory())
	if w.state.rewind() {
		w.recorder.rewind()
	}
}

// statsOf returns what the GPU of part k did before it failed.
func (w *workers[V, A]) statsOf(x *iteration, k int) gpuengine.Stats {
	p := x.work.Parts[k]
	s := gpuengine.Stats{Pages: len(p.Batches)}
	for i, n := range w.plan.shape.edges {
		if by, some := x.work.Worker(i); some && by == p.Number {
			s.Edges += n
			s.Vertices += uint64(w.plan.shape.cat.Shards[i].Vertices)
		}
	}
	return s
}

// finishOnHost does on the CPU what GPUs that failed have left.
func (w *workers[V, A]) finishOnHost(ctx context.Context, x *iteration) error {
	var requests []page.Request
	for _, i := range x.work.Unfinished() {
		p := w.plan.pages.PageOf(i)
		if n := len(requests); n == 0 || requests[n-1].Page != p {
			requests = append(requests, page.Request{Page: p})
		}
		last := &requests[len(requests)-1]
		last.Shards = append(last.Shards, i)
	}
	return w.cpu.pull(ctx, requests, cpuengine.Work{Step: w.state.now.step, Aggregates: w.state.aggregates},
		func(p processed) {
			x.cpu.stats.Add(p.stats)
			x.cpu.pages = append(x.cpu.pages, p.PageWork)
			w.gpus.send(host, p.shards)
			w.recorder.pageDone(x, p.PageWork)
		})
}
