package gpuengine

import (
	"errors"

	"github.com/garaph/garaph/gpuengine/device"
)

// staging copies arrays that are not pinned to and from the device, through pinned memory. To the
// device it has two halves: one is copied while the other is filled.
type staging struct {
	memory []byte
	events [2]device.Event
}

const maxStaging = 8 << 20

// newStaging returns staging for arrays of about n bytes.
func newStaging(r *resources, n int64) (s staging, err error) {
	s.memory, err = r.pin((min(max(n, 4096), maxStaging) + 63) &^ 63)
	return s, errors.Join(err, r.newEvents(&s.events[0], &s.events[1]))
}

func (s *staging) half(i int) ([]byte, device.Event) {
	n := len(s.memory) / 2
	return s.memory[i%2*n:][:n], s.events[i%2]
}

// toDevice copies src. Copies from the halves may still be running when it returns.
func (s *staging) toDevice(stream device.Stream, dst device.Pointer, src []byte) error {
	if err := stream.Sync(); err != nil { // the halves are free
		return err
	}
	for i := 0; len(src) > 0; i++ {
		half, copied := s.half(i)
		if i >= 2 {
			if err := copied.Sync(); err != nil {
				return err
			}
		}
		n := copy(half, src)
		if err := stream.ToDevice(dst, half[:n]); err != nil {
			return err
		}
		if err := stream.Record(copied); err != nil {
			return err
		}
		src, dst = src[n:], dst+device.Pointer(n)
	}
	return nil
}

// toHost copies to dst.
func (s *staging) toHost(stream device.Stream, dst []byte, src device.Pointer) error {
	for len(dst) > 0 {
		n := min(len(s.memory), len(dst))
		if err := errors.Join(stream.ToHost(s.memory[:n], src), stream.Sync()); err != nil {
			return err
		}
		copy(dst, s.memory[:n])
		dst, src = dst[n:], src+device.Pointer(n)
	}
	return nil
}
