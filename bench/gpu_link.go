package bench

import (
	"errors"
	"math"

	"github.com/garaph/garaph/gpuengine/device"
)

const (
	linkBytes  = 64 << 20
	linkRounds = 4
	// bothCopies is the number of copies each way that are on the link at once: enough that
	// the one way does not wait for the end of the other.
	bothCopies = 4
)

// Link is how fast memory is copied, in bytes per second.
type Link struct {
	To   float64 `json:"to"`   // the device
	From float64 `json:"from"` // the device
	Both float64 `json:"both"` // to it and from it at once, in all
}

// MeasureLink measures copies to a device, from it, and both at once, from pinned memory.
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
	both := func() error {
		steps := []error{back.stream.Wait(there.begun)} // the other stream begins where this one does
		for range bothCopies {
			steps = append(steps, there.stream.ToDevice(at[0], host[0]), back.stream.ToHost(host[1], at[1]))
		}
		return errors.Join(append(steps, back.stream.Record(back.end), there.stream.Wait(back.end))...)
	}
	for _, x := range []struct {
		speed *float64
		bytes int64
		copy  func() error
	}{
		{&link.To, n, func() error { return there.stream.ToDevice(at[0], host[0]) }},
		{&link.From, n, func() error { return there.stream.ToHost(host[0], at[0]) }},
		{&link.Both, 2 * bothCopies * n, both},
	} {
		seconds, err := there.least(linkRounds, x.copy)
		if err != nil {
			return Link{}, err
		}
		*x.speed = float64(x.bytes) / seconds
	}
	return link, nil
}

// stopwatch times what a device does in a stream.
type stopwatch struct {
	stream     device.Stream
	begun, end device.Event
}

// newStopwatch makes one, which must be closed even after an error.
func newStopwatch(d device.Device) (w stopwatch, err error) {
	if w.stream, err = d.NewStream(device.Normal); err != nil {
		return w, err
	}
	if w.begun, err = d.NewEvent(); err == nil {
		w.end, err = d.NewEvent()
	}
	return w, err
}

func (w *stopwatch) close() (err error) {
	if w.stream != nil {
		err = w.stream.Close()
	}
	for _, e := range []device.Event{w.begun, w.end} {
		if e != nil {
			err = errors.Join(err, e.Close())
		}
	}
	return err
}

// least returns the least time that the device takes for what work queues in the stream.
func (w *stopwatch) least(rounds int, work func() error) (float64, error) {
	least := math.Inf(1)
	for range rounds {
		if err := errors.Join(w.stream.Record(w.begun), work(), w.stream.Record(w.end), w.stream.Sync()); err != nil {
			return 0, err
		}
		x, err := w.end.Since(w.begun)
		if err != nil {
			return 0, err
		}
		least = min(least, max(x, 1e-9)) // the clock of an emulated device stands still at times
	}
	return least, nil
}
