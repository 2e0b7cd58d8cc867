package cli

import (
	"errors"
	"math"
	"runtime/debug"

	"github.com/garaph/garaph"
	"github.com/garaph/garaph/algorithms"
	"github.com/garaph/garaph/internal/hostmem"
)

// defaultMemory returns the budget of a run without --memory: three quarters of the memory that
// is available on the machine or in the container.
func defaultMemory() int64 { return hostmem.Available() / 4 * 3 }

// peakMemory returns the largest resident memory of the process so far. A process inherits the figure
// of getrusage from the one that started it.
func peakMemory() int64 { return hostmem.ProcBytes("/proc/self/status", "VmHWM:") }

// goBytes is the part of any budget for the Go runtime and its heap, beside a
// sixteenth of it: code and arrays have the rest.
const goBytes = 16 << 20

// keepWithin lets the Go collector keep the process within a budget of memory;
// 0 if there is none. The arrays of a job lie outside its heap, and the rest is small:
// the limit keeps garbage from growing while much is read and written. undo puts
// the old limits back.
func keepWithin(budget int64) (undo func()) { return keepHeapWithin(budget, goBytes+budget/16) }

// keepHeapWithin is like keepWithin, for a job whose heap may have a larger part of the budget.
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

// held counts the bytes that a program holds on the heap beside its job.
type held struct{ bytes int64 }

// add lets the heap grow by some bytes.
func (h *held) add(bytes int64) {
	h.bytes += bytes
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64-bytes {
		debug.SetMemoryLimit(limit + bytes)
	}
}

// beside runs a program in the rest of the budget, without the bytes that are held and these bytes.
func (e Env) beside(bytes int64, run func(garaph.RunOptions) (*garaph.Result, error)) (*garaph.Result, error) {
	o := e.endless()
	bytes += e.held.bytes
	o.Memory = less(o.Memory, bytes)
	r, err := run(o)
	e.count(bytes, err)
	return r, err
}

// count adds memory that is held beside a job or an algorithm to the budgets that its error names.
func (e Env) count(bytes int64, err error) {
	var job *garaph.MemoryError
	var pass *algorithms.MemoryError
	var other interface{ Hold(bytes int64) }
	switch {
	case errors.As(err, &other):
		other.Hold(bytes)
	case errors.As(err, &job):
		job.Budget, job.Vertices = e.Options.Memory, job.Vertices+bytes
	case errors.As(err, &pass) && bytes > 0:
		pass.Budget, pass.Arrays = e.Options.Memory, append(pass.Arrays, algorithms.Array{Name: "the sources", Bytes: bytes})
	}
}

// less returns the rest of a budget. If budget is 0, it returns 0.
func less(budget, bytes int64) int64 {
	if budget == 0 {
		return 0
	}
	return max(1, budget-bytes)
}
