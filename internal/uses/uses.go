// Package uses keeps a resource open while calls use it.
package uses

import (
	"errors"
	"sync"
)

// ErrInUse is the error of closing a resource while a call uses it.
var ErrInUse = errors.New("it is in use; close it after the last call has returned")

// Count counts the calls that use a resource. Calls may nest: Close never waits for them, but fails.
type Count struct {
	mu     sync.RWMutex // read-locked by each use
	closed bool
}

// Begin begins a use and reports whether the resource is open. If it is, End ends the use.
func (c *Count) Begin() bool {
	c.mu.RLock()
	if c.closed {
		c.mu.RUnlock()
		return false
	}
	return true
}

// End ends a use.
func (c *Count) End() { c.mu.RUnlock() }

// Close calls free, unless it has done so before. If a call uses the resource, it returns [ErrInUse].
func (c *Count) Close(free func() error) error {
	if !c.mu.TryLock() {
		return ErrInUse
	}
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	return free()
}
