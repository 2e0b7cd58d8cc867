package store

import (
	"fmt"
	"runtime/debug"

	"github.com/dustin/go-humanize"
)

const (
	// directoryTimes is what a directory takes while it is read, in multiples of its
	// bytes on the disk: its mapped files, a slice of shards that grows, garbage.
	directoryTimes = 6
	// processBytes is what the process takes beside it, and smallDirectory what of a
	// directory is part of that.
	processBytes   = 42 << 20
	smallDirectory = 1 << 20
)

// checkMemory reports [ErrMemory] for a directory of so many bytes on the disk.
// The limit is that of the Go collector, which is the budget of a run: the graph may
// come from anybody, and have millions of shards.
func checkMemory(bytes int64) error {
	limit := debug.SetMemoryLimit(-1)
	need := directoryTimes*bytes + processBytes
	if bytes <= smallDirectory || need <= limit {
		return nil
	}
	return fmt.Errorf("%w: to read the directory of its shards takes %s, and the process may have %s; give it more", ErrMemory, humanize.IBytes(uint64(need)), humanize.IBytes(uint64(limit)))
}
