package store

import (
	"fmt"
	"runtime/debug"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/internal/hostmem"
)

const (
	// directoryTimes is the memory for reading a directory, in multiples of its
	// bytes on the disk: its mapped files, a slice of shards that grows, garbage.
	directoryTimes = 6
	// smallDirectory is the part of a directory that [hostmem.Process] includes.
	smallDirectory = 1 << 20
)

// checkMemory reports [ErrMemory] for a directory of that size on the disk.
// The limit is the memory limit of the Go runtime, which is the budget of a run: the graph may
// come from another user, and have millions of shards.
func checkMemory(bytes int64) error {
	limit := debug.SetMemoryLimit(-1)
	need := directoryTimes*bytes + hostmem.Process
	if bytes <= smallDirectory || need <= limit {
		return nil
	}
	return fmt.Errorf("%w: to read the directory of its shards takes %s, and the process may have %s; give it more",
		ErrMemory, humanize.IBytes(uint64(need)), humanize.IBytes(uint64(limit)))
}
