package dispatcher

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/garaph/garaph/dispatcher/policy"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/page"
)

// gpuHostBytes is the host memory of a GPU besides arrays and pages: staging and descriptors.
const gpuHostBytes = 16 << 20

// gpuWorker is a GPU with its copy of the values.
type gpuWorker[V, A any] struct {
	number  int // among the devices, from 1
	options gpuengine.Options
	engine  *gpuengine.Engine[V, A]

	// Of the iteration in progress.
	share     *share
	early     bool           // it begins with what was copied at the end of the one before
	following []page.Request // what it copies at the end for the one after it
	stats     gpuengine.Stats
	failed    error
	unsent    error // why it did not get what the CPU did
}

// gpus are the GPUs of a job. Each keeps other edges, and all have the same values: they send new ones to
// each other behind the kernels of each batch, and in iterations with a part for the CPU to the host, which sends
// them what it has done. Errors are a [failure] of a GPU.
type gpus[V, A any] struct {
	plan     *plan[V, A]
	state    *state[V, A]
	options  gpuengine.Options // of all, without what each owns
	live     []*gpuWorker[V, A]
	lost     []*gpuWorker[V, A] // those that failed
	frontier gpuFrontier[V, A]
	division policy.Division // of the last iteration
	speeds   []float64       // of the live ones, see [policy.Balance]
}

// open takes the memory of a job with GPUs. Pages that are streamed in every iteration are in
// memory that the device has pinned, and copied from where they lie: a second copy by one goroutine
// would be slower than the link. What stays on devices comes to the host's memory only where
// the CPU needs it.
func (g *gpus[V, A]) open() error {
	p, m := g.plan, g.plan.memory
	if err := panics.Guard(p.program, p.dropDevices); err != nil {
		return err
	}
	m.page.Encodings = gpuengine.Encodings[A]()
	m.page.Memory = &pinning{devices: p.devices, log: p.opt.Log, by: map[*byte]device.Device{}}
	m.page.Devices = len(p.devices)
	m.vertices = p.devices[0]
	m.fixed += int64(len(p.devices)) * (gpuHostBytes + gpuengine.ExchangeBytes(p.shape.cat))
	err := panics.Guard(p.program, func() error { return p.frontierFitsGPU(m) })
	if err == nil {
		err = g.state.reserve(m)
	}
	if err != nil {
		return err
	}
	g.options = gpuengine.Options{
		Memory: p.planGPUFrontier(g.state.arrays), Streams: p.opt.GPU.Streams, Gather: p.opt.GPU.Gather,
		Async: p.opt.Mode == Async, Bare: p.memory.page.Bare, Trace: p.opt.Trace.Span, Began: p.began,
	}
	if trace := g.options.Trace; trace != nil && len(p.devices) > 1 {
		var mu sync.Mutex // one call at a time
		g.options.Trace = func(s gpuengine.Span) {
			mu.Lock()
			defer mu.Unlock()
			trace(s)
		}
	}
	if p.opt.Method == Frontier && p.front.gpu.unfit != nil {
		return p.withoutFrontier(p.front.gpu.unfit)
	}
	if err = g.connect(page.Span{From: 1, To: 1 + len(p.devices)}.List()); err != nil {
		return err
	}
	plain := 0 // pages of which no shard is streamed, also when another GPU is lost
	for _, s := range p.pages.Spans() {
		if len(p.devices) == 1 && s.To <= g.live[0].engine.Kept().To {
			plain++
		}
	}
	p.pages.Plain(plain)
	return nil
}

// dropDevices leaves one GPU to a job whose frontiers are not divided, unless several pull over a large graph.
func (p *plan[V, A]) dropDevices() error {
	several := p.opt.Method != Frontier && (p.opt.Method != Auto || !p.frontierFits(0) || p.large())
	if len(p.devices) == 1 || several || p.dividesFrontiers() {
		return nil
	}
	p.opt.Log.Info("one of several GPUs is used: frontiers are too small to be divided, or their rows too large")
	spare := p.devices[1:]
	p.devices = p.devices[:1]
	return closeAll(spare)
}

// own divides the shards among GPUs: evenly if all stay, with some on both sides of a border if these fit, otherwise
// each keeps as many as fit from where the one before it ends.
func (g *gpus[V, A]) own() error {
	costs, n := g.plan.shape.costs, len(g.live)
	if n == 1 {
		return nil
	}
	keeps := func(gpu *gpuWorker[V, A]) (kept page.Span, all bool, err error) {
		err = panics.Guard(g.plan.program, func() error {
			kept, all, err = gpuengine.Keeps(g.plan.devices[gpu.number-1], g.plan.program, g.plan.shape.cat, gpu.options)
			return err
		})
		return kept, all, failed(gpu.number, err)
	}
	apart := policy.Split(costs, policy.Evenly(n))
	for _, intervals := range [][]policy.Interval{policy.Widen(costs, apart), apart} {
		whole := true
		for k, i := range intervals {
			g.live[k].options.Own = (*page.Span)(&i)
			_, all, err := keeps(g.live[k])
			if err != nil {
				return err
			}
			whole = whole && all
		}
		if whole {
			return nil
		}
	}
	from := 0
	for k, gpu := range g.live {
		rest := policy.Split(costs[from:], policy.Evenly(n-k))[0]
		gpu.options.Own, gpu.options.Beyond = &page.Span{From: from, To: from + rest.To}, true
		kept, _, err := keeps(gpu)
		if err != nil {
			return err
		}
		gpu.options.Own, from = &kept, kept.To
	}
	return nil
}

