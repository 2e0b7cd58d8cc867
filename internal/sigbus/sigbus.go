// Package sigbus keeps a process alive that touches a page of a mapped file
// which the disk cannot provide: for which a full disk has no room, which lies
// behind the end of a file that was cut, or which cannot be read. The system
// answers with the signal SIGBUS, which ends a Go program in whatever goroutine
// it meets, a library's own among them.
//
// While a [Guard] is held, such a page becomes one of zeros that belongs to no
// file, and the guard reports that it happened. What was written to the page is
// lost, and what was read from it is wrong: the holder of a guard must discard
// what it wrote, and check what it read.
package sigbus

import (
	"errors"
	"sync/atomic"
)

// ErrFault is reported by a guard under which a page of a mapped file could not
// be had. It is that of any file of the process: the signal does not say whose
// it is.
var ErrFault = errors.New("no space left on device for a mapped file, or it cannot be read")

// guards is the number of guards that are held, and faults that of pages which
// were replaced. The signal's handler reads the one and adds to the other.
var guards, faults atomic.Uint64

// Guard replaces pages that the disk cannot provide, from [Hold] to its release.
// Guards may overlap.
type Guard struct {
	before   uint64 // faults when it was acquired
	released atomic.Bool
}

// Hold acquires a guard. Where the system is not known, it replaces nothing.
func Hold() *Guard {
	guards.Add(1)
	install()
	return &Guard{before: faults.Load()}
}

// Err reports [ErrFault] when a page was replaced since the guard was acquired,
// also after its release.
func (g *Guard) Err() error {
	if faults.Load() != g.before {
		return ErrFault
	}
	return nil
}

// Release ends the guard, and returns what Err does. Only the first call ends it.
func (g *Guard) Release() error {
	if !g.released.Swap(true) {
		guards.Add(^uint64(0))
	}
	return g.Err()
}
