package device

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// emulatedEvent counts how often it was recorded and up to which of these
// records it has happened.
type emulatedEvent struct {
	device *Emulated

	mu       sync.Mutex // guards what follows
	wake     *sync.Cond
	recorded int
	happened int
	at       time.Time
	failed   error // of what is before it in its stream
	closed   bool
}

// NewEvent makes an event.
func (d *Emulated) NewEvent() (Event, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.fault(FaultStream); err != nil {
		return nil, fmt.Errorf("make an event: %w", err)
	}
	d.events++
	e := &emulatedEvent{device: d}
	e.wake = sync.NewCond(&e.mu)
	return e, nil
}

func (e *emulatedEvent) record() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.recorded++
	return e.recorded
}

func (e *emulatedEvent) current() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.recorded
}

func (e *emulatedEvent) happen(n int, at time.Time, failed error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.happened, e.at, e.failed = max(e.happened, n), at, failed
	e.wake.Broadcast()
}

func (e *emulatedEvent) wait(n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for e.happened < n {
		e.wake.Wait()
	}
}

// Sync waits for it.
func (e *emulatedEvent) Sync() error {
	err := e.device.check(FaultSync)
	e.wait(e.current())
	if err == nil {
		e.mu.Lock()
		err = e.failed
		e.mu.Unlock()
	}
	if err == nil && e.device.isLost() {
		err = ErrLost
	}
	if err != nil {
		return fmt.Errorf("wait for an event: %w", err)
	}
	return nil
}

// Done reports whether it has happened.
func (e *emulatedEvent) Done() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.happened >= e.recorded
}

// Since is the time from an earlier event.
func (e *emulatedEvent) Since(earlier Event) (float64, error) {
	before, ok := earlier.(*emulatedEvent)
	if !ok {
		return 0, errors.New("time between events: one is of another device")
	}
	before.mu.Lock()
	from, ready := before.at, before.recorded > 0 && before.happened == before.recorded
	before.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	if !ready || e.recorded == 0 || e.happened < e.recorded {
		return 0, errors.New("time between events: one has not happened")
	}
	return e.at.Sub(from).Seconds(), nil
}

// Close ends it.
func (e *emulatedEvent) Close() error {
	e.mu.Lock()
	closed := e.closed
	e.closed = true
	e.mu.Unlock()
	if closed {
		return nil
	}
	e.device.mu.Lock()
	defer e.device.mu.Unlock()
	e.device.events--
	return nil
}
