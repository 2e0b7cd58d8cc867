package bench

import (
	"errors"
	"math"

	"github.com/garaph/garaph/gpuengine/device"
)

// stopwatch times what a device does in a stream.
type stopwatch struct {
	stream     device.Stream
	begun, end device.Event
}

// newStopwatch makes one. It is closed also after an error.
func newStopwatch(d device.Device) (w stopwatch, err error) {
	if w.stream, err = d.NewStream(device.Normal); err != nil {
		return w, err
	}
	if w.begun, err = d.NewEvent(); err != nil {
		return w, err
	}
	w.end, err = d.NewEvent()
	return w, err
}

func (w *stopwatch) close() error {
	var errs []error
	if w.stream != nil {
		errs = append(errs, w.stream.Close())
	}
	for _, e := range []device.Event{w.begun, w.end} {
		if e != nil {
			errs = append(errs, e.Close())
		}
	}
	return errors.Join(errs...)
}

// least is the least time that the device takes for what work queues in the
// stream, of some rounds.
func (w *stopwatch) least(rounds int, work func() error) (seconds float64, err error) {
	seconds = math.Inf(1)
	for range rounds {
		for _, step := range []func() error{
			func() error { return w.stream.Record(w.begun) }, work,
			func() error { return w.stream.Record(w.end) }, w.stream.Sync,
		} {
			if err := step(); err != nil {
				return 0, err
			}
		}
		x, err := w.end.Since(w.begun)
		if err != nil {
			return 0, err
		}
		seconds = min(seconds, max(x, 1e-9)) // the clock of an emulated device stands still at times
	}
	return seconds, nil
}
