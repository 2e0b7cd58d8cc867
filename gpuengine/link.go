package gpuengine

import "errors"

const (
	linkBytes  = 64 << 20
	linkRounds = 4
)

// MeasureLink gives the speed of copies to a device and from it, one after the
// other, in bytes per second.
func MeasureLink(d Device) (to, from float64, err error) {
	n := min(int64(linkBytes), d.Info().Free/2)
	host, err := d.Pin(n)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, d.Unpin(host)) }()
	p, err := d.Alloc(n)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, d.Free(p)) }()
	l, err := newLane(d, 0)
	defer func() { err = errors.Join(err, l.close(d)) }()
	if err != nil {
		return 0, 0, err
	}
	if to, err = l.fastest(n, func() error { return l.stream.ToDevice(p, host) }); err != nil {
		return 0, 0, err
	}
	from, err = l.fastest(n, func() error { return l.stream.ToHost(host, p) })
	return to, from, err
}

// fastest is the best speed of a copy of n bytes.
func (l *lane) fastest(n int64, copy func() error) (best float64, err error) {
	for range linkRounds {
		for _, step := range []func() error{
			func() error { return l.stream.Record(l.begun) }, copy,
			func() error { return l.stream.Record(l.done) }, l.stream.Sync,
		} {
			if err := step(); err != nil {
				return 0, err
			}
		}
		seconds, err := l.done.Since(l.begun)
		if err != nil {
			return 0, err
		}
		if seconds > 0 {
			best = max(best, float64(n)/seconds)
		}
	}
	return best, nil
}
