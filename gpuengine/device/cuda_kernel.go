//go:build cuda

package device

// #include <cuda.h>
//
// static CUresult garaph_shared(CUcontext x, CUfunction f, int bytes) {
// 	CUresult r = cuCtxSetCurrent(x);
// 	return r ? r : cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes);
// }
// // Arguments as one buffer: a launch reads just them, and allocates nothing.
// static CUresult garaph_launch(CUcontext x, CUfunction f, unsigned blocks, unsigned threads, unsigned shared,
// 	CUstream s, void *args, size_t n) {
// 	CUresult r = cuCtxSetCurrent(x);
// 	if (r) return r;
// 	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, args, CU_LAUNCH_PARAM_BUFFER_SIZE, &n, CU_LAUNCH_PARAM_END};
// 	return cuLaunchKernel(f, blocks, 1, 1, threads, 1, 1, shared, s, 0, extra);
// }
// static CUresult garaph_together(CUcontext x, CUfunction f, int threads, size_t shared, int *blocks) {
// 	CUresult r = cuCtxSetCurrent(x);
// 	return r ? r : cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, threads, shared);
// }
// // A kernel has one argument, its struct.
// static CUresult garaph_launch_together(CUcontext x, CUfunction f, unsigned blocks, unsigned threads, unsigned shared,
// 	CUstream s, void *args) {
// 	CUresult r = cuCtxSetCurrent(x);
// 	if (r) return r;
// 	void *all[] = {args};
// 	return cuLaunchCooperativeKernel(f, blocks, 1, 1, threads, 1, 1, shared, s, all);
// }
import "C"

import (
	"unsafe"

	"gorgonia.org/cu"
)

// cudaFunction is a kernel on a cudaDevice.
type cudaFunction struct {
	device   *cudaDevice
	name     string
	function cu.Function
}

func (f *cudaFunction) handle() C.CUfunction { return *(*C.CUfunction)(unsafe.Pointer(&f.function)) }

// Load compiles PTX for this device and lets the kernel have all the shared
// memory that there is.
func (d *cudaDevice) Load(k Kernel) (Function, error) {
	text, err := k.PTX()
	if err != nil {
		return nil, err
	}
	f := &cudaFunction{device: d, name: k.Name}
	err = d.do("compile kernel "+k.Name, func() error {
		m, err := cu.LoadData(text)
		if err != nil {
			return err
		}
		d.mu.Lock()
		d.modules = append(d.modules, m)
		d.mu.Unlock()
		f.function, err = m.Function(k.Entry)
		return err
	})
	if err != nil {
		return nil, err
	}
	fixed, err := f.function.Attribute(cu.SharedSizeBytes)
	if err == nil {
		err = asError(C.garaph_shared(d.context(), f.handle(), C.int(d.info.SharedBlock-fixed)))
	}
	if err := d.check("shared memory of kernel "+k.Name, err); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *cudaFunction) Launch(s Stream, blocks, threads, shared int, args []byte) error {
	return f.device.check("launch kernel "+f.name, asError(C.garaph_launch(f.device.context(), f.handle(),
		C.uint(blocks), C.uint(threads), C.uint(shared), s.(*cudaStream).handle(), unsafe.Pointer(&args[0]),
		C.size_t(len(args)))))
}

func (f *cudaFunction) Together(threads, shared int) (blocks int, err error) {
	var n C.int
	//nolint:gocritic // code of cgo
	err = asError(C.garaph_together(f.device.context(), f.handle(), C.int(threads), C.size_t(shared), &n))
	if err == nil && n == 0 {
		err = cu.LaunchOutOfResources
	}
	return int(n) * f.device.info.Processors, f.device.check("occupancy of kernel "+f.name, err)
}

func (f *cudaFunction) LaunchTogether(s Stream, blocks, threads, shared int, args []byte) error {
	return f.device.check("launch kernel "+f.name, asError(C.garaph_launch_together(f.device.context(), f.handle(),
		C.uint(blocks), C.uint(threads), C.uint(shared), s.(*cudaStream).handle(), unsafe.Pointer(&args[0]))))
}
