package dispatcher

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/internal/panics"
	"github.com/garaph/garaph/page"
)

// Device says where a job runs.
type Device string

// The devices. Hybrid is reserved.
const (
	AutoDevice Device = "auto" // the GPU, if there is one and the program runs on it
	CPU        Device = "cpu"
	GPU        Device = "gpu"
	Hybrid     Device = "hybrid"
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
	if err == nil || j.opt.Device == GPU {
		return err
	}
	j.onCPU(err)
	return nil
}

// wantsGPU tells whether a GPU is asked for, or may be used.
func (j *Job[V, A]) wantsGPU() bool {
	switch j.opt.Device {
	case GPU:
		return true
	case AutoDevice:
		return j.opt.Method != NotifyPull && (j.opt.GPU != "" || gpuengine.HasGPU())
	default:
		return false
	}
}

// onCPU says why an auto job does not run on the GPU.
func (j *Job[V, A]) onCPU(err error) {
	j.opt.Log.Info("the job runs on the CPU", zap.NamedError("reason", err))
}

// planGPU takes the memory of a GPU job. Pages are in memory that the device
// has pinned: what is streamed in every iteration is copied from where it lies,
// since a second copy by one goroutine would be slower than the link.
func (j *Job[V, A]) planGPU(po page.Options, fixed, checkpoints int64) error {
	po.Notify, po.SourceOrder, po.Memory = nil, false, j.device
	if err := j.take(po, fixed+gpuHostBytes, checkpoints); err != nil {
		return err
	}
	return panics.Guard(j.program, func() (err error) {
		j.gpu, err = gpuengine.New(j.device, j.program, j.arrays, j.cat, gpuengine.Options{
			Memory: j.opt.GPUMemory, Streams: j.opt.Streams, Gather: j.opt.Gather, Async: j.opt.Mode == Async, Trace: j.opt.Trace,
		})
		return err
	})
}

// startGPU copies what the first iteration needs.
func (j *Job[V, A]) startGPU(ctx context.Context) error {
	j.activated = uint64(j.arrays.Active.Count(0, j.cat.Vertices))
	if err := j.gpu.Start(ctx, j.pages); err != nil {
		return err
	}
	j.report.GPU, j.report.Resident = j.device.Info().Name, j.gpu.Resident()
	return nil
}

// iterateGPU does one iteration on the GPU.
func (j *Job[V, A]) iterateGPU(ctx context.Context) error {
	start, read := time.Now(), j.pages.BytesRead()
	it := Iteration{Iteration: j.step.Iteration, Device: GPU, Method: Pull, Active: j.activated, Fraction: j.fraction()}
	s, err := j.gpu.Iterate(ctx, j.step)
	if err != nil {
		return err
	}
	j.behind = true
	j.activated, j.degrees = s.Activated, s.Degrees
	j.step = gas.Step{Iteration: j.step.Iteration + 1, Aggregate: s.Aggregate}
	it.Edges, it.Vertices, it.Pages, it.BytesCopied = s.Edges, s.Vertices, s.Pages, s.Bytes
	it.BytesRead = j.pages.BytesRead() - read
	it.Duration = time.Since(start)
	it.Seconds = it.Duration.Seconds()
	j.record(it)
	j.iterated()
	return nil
}

// fetch brings the host's values up to date, and the active set where epochs
// hold it.
func (j *Job[V, A]) fetch() error {
	if j.gpu == nil || !j.behind {
		return nil
	}
	if err := j.gpu.Values(); err != nil {
		return err
	}
	if j.epochs != nil {
		if err := j.gpu.Active(); err != nil {
			return err
		}
	}
	j.behind = false
	return nil
}

// closeGPU gives back what was taken of the device, which outlives the pages in
// the memory that it pinned.
func (j *Job[V, A]) closeGPU() error {
	var errs []error
	if j.gpu != nil {
		errs = append(errs, j.gpu.Close())
		j.gpu = nil
	}
	if j.pages != nil {
		errs = append(errs, j.pages.Close())
		j.pages = nil
	}
	if j.device != nil {
		errs = append(errs, j.device.Close())
		j.device = nil
	}
	return errors.Join(errs...)
}

// checkDevice checks the options of devices.
func (o *Options) checkDevice() error {
	switch o.Device {
	case "":
		o.Device = AutoDevice
	case AutoDevice, CPU, GPU:
	default:
		return fmt.Errorf("device %q: expected %s, %s or %s", o.Device, AutoDevice, CPU, GPU)
	}
	if o.Device == GPU && o.Method == NotifyPull {
		return fmt.Errorf("engine %s is one of the CPU, and the device is %s", NotifyPull, GPU)
	}
	if o.GPUMemory < 0 || o.Streams < 0 {
		return fmt.Errorf("GPU memory %d, streams %d: expected numbers ≥ 0", o.GPUMemory, o.Streams)
	}
	if o.open == nil {
		o.open = gpuengine.Open
	}
	return nil
}
