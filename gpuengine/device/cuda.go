//go:build cuda

package device

// #include <cuda.h>
//
// // What gorgonia.org/cu lacks. Each makes the context current itself: a
// // goroutine may change its thread between two calls.
// static CUresult garaph_pin(CUcontext x, void *p, size_t n) {
// 	CUresult r = cuCtxSetCurrent(x);
// 	return r ? r : cuMemHostRegister(p, n, CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
// }
// static CUresult garaph_reach(CUcontext x, CUdevice d, CUdevice peer, CUcontext y, int *direct) {
// 	CUresult r = cuDeviceCanAccessPeer(direct, d, peer);
// 	if (r || !*direct)
// 		return r;
// 	r = cuCtxSetCurrent(x);
// 	if (!r)
// 		r = cuCtxEnablePeerAccess(y, 0);
// 	return r == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED ? CUDA_SUCCESS : r;
// }
// static CUresult garaph_mapped(CUcontext x, void *p, CUdeviceptr *at) {
// 	CUresult r = cuCtxSetCurrent(x);
// 	return r ? r : cuMemHostGetDevicePointer(at, p, 0);
// }
// static CUresult garaph_unpin(CUcontext x, void *p) {
// 	CUresult r = cuCtxSetCurrent(x);
// 	return r ? r : cuMemHostUnregister(p);
// }
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/garaph/garaph/internal/hostmem"
)

// cudaDevice is a GPU through CUDA's driver.
type cudaDevice struct {
	device cu.Device
	ctx    cu.CUContext
	info   Info

	mu      sync.Mutex // guards what follows
	lost    error
	memory  map[Pointer]bool
	pinned  map[*byte]pinnedBytes
	streams map[*cudaStream]bool
	events  map[*cudaEvent]bool
	modules []cu.Module
}

