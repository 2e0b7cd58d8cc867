package dispatcher

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/garaph/garaph/gpuengine"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/internal/panics"
)

// openDevices starts opening the devices of the job, which takes a tenth of a second, and returns a
// function that waits for them. Where the device is chosen, failures are logged, and the job runs
// on the CPU.
func (p *plan[V, A]) openDevices() (opened func() error) {
	if !p.wantsGPU() {
		return func() error { return nil }
	}
	if p.leavesGPU() {
		p.without = sooner
		return func() error { return nil }
	}
	err := panics.Guard(p.program, func() error {
		_, err := gpuengine.FragmentsOf(p.program)
		return err
	})
	var devices []device.Device
	var pending sync.WaitGroup
	pending.Go(func() {
		defer func(began time.Time) { p.opened = time.Since(began) }(time.Now())
		if err == nil {
			devices, err = p.openAll()
		}
	})
	return func() error {
		pending.Wait()
		p.devices = devices
		if err == nil || p.opt.Device != AutoDevice {
			return err
		}
		p.withoutGPU(errors.Join(err, p.closeDevices()))
		return nil
	}
}

// openAll opens the devices that the options name. A job that may choose opens the first one and, if it is long enough,
// the others.
func (p *plan[V, A]) openAll() ([]device.Device, error) {
	var err error
	if p.names, err = device.Split(p.opt.GPU.Name); err != nil {
		return nil, err
	}
	devices, err := p.openNamed(p.names)
	if err != nil || p.opt.Device != AutoDevice || p.opt.GPU.Name != "" || !p.wantsSeveral(devices[0]) {
		return devices, err
	}
	all := p.opt.hooks.gpus
	if all == nil {
		all, err = device.Names()
	}
	if err != nil || len(all) == 1 {
		return devices, nil //nolint:nilerr // one GPU is open
	}
	more, err := p.openNamed(all[1:])
	if err != nil {
		p.opt.Log.Info("the job has one GPU", zap.NamedError("reason", errors.Join(err, closeAll(more))))
		return devices, nil
	}
	p.names = all
	return append(devices, more...), nil
}

// openNamed opens devices on goroutines. After an error, those that were opened are returned too.
func (p *plan[V, A]) openNamed(names []string) ([]device.Device, error) {
	devices, errs := make([]device.Device, len(names)), make([]error, len(names))
	together(len(names), func(i int) { devices[i], errs[i] = p.opt.hooks.open(names[i]) })
	return slices.DeleteFunc(devices, func(d device.Device) bool { return d == nil }), cmp.Or(errs...)
}

// sooner is why a small job has no GPU.
const sooner = "the CPU is likely done before a GPU is open; --device gpu takes it nevertheless"

// wantsGPU reports whether a GPU is asked for, or may be used.
func (p *plan[V, A]) wantsGPU() bool {
	if p.without == sooner {
		return false
	}
	switch p.opt.Device {
	case GPU, Hybrid:
		return true
	case AutoDevice:
		return p.opt.Method != NotifyPull && (p.opt.GPU.Name != "" || p.opt.hooks.gpus != nil || device.HasGPU())
	default:
		return false
	}
}

// withoutGPU notes why a job that may choose does not run on the GPU.
func (p *plan[V, A]) withoutGPU(err error) {
	p.without = err.Error()
	p.opt.Log.Info("the job runs on the CPU", zap.NamedError("reason", err))
}

// closeDevices closes the devices, whose memory must be free.
func (p *plan[V, A]) closeDevices() error {
	err := closeAll(p.devices)
	p.devices = nil
	return err
}

func closeAll(devices []device.Device) error {
	var errs []error
	for _, d := range devices {
		errs = append(errs, d.Close())
	}
	return errors.Join(errs...)
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
