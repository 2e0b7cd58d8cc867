package dispatcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/page"
)

// gpuHostBytes is what a GPU takes of the host beside arrays and pages: staging and
// descriptors.
const gpuHostBytes = 16 << 20

// gpuWorker is a GPU with its copy of the values.
type gpuWorker[V, A any] struct {
	number int // among the workers, from 1
	engine *gpuengine.Engine[V, A]

	// Of the iteration in hand.
	early     bool           // it begins with what was copied at the end of the one before
	following []page.Request // what it copies at the end for the one after it
	stats     gpuengine.Stats
	failed    error
	unsent    error // why it did not get what others did
}

// gpu is a GPU by its number.
func (w *workers[V, A]) gpu(number int) *gpuWorker[V, A] {
	i := slices.IndexFunc(w.gpus, func(g *gpuWorker[V, A]) bool { return g.number == number })
	return w.gpus[i]
}

// openGPUs begins to open the devices of the job, if it is to run on any, which takes a
// tenth of a second, and returns what waits for them. Under auto, what stands against it is
// logged.
func (j *Job[V, A]) openGPUs() (opened func() error) {
	if !j.wantsGPU() {
		return func() error { return nil }
	}
	if j.sooner = j.leavesGPU(); j.sooner {
		j.report.Without = sooner
		return func() error { return nil }
	}
	err := panics.Guard(j.program, func() error {
		f, err := gpuengine.FragmentsOf(j.program)
		if err == nil && j.store.Catalogue().Wide && f.Weighs() {
			err = fmt.Errorf("graph %s: %w over its weights, which are float64: kernels read float32 ones", j.store.Name(), gpuengine.ErrUnfit)
		}
		return err
	})
	var devices []device.Device
	var pending sync.WaitGroup
	pending.Go(func() {
		defer func(began time.Time) { j.opened = time.Since(began) }(time.Now())
		for _, name := range strings.Split(cmp.Or(j.opt.GPU.Name, "0"), ",") {
			if err != nil {
				break
			}
			var d device.Device
			if d, err = j.opt.open(name); err == nil {
				devices = append(devices, d)
			}
		}
	})
	return func() error {
		pending.Wait()
		j.devices = devices
		if err == nil || j.opt.Device != AutoDevice {
			return err
		}
		j.withoutGPU(errors.Join(err, j.closeGPUs()))
		return nil
	}
}

// sooner is why a small job has no GPU.
const sooner = "the CPU is likely done before a GPU is open; --device gpu takes it nevertheless"

// wantsGPU reports whether a GPU is asked for, or may be used.
func (j *Job[V, A]) wantsGPU() bool {
	if j.sooner {
		return false
	}
	switch j.opt.Device {
	case GPU, Hybrid:
		return true
	case AutoDevice:
		return j.opt.Method != NotifyPull && (j.opt.GPU.Name != "" || device.HasGPU())
	default:
		return false
	}
}

// withoutGPU says why an auto job does not run on the GPU.
func (j *Job[V, A]) withoutGPU(err error) {
	j.report.Without = err.Error()
	j.opt.Log.Info("the job runs on the CPU", zap.NamedError("reason", err))
}

// planGPUs allocates the memory of a GPU job. Pages that are streamed in every iteration are
// in memory that the device has pinned, and copied from where they lie, since a second copy
// by one goroutine would be slower than the link. What stays on all devices comes to the
// host's memory only where the CPU needs it.
func (j *Job[V, A]) planGPUs(m memoryPlan) error {
	m.page.Encodings = gpuengine.Encodings[A]()
	m.page.Memory = &pinning{devices: j.devices, log: j.opt.Log, by: map[*byte]device.Device{}}
	m.vertices = j.devices[0]
	m.fixed += int64(len(j.devices)) * (gpuHostBytes + gpuengine.ExchangeBytes(j.cat))
	err := panics.Guard(j.program, func() error { return j.frontierFitsGPU(m) })
	if err == nil {
		err = j.reserve(m)
	}
	if err != nil {
		return err
	}
	o := gpuengine.Options{
		Memory: j.planGPUFrontier(), Streams: j.opt.GPU.Streams, Gather: j.opt.GPU.Gather, Async: j.opt.Mode == Async, Bare: j.bare, Trace: j.opt.Trace.Span, Began: j.began,
	}
	if o.Trace != nil && len(j.devices) > 1 {
		var mu sync.Mutex // one call at a time
		o.Trace = func(s gpuengine.Span) {
			mu.Lock()
			defer mu.Unlock()
			j.opt.Trace.Span(s)
		}
	}
	return panics.Guard(j.program, func() error {
		if j.opt.Method == Frontier && j.front.gpu.unfit != nil {
			return j.withoutFrontier(j.front.gpu.unfit)
		}
		for i, d := range j.devices {
			e, err := gpuengine.New(d, j.program, j.arrays, j.cat, o)
			if err != nil {
				return err
			}
			j.gpus = append(j.gpus, &gpuWorker[V, A]{number: 1 + i, engine: e})
		}
		j.pages.Plain(j.stayingPages())
		return nil
	})
}