// listCUDA describes the GPUs of this machine.
func listCUDA() ([]Listed, error) {
	n, err := cu.NumDevices()
	if err != nil {
		return nil, fmt.Errorf("count the GPUs: %w", err)
	}
	var list []Listed
	for i := range n {
		d, err := openCUDA(i)
		if err != nil {
			return nil, err
		}
		peers, err := peersOf(i, n)
		if err != nil {
			return nil, errors.Join(err, d.Close())
		}
		list = append(list, Listed{strconv.Itoa(i), d.Info(), peers})
		if err := d.Close(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// namesOfCUDA lists the numbers of the GPUs.
func namesOfCUDA() (names []string, err error) {
	n, err := cu.NumDevices()
	for i := range n {
		names = append(names, strconv.Itoa(i))
	}
	return names, err
}

// peersOf lists the GPUs of n to which GPU i copies directly.
func peersOf(i, n int) (names []string, err error) {
	for peer := range n {
		direct := C.int(0)
		if peer != i {
			err = asError(C.cuDeviceCanAccessPeer(&direct, C.CUdevice(i), C.CUdevice(peer)))
		}
		if err != nil {
			return nil, fmt.Errorf("ask GPU %d for access to GPU %d: %w", i, peer, err)
		}
		if direct != 0 {
			names = append(names, strconv.Itoa(peer))
		}
	}
	return names, nil
}

// openNamedCUDA opens the GPU of a number; "" is the first one.
func openNamedCUDA(name string) (Device, error) {
	if name == "" {
		name = "0"
	}
	number, err := strconv.Atoi(name)
	if err != nil {
		return nil, fmt.Errorf("GPU %q: %w: expected a number or %s", name, ErrNoDevice, EmulatedName)
	}
	return openCUDA(number)
}

func openCUDA(number int) (Device, error) {
	n, err := cu.NumDevices()
	if err != nil {
		return nil, fmt.Errorf("count the GPUs: %w", err)
	}
	if number < 0 || number >= n {
		return nil, fmt.Errorf("GPU %d: %w: this machine has %d, numbered from 0", number, ErrNoDevice, n)
	}
	d := &cudaDevice{
		device: cu.Device(number), memory: map[Pointer]bool{}, pinned: map[*byte]pinnedBytes{},
		streams: map[*cudaStream]bool{}, events: map[*cudaEvent]bool{},
	}
	if d.ctx, err = d.device.RetainPrimaryCtx(); err != nil {
		return nil, fmt.Errorf("open GPU %d: %w", number, err)
	}
	if err := d.describe(); err != nil {
		_ = d.device.ReleasePrimaryCtx()
		return nil, fmt.Errorf("describe GPU %d: %w", number, err)
	}
	if d.info.Capability < 70 {
		_ = d.device.ReleasePrimaryCtx()
		return nil, fmt.Errorf("GPU %d (%s) has compute capability %d.%d: 7.0 is the least that garaph runs on",
			number, d.info.Name, d.info.Capability/10, d.info.Capability%10)
	}
	return d, nil
}

func (d *cudaDevice) describe() error {
	return d.do("describe", func() (err error) {
		if d.info.Name, err = d.device.Name(); err != nil {
			return err
		}
		if d.info.Free, d.info.Memory, err = cu.MemInfo(); err != nil {
			return err
		}
		v := cu.Version()
		d.info.Driver = fmt.Sprintf("%d.%d", v/1000, v%1000/10)
		major, minor, err := d.device.ComputeCapability()
		if err != nil {
			return err
		}
		d.info.Capability = 10*major + minor
		for _, x := range []struct {
			to   *int
			what cu.DeviceAttribute
		}{
			{&d.info.Processors, cu.MultiprocessorCount},
			{&d.info.SharedBlock, cu.DeviceAttribute(C.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)},
		} {
			if *x.to, err = d.device.Attribute(x.what); err != nil {
				return err
			}
		}
		return nil
	})
}

// do calls f on a thread that has the device's context.
func (d *cudaDevice) do(what string, f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cu.SetCurrentContext(d.ctx)
	if err == nil {
		err = f()
	}
	return d.check(what, err)
}

// passing are the errors after which a device goes on.
var passing = []error{
	cu.OutOfMemory, cu.InvalidValue, cu.NotReady, cu.InvalidPtx, cu.InvalidImage, cu.NoBinaryForGpu, cu.NotFound,
	cu.LaunchOutOfResources, cu.NotSupported, cu.InvalidHandle,
}

// check names an error, and remembers one after which the device is lost: the
// driver answers everything with it from then on.
func (d *cudaDevice) check(what string, err error) error {
	if err == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !slices.ContainsFunc(passing, func(p error) bool { return errors.Is(err, p) }) {
		d.lost = err
	}
	if d.lost != nil {
		return fmt.Errorf("GPU %s: %s: %w: %w", d.info.Name, what, ErrLost, err)
	}
	if errors.Is(err, cu.OutOfMemory) {
		return fmt.Errorf("GPU %s: %s: %w", d.info.Name, what, ErrMemory)
	}
	return fmt.Errorf("GPU %s: %s: %w", d.info.Name, what, err)
}

// asError is the error of a call of C's: of those after which the device goes on,
// the one that check knows.
func asError(r C.CUresult) error {
	switch r {
	case C.CUDA_SUCCESS:
		return nil
	case C.CUDA_ERROR_OUT_OF_MEMORY:
		return cu.OutOfMemory
	case C.CUDA_ERROR_INVALID_VALUE:
		return cu.InvalidValue
	case C.CUDA_ERROR_INVALID_HANDLE:
		return cu.InvalidHandle
	case C.CUDA_ERROR_NOT_SUPPORTED:
		return cu.NotSupported
	case C.CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
		return cu.LaunchOutOfResources
	}
	var text *C.char
	if C.cuGetErrorString(r, &text) != C.CUDA_SUCCESS { //nolint:gocritic // code of cgo
		return fmt.Errorf("error %d of CUDA", int(r))
	}
	return errors.New(C.GoString(text))
}

func (d *cudaDevice) context() C.CUcontext { return *(*C.CUcontext)(unsafe.Pointer(&d.ctx)) }

func (d *cudaDevice) Info() Info { return d.info }

func (d *cudaDevice) Alloc(n int64) (p Pointer, err error) {
	err = d.do(fmt.Sprintf("allocate %d bytes", n), func() error {
		x, err := cu.MemAlloc(n)
		p = Pointer(x)
		return err
	})
	if err == nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.memory[p] = true
	}
	return p, err
}

func (d *cudaDevice) Free(p Pointer) error {
	if p == 0 {
		return nil
	}
	d.mu.Lock()
	delete(d.memory, p)
	d.mu.Unlock()
	return d.do("free memory", func() error { return cu.MemFree(cu.DevicePtr(p)) })
}

// Pin registers memory of the process with the driver, instead of taking the
// driver's: the CPU gathers faster from huge pages, and what the process owns is
// there when the device is lost. All processors populate the memory: the driver would
// do it on one.
func (d *cudaDevice) Pin(n int64) ([]byte, error) {
	b, err := hostmem.Apart(n)
	if err != nil || n == 0 {
		return nil, err
	}
	hostmem.PopulateAll(runtime.GOMAXPROCS(0), b)
	if err := d.register(b, true); err != nil {
		hostmem.FreeBytes(b)
		return nil, err
	}
	return b, nil
}

func (d *cudaDevice) register(b []byte, own bool) error {
	err := asError(C.garaph_pin(d.context(), unsafe.Pointer(&b[0]), C.size_t(len(b)))) //nolint:gocritic // code of cgo
	if err := d.check(fmt.Sprintf("pin %d bytes of memory", len(b)), err); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pinned[&b[0]] = pinnedBytes{b, own}
	return nil
}

func (d *cudaDevice) Register(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	return d.register(b, false)
}

func (d *cudaDevice) Mapped(b []byte) (Pointer, error) {
	if len(b) == 0 {
		return 0, nil
	}
	var p C.CUdeviceptr
	err := asError(C.garaph_mapped(d.context(), unsafe.Pointer(&b[0]), &p)) //nolint:gocritic // code of cgo
	return Pointer(p), d.check("map pinned memory", err)
}

func (d *cudaDevice) Reach(peer Device) (bool, error) {
	direct, to := C.int(0), under(peer).(*cudaDevice)
	r := C.garaph_reach(d.context(), C.CUdevice(d.device), C.CUdevice(to.device), to.context(), &direct)
	return direct != 0, d.check("reach GPU "+to.info.Name, asError(r))
}

func (d *cudaDevice) Unpin(b []byte) error {
	err := d.Unregister(b)
	hostmem.FreeBytes(b)
	return err
}

func (d *cudaDevice) Unregister(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	d.mu.Lock()
	delete(d.pinned, &b[0])
	d.mu.Unlock()
	//nolint:gocritic // code of cgo
	return d.check("unpin memory", asError(C.garaph_unpin(d.context(), unsafe.Pointer(&b[0]))))
}

// Close ends all work and frees what is left. After the device was lost, only
// the host can free its memory.
func (d *cudaDevice) Close() error {
	var errs []error
	for s := range d.streams {
		errs = append(errs, s.Sync(), s.Close())
	}
	for e := range d.events {
		errs = append(errs, e.Close())
	}
	for p := range d.memory {
		errs = append(errs, d.Free(p))
	}
	for _, p := range d.pinned {
		if p.own {
			errs = append(errs, d.Unpin(p.bytes))
		} else {
			errs = append(errs, d.Unregister(p.bytes))
		}
	}
	for _, m := range d.modules {
		errs = append(errs, d.do("unload a kernel", m.Unload))
	}
	errs = append(errs, d.device.ReleasePrimaryCtx())
	if d.lost == nil {
		return errors.Join(errs...)
	}
	return nil // they all fail
}
