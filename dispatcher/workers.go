package dispatcher

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/garaph/garaph/cpuengine"
	"github.com/garaph/garaph/dispatcher/policy"
)

// workers are the CPU and the GPUs of a job.
type workers[V, A any] struct {
	plan     *plan[V, A]
	state    *state[V, A]
	recorder *recorder[V, A]
	cpu      *cpuWorker[V, A]
	gpus     *gpus[V, A]
}

func newWorkers[V, A any](p *plan[V, A], s *state[V, A], r *recorder[V, A]) *workers[V, A] {
	g := &gpus[V, A]{plan: p, state: s, frontier: gpuFrontier[V, A]{plan: p, state: s}}
	return &workers[V, A]{plan: p, state: s, recorder: r, gpus: g, cpu: &cpuWorker[V, A]{plan: p, state: s, recorder: r,
		gpus: g}}
}

// open takes the memory of the run, and makes the engines. A job that may choose runs on the CPU if
// it does not fit a GPU.
func (w *workers[V, A]) open() error {
	p := w.plan
	n := len(p.shape.firsts)
	w.state.place = &placement{lacks: [2][]bool{make([]bool, n), make([]bool, n)}}
	p.wantFrontier()
	if len(p.devices) > 0 {
		if err := w.gpus.open(); err != nil {
			if p.opt.Device != AutoDevice {
				return err
			}
			p.withoutGPU(errors.Join(err, w.close()))
		}
	}
	if len(p.devices) == 0 {
		if err := w.state.reserve(p.memory); err != nil {
			return err
		}
	}
	if err := p.planFrontier(); err != nil {
		return err
	}
	w.state.policy = decider{facts: p.facts(), look: p.opt.hooks.decided}
	w.state.policy.set(policy.State{})
	var err error
	if w.cpu.engine, err = cpuengine.New(p.loops, w.state.arrays, p.opt.Threads); err != nil {
		return fmt.Errorf("program %T: %w", p.program, err)
	}
	return nil
}

// start copies values to the GPUs and, unless the first iteration advances a frontier, the edges
// that stay there, and measures speeds. It drops GPUs that fail.
func (w *workers[V, A]) start(ctx context.Context) error {
	if len(w.gpus.live) == 0 {
		return nil
	}
	w.plan.opt.Trace.Phase(LoadingGPU)
	if err := w.survive(w.gpus.start()); err != nil {
		return err
	}
	err := w.surviving(ctx, func() error {
		if w.state.policy.peek(w.observe()) == Frontier {
			return nil
		}
		return w.gpus.load(ctx)
	})
	if err != nil {
		return err
	}
	w.reportGPUs()
	return w.surviving(ctx, func() error { return w.measureSpeeds(ctx) })
}

// surviving calls f until no GPU fails, while there are any and the context has not ended.
func (w *workers[V, A]) surviving(ctx context.Context, f func() error) error {
	for len(w.gpus.live) > 0 {
		err := f()
		if err == nil || ctx.Err() != nil {
			return ctx.Err()
		}
		if err = w.survive(err); err != nil {
			return err
		}
	}
	return nil
}

// reportGPUs reports the GPUs and what stays on them.
func (w *workers[V, A]) reportGPUs() {
	r, p := &w.recorder.report.GPU, w.plan
	var names []string
	r.Memory = 0
	for _, g := range w.gpus.live {
		names = append(names, p.devices[g.number-1].Info().Name)
		r.Memory += g.engine.Memory()
		for len(p.devices) > 1 && len(r.Each) < len(p.devices) {
			r.Each = append(r.Each, GPUWork{GPU: p.names[len(r.Each)]})
		}
		if len(r.Each) > 0 {
			each := &r.Each[g.number-1]
			each.Resident, each.Memory = g.engine.Resident(), g.engine.Memory()
		}
	}
	r.Name, r.Resident = strings.Join(names, ", "), w.gpus.residentEdges()
	p.opt.Trace.GPUMemory(r.Memory)
}

// observe reports where the job stands before its next iteration.
func (w *workers[V, A]) observe() policy.Observation {
	o := policy.Observation{
		Facts: w.state.policy.facts, Iteration: w.state.now.step.Iteration,
		AggregateChanged: w.plan.can.aggregable != nil && (w.state.now.step.Iteration == 0 ||
			w.state.now.step.Aggregate != w.state.now.previous),
		GPUs: len(w.gpus.live), ResidentEdges: w.gpus.residentEdges(),
		HostStale: w.plan.shape.bytesIn(w.state.place.stale(host)), Behind: w.state.place.behind,
	}
	if all := w.plan.shape.notifyEdges; all > 0 {
		o.Fraction = float64(w.state.now.degrees) / float64(all)
	}
	o.PullBytes, o.NotifyBytes = w.state.reads()
	if o.GPUs > 0 {
		o.GPUStale = w.plan.shape.bytesIn(w.state.place.stale(onGPUs))
	}
	return o
}

// prepare brings the newest values to the workers of an iteration.
func (w *workers[V, A]) prepare(x *iteration) error {
	w.state.within = true
	if !x.alone {
		if err := w.gpus.fetch(); err != nil {
			return err
		}
	}
	if x.report.Device != CPU {
		if err := w.gpus.supply(); err != nil {
			return err
		}
	}
	if !w.state.place.behind {
		w.state.safe, w.state.safeCounts = w.state.now, w.state.policy.known.Counts
	}
	return nil
}

// close frees what the workers hold. Devices are closed last, since they pin memory of pages and
// values.
func (w *workers[V, A]) close() error {
	err := w.closePages()
	if w.state.arrays != nil {
		w.state.arrays.Unpin()
	}
	return errors.Join(err, w.plan.closeDevices())
}

// advance does iterations from frontier to frontier, at most limit.
func (w *workers[V, A]) advance(ctx context.Context, x *iteration, limit int) error {
	if x.report.Device == CPU {
		return w.cpu.advance(ctx, x, limit)
	}
	if err := w.prepare(x); err != nil {
		return err
	}
	err := w.gpus.frontier.advance(ctx, w.gpus, x, limit)
	if err != nil {
		w.recorder.rewind()
	}
	return err
}

// closePages frees pages and rows, and what GPUs have of them.
func (w *workers[V, A]) closePages() error {
	w.gpus.frontier.free()
	w.cpu.freeRows()
	w.plan.front.free()
	err := w.gpus.close()
	if w.plan.pages != nil {
		err = errors.Join(err, w.plan.pages.Close())
		w.plan.pages = nil
	}
	return err
}

// process does an iteration over pages, up to new values that all workers have exchanged.
func (w *workers[V, A]) process(ctx context.Context, x *iteration) error {
	if w.cpu.advancer != nil {
		w.cpu.advancer.Forget()
	}
	if err := w.prepare(x); err != nil {
		return err
	}
	w.gpus.frontier.newest = false
	work := w.onGPUs
	if x.report.Device == CPU {
		work = w.cpu.work
	}
	if err := w.plan.store.MapError(work(ctx, x)); err != nil {
		return err
	}
	return w.exchange(x)
}
