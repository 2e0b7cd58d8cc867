package dispatcher

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"go.uber.org/zap"

	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/page"
)

// gpuHostBytes is what a GPU job takes of the host beside arrays and pages:
// staging and descriptors.
const gpuHostBytes = 16 << 20

// openGPU opens the device of the job, if it is to run on one. Under auto, what
// stands against it is logged.
func (j *Job[V, A]) openGPU() error {
	if !j.wantsGPU() {
		return nil
	}
	name := j.opt.GPU
	if name == "" {
		name = "0"
	}
	err := panics.Guard(j.program, func() error {
		_, err := gpuengine.FragmentsOf(j.program)
		return err
	})
	if err == nil {
		j.device, err = j.opt.open(name)
	}
	if err == nil || j.opt.Device != AutoDevice {
		return err
	}
	j.withoutGPU(err)
	return nil
}

// wantsGPU tells whether a GPU is asked for, or may be used.
func (j *Job[V, A]) wantsGPU() bool {
	switch j.opt.Device {
	case GPU, Hybrid:
		return true
	case AutoDevice:
		return j.opt.Method != NotifyPull && (j.opt.GPU != "" || device.HasGPU())
	default:
		return false
	}
}

// withoutGPU says why an auto job does not run on the GPU.
func (j *Job[V, A]) withoutGPU(err error) {
	j.report.Without = err.Error()
	j.opt.Log.Info("the job runs on the CPU", zap.NamedError("reason", err))
}

// planGPU takes the memory of a GPU job. Pages are in memory that the device
// has pinned: what is streamed in every iteration is copied from where it lies,
// since a second copy by one goroutine would be slower than the link.
func (j *Job[V, A]) planGPU(po page.Options, fixed, checkpoints int64) error {
	po.Memory = &pinning{Device: j.device, log: j.opt.Log, plain: map[*byte]bool{}}
	if err := j.take(po, fixed+gpuHostBytes+gpuengine.ExchangeBytes(j.cat), checkpoints, j.device); err != nil {
		return err
	}
	return panics.Guard(j.program, func() (err error) {
		j.gpu, err = gpuengine.New(j.device, j.program, j.arrays, j.cat, gpuengine.Options{
			Memory: j.opt.GPUMemory, Streams: j.opt.Streams, Gather: j.opt.Gather, Async: j.opt.Mode == Async, Trace: j.opt.Trace, Began: j.began,
		})
		return err
	})
}

// startGPU copies what the first iteration needs, and takes the speeds of the
// devices.
func (j *Job[V, A]) startGPU(ctx context.Context) error {
	err := j.gpu.Start(ctx, j.pages)
	if err != nil {
		return err
	}
	j.residentEdges = j.gpu.Resident()
	j.report.GPU, j.report.Resident, j.report.GPUMemory = j.device.Info().Name, j.residentEdges, j.gpu.Memory()
	return j.measureSpeeds(ctx)
}

// residentShards is how many shards stay on the GPU: the first ones.
func (j *Job[V, A]) residentShards() int {
	pieces := j.gpu.Pieces()
	if len(pieces) == 0 {
		return 0
	}
	return pieces[len(pieces)-1].To
}

// pinning is the memory of a job's pages: the device pins it while it can.
type pinning struct {
	device.Device
	log *zap.Logger

	mu    sync.Mutex // guards plain
	plain map[*byte]bool
}

// Pin gives memory that is not pinned once the device refuses: a job that has
// lost it still reads pages.
func (p *pinning) Pin(n int64) ([]byte, error) {
	b, err := p.Device.Pin(n)
	if err == nil || n == 0 {
		return b, err
	}
	p.log.Debug("pages are not pinned", zap.Error(err))
	if b, err = hostmem.Bytes(n); err == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.plain[&b[0]] = true
	}
	return b, err
}

// Unpin returns it.
func (p *pinning) Unpin(b []byte) error {
	p.mu.Lock()
	plain := len(b) > 0 && p.plain[&b[0]]
	p.mu.Unlock()
	if plain {
		hostmem.FreeBytes(b)
		return nil
	}
	return p.Device.Unpin(b)
}

// closeGPU gives back what was taken of the device, which outlives arrays and
// pages in the memory that it pinned.
func (j *Job[V, A]) closeGPU() error {
	errs := []error{j.closePages()}
	j.free()
	if j.device != nil {
		errs = append(errs, j.device.Close())
		j.device = nil
	}
	return errors.Join(errs...)
}

// closePages gives back pages, and what the GPU has of them.
func (j *Job[V, A]) closePages() error {
	var errs []error
	for _, e := range []*gpuengine.Engine[V, A]{j.gpu, j.lost} {
		if e != nil {
			errs = append(errs, e.Close())
		}
	}
	j.gpu, j.lost = nil, nil
	if j.pages != nil {
		errs = append(errs, j.pages.Close())
		j.pages = nil
	}
	return errors.Join(errs...)
}

// checkDevice checks the options of devices.
func (o *Options) checkDevice() error {
	switch o.Device {
	case "":
		o.Device = AutoDevice
	case AutoDevice, CPU, GPU, Hybrid:
	default:
		return fmt.Errorf("device %q: expected %s, %s, %s or %s", o.Device, AutoDevice, CPU, GPU, Hybrid)
	}
	if (o.Device == GPU || o.Device == Hybrid) && o.Method == NotifyPull {
		return fmt.Errorf("engine %s is one of the CPU, and the device is %s", NotifyPull, o.Device)
	}
	if o.Streams > gpuengine.MaxStreams {
		return fmt.Errorf("%d streams: expected at most %d", o.Streams, gpuengine.MaxStreams)
	}
	if o.GPUMemory < 0 || o.Streams < 0 {
		return fmt.Errorf("GPU memory %d, streams %d: expected numbers ≥ 0", o.GPUMemory, o.Streams)
	}
	if o.open == nil {
		o.open = device.Open
	}
	return nil
}
