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

// toHost copies n bytes, and calls use for each part of them. Parts are multiples of 8 bytes, but for
// the last one.
func (s *staging) toHost(stream device.Stream, n int, src device.Pointer, use func(part []byte)) error {
	for n > 0 {
		part := s.memory[:min(len(s.memory), n)]
		if err := errors.Join(stream.ToHost(part, src), stream.Sync()); err != nil {
			return err
		}
		use(part)
		n, src = n-len(part), src+device.Pointer(len(part))
	}
	return nil
}
