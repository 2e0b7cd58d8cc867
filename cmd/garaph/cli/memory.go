package cli

import (
	"runtime/debug"
	"syscall"

	"github.com/garaph/garaph/internal/hostmem"
)

// defaultMemory is the budget of a run without --memory: three quarters of what
// the machine, or the container, can give.
func defaultMemory() int64 { return hostmem.Available() / 4 * 3 }

// peakMemory is the largest resident memory of the process so far. It is not
// taken from getrusage, whose figure a process inherits from the one that
// started it.
func peakMemory() int64 {
	if n := hostmem.ProcBytes("/proc/self/status", "VmHWM:"); n > 0 {
		return n
	}
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return r.Maxrss << 10
}

// goBytes is what the Go runtime and its heap may take of any budget, beside a
// sixteenth of it: code and arrays have the rest.
const goBytes = 16 << 20

// keepWithin lets the Go collector keep the process within a budget of memory;
// 0: none. The arrays of a job lie outside its heap, and what is on it is small:
// the limit keeps garbage from growing while much is read and written. undo puts
// the old limits back.
func keepWithin(budget int64) (undo func()) { return keepHeapWithin(budget, goBytes+budget/16) }

// keepHeapWithin is keepWithin for a job whose heap may have a larger part of the budget.
func keepHeapWithin(budget, heap int64) (undo func()) {
	percent, limit := debug.SetGCPercent(50), debug.SetMemoryLimit(-1)
	if budget > 0 {
		debug.SetMemoryLimit(min(heap, limit))
	}
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}
}
