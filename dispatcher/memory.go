package dispatcher

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/internal/hostmem"
)

// ErrMemory is a budget that is too small for a job, as a [MemoryError] says.
var ErrMemory = hostmem.ErrBudget

// MemoryError says how much memory a job would take. All figures are bytes.
type MemoryError struct {
	Graph    string
	Budget   int64 // what was given
	Vertices int64 // what the arrays over vertices take
	Pages    int64 // what the least pages and buffers take
	Rows     int64 // what rows take beside them that are read as they are needed
	// Checkpoints is what those take that are written while the job runs.
	Checkpoints int64
}

// Least is the smallest budget that would do.
func (e *MemoryError) Least() int64 {
	return processBytes + e.Vertices + e.Pages + e.Rows + e.Checkpoints
}

func (e *MemoryError) Error() string {
	also := ""
	for _, part := range []struct {
		bytes int64
		what  string
	}{{e.Rows, "rows"}, {e.Checkpoints, "checkpoints"}} {
		if part.bytes > 0 {
			also += humanize.IBytes(uint64(part.bytes)) + " for " + part.what + ", "
		}
	}
	return fmt.Sprintf("graph %s: %v: the job takes %s for the arrays over vertices, %s%s for pages and %s for the process, more than %s; the smallest budget for it is %dMiB",
		e.Graph, ErrMemory, humanize.IBytes(uint64(e.Vertices)), also, humanize.IBytes(uint64(e.Pages)), humanize.IBytes(processBytes),
		humanize.IBytes(uint64(e.Budget)), (e.Least()+1<<20-1)>>20)
}

// Is makes it an [ErrMemory].
func (e *MemoryError) Is(target error) bool { return target == ErrMemory }
