//go:build cuda

package device

// #include <cuda.h>
//
// static CUresult garaph_to_peer(CUcontext x, CUdeviceptr dst, CUcontext y, CUdeviceptr src, size_t n, CUstream s) {
// 	CUresult r = cuCtxSetCurrent(x);
// 	return r ? r : cuMemcpyPeerAsync(dst, y, src, x, n, s);
// }
import "C"

import (
	"errors"
	"unsafe"

	"gorgonia.org/cu"
)

func (d *cudaDevice) NewStream(p Priority) (Stream, error) {
	s := &cudaStream{device: d}
	err := d.do("make a stream", func() (err error) {
		s.stream, err = cu.MakeStreamWithPriority(-int(p), cu.NonBlocking) // a lower number is more
		return err
	})
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.streams[s] = true
	return s, nil
}

func (d *cudaDevice) NewEvent() (Event, error) {
	e := &cudaEvent{device: d}
	err := d.do("make an event", func() (err error) {
		e.event, err = cu.MakeEvent(cu.DefaultEvent)
		return err
	})
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events[e] = true
	return e, nil
}

// cudaStream is a stream of a cudaDevice.
type cudaStream struct {
	device *cudaDevice
	stream cu.Stream
}

func (s *cudaStream) handle() C.CUstream { return *(*C.CUstream)(unsafe.Pointer(&s.stream)) }

func (s *cudaStream) ToDevice(dst Pointer, src []byte) error {
	if len(src) == 0 {
		return nil
	}
	return s.device.do("copy to the device", func() error {
		return cu.MemcpyHtoDAsync(cu.DevicePtr(dst), unsafe.Pointer(&src[0]), int64(len(src)), s.stream)
	})
}

func (s *cudaStream) ToHost(dst []byte, src Pointer) error {
	if len(dst) == 0 {
		return nil
	}
	return s.device.do("copy from the device", func() error {
		return cu.MemcpyDtoHAsync(unsafe.Pointer(&dst[0]), cu.DevicePtr(src), int64(len(dst)), s.stream)
	})
}

func (s *cudaStream) Copy(dst, src Pointer, n int64) error {
	return s.device.do("copy on the device", func() error {
		return cu.MemcpyDtoDAsync(cu.DevicePtr(dst), cu.DevicePtr(src), n, s.stream)
	})
}

func (s *cudaStream) ToPeer(peer Device, dst, src Pointer, n int64) error {
	d, to := s.device, under(peer).(*cudaDevice)
	r := C.garaph_to_peer(d.context(), C.CUdeviceptr(dst), to.context(), C.CUdeviceptr(src), C.size_t(n), s.handle())
	return d.check("copy to a peer", asError(r))
}

func (s *cudaStream) Fill(dst Pointer, b byte, n int64) error {
	if n == 0 {
		return nil
	}
	return s.device.do("fill memory", func() error { return cu.MemsetD8Async(cu.DevicePtr(dst), b, n, s.stream) })
}

func (s *cudaStream) Record(e Event) error {
	return s.device.do("record an event", func() error { return e.(*cudaEvent).event.Record(s.stream) })
}

func (s *cudaStream) Wait(e Event) error {
	return s.device.do("wait for an event", func() error { return s.stream.Wait(e.(*cudaEvent).event, 0) })
}

func (s *cudaStream) Sync() error {
	return s.device.do("wait for a stream", s.stream.Synchronize)
}

func (s *cudaStream) Close() error {
	s.device.mu.Lock()
	delete(s.device.streams, s)
	s.device.mu.Unlock()
	return s.device.do("close a stream", s.stream.Destroy)
}

// cudaEvent is an event of a cudaDevice.
type cudaEvent struct {
	device *cudaDevice
	event  cu.Event
}

func (e *cudaEvent) Sync() error { return e.device.do("wait for an event", e.event.Synchronize) }

func (e *cudaEvent) Done() bool {
	done := true
	_ = e.device.do("ask for an event", func() error {
		err := e.event.Query()
		if errors.Is(err, cu.NotReady) { // which is asked often, and no error to put into words
			done, err = false, nil
		}
		return err
	})
	return done
}

func (e *cudaEvent) Since(earlier Event) (seconds float64, err error) {
	err = e.device.do("time between events", func() error {
		ms, err := earlier.(*cudaEvent).event.Elapsed(e.event)
		seconds = ms / 1e3
		return err
	})
	return seconds, err
}

func (e *cudaEvent) Close() error {
	e.device.mu.Lock()
	delete(e.device.events, e)
	e.device.mu.Unlock()
	return e.device.do("close an event", func() error { return cu.DestroyEvent(&e.event) })
}
