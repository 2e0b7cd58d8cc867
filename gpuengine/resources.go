package gpuengine

import (
	"errors"
	"slices"

	"github.com/garaph/garaph/gpuengine/device"
)

// resources tracks what an engine has allocated on a device.
type resources struct {
	device  device.Device
	memory  []device.Pointer
	bytes   int64 // of memory
	pinned  [][]byte
	streams []device.Stream
	events  []device.Event
}

func (r *resources) alloc(n int64) (device.Pointer, error) {
	p, err := r.device.Alloc(n)
	if err == nil {
		r.memory = append(r.memory, p)
		r.bytes += aligned(n)
	}
	return p, err
}

func (r *resources) pin(n int64) ([]byte, error) {
	b, err := r.device.Pin(n)
	if err == nil {
		r.pinned = append(r.pinned, b)
	}
	return b, err
}

// repin returns more memory for what may be pinned memory of its own.
func (r *resources) repin(b []byte, n int64) ([]byte, error) {
	if i := slices.IndexFunc(r.pinned, func(p []byte) bool { return len(p) == len(b) && &p[0] == &b[0] }); i >= 0 {
		r.pinned = slices.Delete(r.pinned, i, i+1)
		if err := r.device.Unpin(b); err != nil {
			return nil, err
		}
	}
	return r.pin(n)
}

func (r *resources) stream(p device.Priority) (device.Stream, error) {
	s, err := r.device.NewStream(p)
	if err == nil {
		r.streams = append(r.streams, s)
	}
	return s, err
}

func (r *resources) newEvents(to ...*device.Event) (err error) {
	for _, x := range to {
		if *x, err = r.device.NewEvent(); err != nil {
			return err
		}
		r.events = append(r.events, *x)
	}
	return nil
}

// close frees all resources, once the streams are done.
func (r *resources) close() error {
	var errs []error
	for _, s := range r.streams {
		errs = append(errs, s.Close())
	}
	for _, e := range r.events {
		errs = append(errs, e.Close())
	}
	for _, b := range r.pinned {
		errs = append(errs, r.device.Unpin(b))
	}
	for _, p := range r.memory {
		errs = append(errs, r.device.Free(p))
	}
	*r = resources{device: r.device}
	return errors.Join(errs...)
}
