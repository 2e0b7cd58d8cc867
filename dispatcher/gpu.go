package dispatcher

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/garaph/garaph/dispatcher/handout"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/page"
)

// gpuHostBytes is the host memory of a GPU besides arrays and pages: staging and descriptors.
const gpuHostBytes = 16 << 20

// gpuWorker is a GPU with its copy of the values.
type gpuWorker[V, A any] struct {
	number int // among the workers, from 1
	engine *gpuengine.Engine[V, A]

	// Of the iteration in progress.
	early     bool           // it begins with what was copied at the end of the one before
	following []page.Request // what it copies at the end for the one after it
	stats     gpuengine.Stats
	failed    error
	unsent    error // why it did not get what others did
}

// gpus are the GPUs of a job. They exchange values through the host's memory: GPUs send what they
// have done to the host behind the kernels of each batch, and receive from there what others have
// done. An iteration of several workers leaves all of them with all new values; one of a GPU alone
// leaves the others stale, shard by shard, until they need them. Errors are a [failure] of a GPU.
type gpus[V, A any] struct {
	plan     *plan[V, A]
	state    *state[V, A]
	live     []*gpuWorker[V, A]
	lost     []*gpuWorker[V, A] // those that failed
	frontier gpuFrontier[V, A]
	sending  sync.Mutex // one call of Receive at a time
}

// open takes the memory of a job with GPUs. Pages that are streamed in every iteration are in
// memory that the device has pinned, and copied from where they lie: a second copy by one goroutine
// would be slower than the link. What stays on all devices comes to the host's memory only where
// the CPU needs it.
func (g *gpus[V, A]) open() error {
	p, m := g.plan, g.plan.memory
	m.page.Encodings = gpuengine.Encodings[A]()
	m.page.Memory = &pinning{devices: p.devices, log: p.opt.Log, by: map[*byte]device.Device{}}
	m.vertices = p.devices[0]
	m.fixed += int64(len(p.devices)) * (gpuHostBytes + gpuengine.ExchangeBytes(p.shape.cat))
	err := panics.Guard(p.program, func() error { return p.frontierFitsGPU(m) })
	if err == nil {
		err = g.state.reserve(m)
	}
	if err != nil {
		return err
	}
	o := gpuengine.Options{
		Memory: p.planGPUFrontier(g.state.arrays), Streams: p.opt.GPU.Streams, Gather: p.opt.GPU.Gather,
		Async: p.opt.Mode == Async, Bare: p.memory.page.Bare,
		Trace: p.opt.Trace.Span, Began: p.began,
	}
	if o.Trace != nil && len(p.devices) > 1 {
		var mu sync.Mutex // one call at a time
		o.Trace = func(s gpuengine.Span) {
			mu.Lock()
			defer mu.Unlock()
			p.opt.Trace.Span(s)
		}
	}
	return panics.Guard(p.program, func() error {
		if p.opt.Method == Frontier && p.front.gpu.unfit != nil {
			return p.withoutFrontier(p.front.gpu.unfit)
		}
		for i, d := range p.devices {
			e, err := gpuengine.New(d, p.program, g.state.arrays, p.shape.cat, o)
			if err != nil {
				return err
			}
			g.live = append(g.live, &gpuWorker[V, A]{number: 1 + i, engine: e})
		}
		p.pages.Plain(g.stayingPages())
		return nil
	})
}

// stayingPages returns how many pages, from the first one on, stay on every GPU, so that none is
// streamed.
func (g *gpus[V, A]) stayingPages() (pages int) {
	shards := len(g.plan.shape.firsts)
	for _, gpu := range g.live {
		shards = min(shards, gpu.engine.Stay())
	}
	for _, s := range g.plan.pages.Spans() {
		if s.To <= shards {
			pages++
		}
	}
	return pages
}

// get returns a GPU by its number.
func (g *gpus[V, A]) get(number int) *gpuWorker[V, A] {
	return g.live[slices.IndexFunc(g.live, func(gpu *gpuWorker[V, A]) bool { return gpu.number == number })]
}

// loadPages brings what stays on GPUs to them, in a job that began with frontiers.
func (g *gpus[V, A]) loadPages(ctx context.Context) error {
	for _, gpu := range g.live {
		if err := gpu.engine.Load(ctx); err != nil {
			return cmp.Or(ctx.Err(), failed(gpu.number, err))
		}
	}
	return nil
}

// residentEdges returns how many edges stay on every GPU.
func (g *gpus[V, A]) residentEdges() (least uint64) {
	for i, gpu := range g.live {
		if n := gpu.engine.Resident(); i == 0 || n < least {
			least = n
		}
	}
	return least
}

// memory returns the bytes allocated on the GPUs.
func (g *gpus[V, A]) memory() (bytes int64) {
	for _, gpu := range g.live {
		bytes += gpu.engine.Memory()
	}
	return bytes
}

// lose removes a GPU that failed.
func (g *gpus[V, A]) lose(number int) {
	gpu := g.get(number)
	g.frontier.free()
	g.lost = append(g.lost, gpu)
	g.live = slices.DeleteFunc(g.live, func(other *gpuWorker[V, A]) bool { return other == gpu })
}

// anyFailed reports whether a GPU failed in the iteration.
func (g *gpus[V, A]) anyFailed() bool {
	return slices.ContainsFunc(g.live, func(g *gpuWorker[V, A]) bool { return g.failed != nil })
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

// takePart returns the GPUs as an iteration hands out work to them.
func (g *gpus[V, A]) takePart() (list []handout.GPU) {
	for _, gpu := range g.live {
		list = append(list, handout.GPU{Number: gpu.number, Pieces: gpu.engine.Pieces(), Enough: gpu.engine.Enough})
	}
	return list
}
