package device

import "fmt"

// FaultOp is a kind of call that an emulated device can fail.
type FaultOp int

// The kinds of calls.
const (
	FaultAlloc  FaultOp = iota // Alloc and Pin
	FaultLoad                  // Load
	FaultStream                // NewStream and NewEvent
	FaultCopy                  // ToDevice, ToHost and Fill
	FaultLaunch                // Launch
	FaultEvent                 // Record and Wait
	FaultSync                  // Sync, of streams and events
	FaultRun                   // what a stream does, at the time when it does it
	FaultPeer                  // ToPeer and Reach, with several devices
	faultOps
)

func (o FaultOp) String() string {
	return [...]string{"alloc", "load", "stream", "copy", "launch", "event", "sync", "run", "peer"}[o]
}

// EmulatedFault makes a call fail.
type EmulatedFault struct {
	Op FaultOp
	N  int // the n-th call of this kind, from 1 on
	// Lost: the device is lost with it, and every later call fails too.
	Lost bool
}

// ErrInjected is a fault of EmulatedOptions.
var ErrInjected = fmt.Errorf("injected fault")

// fault counts a call and reports whether it fails. The caller holds d.mu.
func (d *Emulated) fault(op FaultOp) error {
	if d.lost {
		return ErrLost
	}
	d.counts[op]++
	for _, f := range d.opt.Faults {
		if f.Op == op && f.N == d.counts[op] {
			if f.Lost {
				d.lost = true
				return fmt.Errorf("%s %d: %w: %w", op, f.N, ErrInjected, ErrLost)
			}
			return fmt.Errorf("%s %d: %w", op, f.N, ErrInjected)
		}
	}
	return nil
}

func (d *Emulated) check(op FaultOp) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.fault(op)
}

// Calls is the number of calls of a kind there were.
func (d *Emulated) Calls(op FaultOp) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.counts[op]
}

// isLost reports whether the device is.
func (d *Emulated) isLost() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lost
}