// stayingPages is how many pages, from the first one on, stay on every GPU: nobody streams
// them.
func (j *Job[V, A]) stayingPages() int {
	shards := len(j.firsts)
	for _, g := range j.gpus {
		shards = min(shards, g.engine.Stay())
	}
	pages := 0
	for _, s := range j.pages.Spans() {
		if s.To <= shards {
			pages++
		}
	}
	return pages
}

// startGPUs copies what the first iteration needs, and gets the speeds of the devices: values,
// and unless it advances a frontier, the edges that pulls find on a GPU. GPUs that fail are
// lost.
func (j *Job[V, A]) startGPUs(ctx context.Context) error {
	if len(j.gpus) > 0 {
		j.phase(LoadingGPU)
	}
	for _, g := range slices.Clone(j.gpus) {
		err := g.engine.Start(j.pages)
		if err == nil && j.policy.peek(j.observe()) != Frontier {
			err = g.engine.Load(ctx)
		}
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			j.lose(g.number, err)
		}
	}
	var names []string
	for _, g := range j.gpus {
		names = append(names, j.devices[g.number-1].Info().Name)
		j.report.GPUMemory += g.engine.Memory()
	}
	j.showGPUMemory()
	j.report.GPU, j.report.Resident = strings.Join(names, ", "), j.residentEdges()
	for len(j.gpus) > 0 {
		err := j.measureSpeeds(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			break
		}
		j.lose(j.gpus[0].number, err)
	}
	return nil
}

// loadPages brings what stays on GPUs to them, in a job that began with frontiers.
func (w *workers[V, A]) loadPages(ctx context.Context) error {
	for _, g := range w.gpus {
		if err := g.engine.Load(ctx); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return failed(g.number, err)
		}
	}
	return nil
}

// residentEdges is how many edges stay on each GPU.
func (w *workers[V, A]) residentEdges() (least uint64) {
	for i, g := range w.gpus {
		if n := g.engine.Resident(); i == 0 || n < least {
			least = n
		}
	}
	return least
}

// pieces are what stays on each GPU.
func (w *workers[V, A]) pieces() (list [][]gpuengine.Piece) {
	for _, g := range w.gpus {
		list = append(list, g.engine.Pieces())
	}
	return list
}

// lose goes on without a GPU: from the host's state, if that of the GPU was newer.
func (j *Job[V, A]) lose(number int, err error) {
	without := "the job goes on on the CPU"
	if len(j.gpus) > 1 {
		without = "the job goes on without it"
	}
	j.opt.Log.Warn(fmt.Sprintf("%v; %s", err, without))
	j.report.Lost = cmp.Or(j.report.Lost, err.Error())
	g := j.gpu(number)
	j.freeGPURows()
	j.lost = append(j.lost, g)
	j.gpus = slices.DeleteFunc(j.gpus, func(other *gpuWorker[V, A]) bool { return other == g })
	j.showGPUMemory()
	j.rewind()
}

// showGPUMemory tells who looks on how much memory of GPUs the job has.
func (j *Job[V, A]) showGPUMemory() {
	if j.opt.Trace.GPUMemory == nil {
		return
	}
	var bytes int64
	for _, g := range j.gpus {
		bytes += g.engine.Memory()
	}
	j.opt.Trace.GPUMemory(bytes)
}

// pinning is the memory of a job's pages: one of the devices pins it for all of them,
// while one can.
type pinning struct {
	devices []device.Device
	log     *zap.Logger

	mu sync.Mutex // guards by
	by map[*byte]device.Device
}

// Pin returns memory that is not pinned once all devices refuse: a job that has
// lost them still reads pages.
func (p *pinning) Pin(n int64) (b []byte, err error) {
	for _, d := range p.devices {
		if b, err = d.Pin(n); err != nil {
			continue
		}
		if n > 0 {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.by[&b[0]] = d
		}
		return b, nil
	}
	if n == 0 {
		return nil, err
	}
	p.log.Debug("pages are not pinned", zap.Error(err))
	return hostmem.Apart(n)
}

// Unpin returns it.
func (p *pinning) Unpin(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	p.mu.Lock()
	d := p.by[&b[0]]
	delete(p.by, &b[0])
	p.mu.Unlock()
	if d == nil {
		hostmem.FreeBytes(b)
		return nil
	}
	return d.Unpin(b)
}

// closeGPUs returns what was taken of the devices, which outlive pages in the memory that
// they pinned.
func (j *Job[V, A]) closeGPUs() error {
	errs := []error{j.closePages()}
	j.freeRows()
	if j.arrays != nil {
		j.arrays.Unpin()
	}
	for _, d := range j.devices {
		errs = append(errs, d.Close())
	}
	j.devices = nil
	return errors.Join(errs...)
}

// closePages frees pages, and what GPUs have of them.
func (j *Job[V, A]) closePages() error {
	var errs []error
	for _, g := range slices.Concat(j.gpus, j.lost) {
		errs = append(errs, g.engine.Close())
	}
	j.gpus, j.lost = nil, nil
	if j.pages != nil {
		errs = append(errs, j.pages.Close())
		j.pages = nil
	}
	return errors.Join(errs...)
}
