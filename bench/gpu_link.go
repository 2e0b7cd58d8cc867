package bench

import (
	"errors"

	"github.com/garaph/garaph/gpuengine/device"
)

const (
	linkBytes  = 64 << 20
	linkRounds = 4
	// bothCopies is how many copies each way are on the link at once: enough that
	// the one way does not wait for the end of the other.
	bothCopies = 4
)

// Link is how fast memory is copied, in bytes per second.
type Link struct {
	To   float64 `json:"to"`   // the device
	From float64 `json:"from"` // the device
	Both float64 `json:"both"` // to it and from it at once, in all
}

// MeasureLink measures copies to a device, from it, and both at once, from
// pinned memory.
func MeasureLink(d device.Device) (link Link, err error) {
	n := min(int64(linkBytes), d.Info().Free/4)
	var host [2][]byte
	var at [2]device.Pointer
	var watches [2]stopwatch
	for i := range host {
		if host[i], err = d.Pin(n); err != nil {
			return Link{}, err
		}
		defer func() { err = errors.Join(err, d.Unpin(host[i])) }()
		if at[i], err = d.Alloc(n); err != nil {
			return Link{}, err
		}
		defer func() { err = errors.Join(err, d.Free(at[i])) }()
		watches[i], err = newStopwatch(d)
		defer func() { err = errors.Join(err, watches[i].close()) }()
		if err != nil {
			return Link{}, err
		}
	}
	there, back := &watches[0], &watches[1]
	to := func() error { return there.stream.ToDevice(at[0], host[0]) }
	from := func() error { return back.stream.ToHost(host[1], at[1]) }
	both := func() error {
		for i := range bothCopies {
			if err := to(); err != nil {
				return err
			}
			if i == 0 { // the other stream begins where this one does
				if err := back.stream.Wait(there.begun); err != nil {
					return err
				}
			}
			if err := from(); err != nil {
				return err
			}
		}
		if err := back.stream.Record(back.end); err != nil {
			return err
		}
		return there.stream.Wait(back.end)
	}
	for _, x := range []struct {
		speed *float64
		bytes int64
		copy  func() error
	}{{&link.To, n, to}, {&link.From, n, func() error { return there.stream.ToHost(host[0], at[0]) }}, {&link.Both, 2 * bothCopies * n, both}} {
		seconds, err := there.least(linkRounds, x.copy)
		if err != nil {
			return Link{}, err
		}
		*x.speed = float64(x.bytes) / seconds
	}
	return link, nil
}
