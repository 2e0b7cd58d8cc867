package device

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"
)

// emulatedStream is a goroutine that does what is queued. After an error it does
// nothing but make events happen, so that no waiter blocks forever.
type emulatedStream struct {
	device *Emulated
	done   chan struct{} // closed at the end of the goroutine

	mu     sync.Mutex // guards what follows
	wake   *sync.Cond
	queue  []func() error
	busy   bool
	closed bool
	err    error // the first one
}

// NewStream starts a stream; all have the same priority.
func (d *Emulated) NewStream(Priority) (Stream, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.fault(FaultStream); err != nil {
		return nil, fmt.Errorf("make a stream: %w", err)
	}
	s := &emulatedStream{device: d, done: make(chan struct{})}
	s.wake = sync.NewCond(&s.mu)
	d.streams[s] = true
	go s.run()
	return s, nil
}

func (s *emulatedStream) run() {
	defer close(s.done)
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		for len(s.queue) == 0 && !s.closed {
			s.wake.Wait()
		}
		if len(s.queue) == 0 {
			return
		}
		work := s.queue[0]
		s.queue = slices.Delete(s.queue, 0, 1)
		s.busy = true
		s.mu.Unlock()
		for range rand.IntN(4) {
			runtime.Gosched() // others come first, now and then
		}
		err := work()
		s.mu.Lock()
		s.busy = false
		if s.err == nil {
			s.err = err
		}
		s.wake.Broadcast()
	}
}

// add queues work that does not happen after an error.
func (s *emulatedStream) add(work func() error) error {
	return s.always(func() error {
		s.mu.Lock()
		err := s.err
		s.mu.Unlock()
		if err == nil {
			err = s.device.check(FaultRun)
		}
		if err == nil {
			err = work()
		}
		return err
	})
}

// always queues work.
func (s *emulatedStream) always(work func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errors.New("the stream is closed")
	}
	s.queue = append(s.queue, work)
	s.wake.Broadcast()
	return nil
}

// ToDevice copies from pinned memory.
func (s *emulatedStream) ToDevice(dst Pointer, src []byte) error {
	return s.copy("to", dst, src, func(host, device []byte) { copy(device, host) })
}

// ToHost copies to pinned memory.
func (s *emulatedStream) ToHost(dst []byte, src Pointer) error {
	return s.copy("from", src, dst, func(host, device []byte) {
		s.device.Lock() // other bits of a word may be set meanwhile
		defer s.device.Unlock()
		copy(host, device)
	})
}

func (s *emulatedStream) copy(way string, p Pointer, host []byte, move func(host, device []byte)) error {
	err := s.device.check(FaultCopy)
	if err == nil && len(host) > 0 && !isPinned(host) {
		err = errors.New("the host's memory is not pinned")
	}
	if err != nil {
		return fmt.Errorf("copy %d bytes %s the device: %w", len(host), way, err)
	}
	return s.add(func() error {
		device, err := s.device.Bytes(p, int64(len(host)))
		if err != nil {
			return fmt.Errorf("copy %s the device: %w", way, err)
		}
		move(host, device)
		return nil
	})
}

// Copy copies on the device.
func (s *emulatedStream) Copy(dst, src Pointer, n int64) error {
	if err := s.device.check(FaultCopy); err != nil {
		return fmt.Errorf("copy %d bytes on the device: %w", n, err)
	}
	return s.add(func() error {
		to, err := s.device.Bytes(dst, n)
		if err != nil {
			return err
		}
		from, err := s.device.Bytes(src, n)
		copy(to, from)
		return err
	})
}

// ToPeer copies to another emulated device.
func (s *emulatedStream) ToPeer(peer Device, dst, src Pointer, n int64) error {
	if err := s.device.check(FaultPeer); err != nil {
		return fmt.Errorf("copy %d bytes to a peer: %w", n, err)
	}
	return s.add(func() error {
		from, err := s.device.Bytes(src, n)
		if err != nil {
			return err
		}
		to, err := under(peer).(Memory).Bytes(dst, n)
		copy(to, from)
		return err
	})
}

// Fill sets memory.
func (s *emulatedStream) Fill(dst Pointer, b byte, n int64) error {
	if err := s.device.check(FaultCopy); err != nil {
		return fmt.Errorf("fill %d bytes of the device: %w", n, err)
	}
	return s.add(func() error {
		memory, err := s.device.Bytes(dst, n)
		for i := range memory {
			memory[i] = b
		}
		return err
	})
}

// Record makes e happen after what is queued.
func (s *emulatedStream) Record(e Event) error {
	if err := s.device.check(FaultEvent); err != nil {
		return fmt.Errorf("record an event: %w", err)
	}
	event, ok := e.(*emulatedEvent)
	if !ok {
		return errors.New("record an event: the event belongs to another device")
	}
	n := event.record()
	err := s.always(func() error {
		s.mu.Lock()
		failed := s.err
		s.mu.Unlock()
		event.happen(n, time.Now(), failed)
		return nil
	})
	if err != nil {
		event.happen(n, time.Now(), err) // release its waiters
	}
	return err
}

// Wait lets what is queued later wait for e.
func (s *emulatedStream) Wait(e Event) error {
	if err := s.device.check(FaultEvent); err != nil {
		return fmt.Errorf("wait for an event: %w", err)
	}
	event, ok := e.(*emulatedEvent)
	if !ok {
		return errors.New("wait for an event: the event belongs to another device")
	}
	n := event.current()
	return s.always(func() error {
		event.wait(n)
		return nil
	})
}

// Sync waits for all that is queued.
func (s *emulatedStream) Sync() error {
	fault := s.device.check(FaultSync)
	s.idle()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.err != nil:
		return s.err
	case fault != nil:
		return fmt.Errorf("wait for a stream: %w", fault)
	}
	return nil
}

// idle waits for all that is queued.
func (s *emulatedStream) idle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) > 0 || s.busy {
		s.wake.Wait()
	}
}

// Close ends the stream after what is queued.
func (s *emulatedStream) Close() error {
	s.mu.Lock()
	closed := s.closed
	s.closed = true
	s.wake.Broadcast()
	s.mu.Unlock()
	if closed {
		return nil
	}
	<-s.done
	s.device.mu.Lock()
	defer s.device.mu.Unlock()
	delete(s.device.streams, s)
	return nil
}