// connect makes the engines of the devices with the given numbers.
func (g *gpus[V, A]) connect(numbers []int) error {
	g.live, g.division, g.speeds = nil, policy.Division{}, policy.Evenly(len(numbers))
	for _, number := range numbers {
		g.live = append(g.live, &gpuWorker[V, A]{number: number, options: g.options})
	}
	err := g.own()
	if err == nil {
		err = g.each(func(gpu *gpuWorker[V, A]) error {
			return panics.Guard(g.plan.program, func() (err error) {
				gpu.engine, err = gpuengine.New(g.plan.devices[gpu.number-1], g.plan.program, g.state.arrays, g.plan.shape.cat,
					gpu.options)
				return err
			})
		})
	}
	g.live = slices.DeleteFunc(g.live, func(w *gpuWorker[V, A]) bool { return w.engine == nil })
	if err != nil || len(g.live) == 1 {
		return err
	}
	var engines []*gpuengine.Engine[V, A]
	for _, w := range g.live {
		engines = append(engines, w.engine)
	}
	if k, err := gpuengine.Connect(engines); err != nil {
		return failed(numbers[k], err)
	}
	return nil
}

// together calls f for each number below n, for the last one on the caller's goroutine: to wake another takes time.
func together(n int, f func(k int)) {
	var g sync.WaitGroup
	for k := range n - 1 {
		g.Go(func() { f(k) })
	}
	f(n - 1)
	g.Wait()
}

// each calls f for each GPU, on goroutines, and returns the first error as a failure of its GPU.
func (g *gpus[V, A]) each(f func(*gpuWorker[V, A]) error) error {
	live, errs := g.live, make([]error, len(g.live))
	together(len(live), func(k int) { errs[k] = failed(live[k].number, f(live[k])) })
	return cmp.Or(errs...)
}

// start copies the values to the GPUs.
func (g *gpus[V, A]) start() error {
	return g.each(func(gpu *gpuWorker[V, A]) error { return gpu.engine.Start(g.plan.pages) })
}

// load brings what stays on GPUs to them, unless it is there.
func (g *gpus[V, A]) load(ctx context.Context) error {
	if !slices.ContainsFunc(g.live, func(gpu *gpuWorker[V, A]) bool { return !gpu.engine.Loaded() }) {
		return nil // to wake goroutines takes time
	}
	err := g.each(func(gpu *gpuWorker[V, A]) error { return gpu.engine.Load(ctx) })
	if err != nil {
		return cmp.Or(ctx.Err(), err)
	}
	return nil
}

// kept lists the shards that stay on each GPU: all together, from the first one on.
func (g *gpus[V, A]) kept() (list []policy.Interval) {
	for _, gpu := range g.live {
		list = append(list, policy.Interval(gpu.engine.Kept()))
	}
	return list
}

// stay returns the number of shards that stay on GPUs.
func (g *gpus[V, A]) stay() int {
	if len(g.live) == 0 {
		return 0
	}
	return g.live[len(g.live)-1].engine.Kept().To
}

// did lists the shards that GPUs have done in an iteration.
func (g *gpus[V, A]) did(x *iteration) (shards []int) {
	if x.report.Device == CPU {
		return nil
	}
	for _, gpu := range g.live {
		for _, s := range gpu.share.spans() {
			shards = append(shards, s.List()...)
		}
	}
	return shards
}

// residentEdges returns the number of edges that stay on GPUs.
func (g *gpus[V, A]) residentEdges() (edges uint64) {
	for _, n := range g.plan.shape.edges[:g.stay()] {
		edges += n
	}
	return edges
}

// lose removes a GPU that failed.
func (g *gpus[V, A]) lose(number int) {
	g.frontier.free()
	i := slices.IndexFunc(g.live, func(gpu *gpuWorker[V, A]) bool { return gpu.number == number })
	if i >= 0 {
		g.lost = append(g.lost, g.live[i])
		g.live = slices.Delete(g.live, i, i+1)
	}
}

// regroup divides the edges among the GPUs that are left. Their values are on the host.
func (g *gpus[V, A]) regroup() error {
	var numbers []int
	for _, gpu := range g.live {
		numbers = append(numbers, gpu.number)
	}
	if err := g.each(func(gpu *gpuWorker[V, A]) error { return gpu.engine.Close() }); err != nil {
		return err
	}
	if err := g.connect(numbers); err != nil {
		return err
	}
	clear(g.state.place.lacks[onGPUs])
	return g.start()
}

// close frees the memory on the GPUs.
func (g *gpus[V, A]) close() error {
	var errs []error
	for _, gpu := range slices.Concat(g.live, g.lost) {
		errs = append(errs, gpu.engine.Close())
	}
	g.live, g.lost = nil, nil
	return errors.Join(errs...)
}
