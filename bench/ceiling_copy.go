package bench

import (
	"context"
	"fmt"

	"github.com/garaph/garaph/internal/hostmem"
)

const (
	// copyPart is what one goroutine copies before it acquires the next task.
	copyPart = 8 << 20
	// copyLeast and copyCaches are the size of each of the two arrays: at least
	// copyLeast bytes, and copyCaches times the largest cache.
	copyLeast  = 64 << 20
	copyCaches = 2
	// copyShare is the part of the machine's memory that an array may take.
	copyShare = 16
)

// copyBytes is the size of the array to copy: both together are much larger than
// the cache, where the memory has room for them.
func (m Machine) copyBytes() int64 {
	n := max(copyLeast, copyCaches*m.Cache)
	if m.Memory > 0 {
		n = min(n, m.Memory/copyShare)
	}
	return max(n/copyPart, 1) * copyPart
}

// copySpeed is the bandwidth of the memory in bytes per second, those read and
// those written, as STREAM counts its copy (McCalpin, 1995).
func copySpeed(ctx context.Context, size int64, threads int) (float64, error) {
	from, err := hostmem.Bytes(size)
	if err != nil {
		return 0, fmt.Errorf("measure the stream copy: %w", err)
	}
	defer hostmem.FreeBytes(from)
	to, err := hostmem.Bytes(size)
	if err != nil {
		return 0, fmt.Errorf("measure the stream copy: %w", err)
	}
	defer hostmem.FreeBytes(to)
	for i := 0; i < len(from); i += 4 << 10 {
		from[i] = 1 // pages that were never written are all one page of zeros
	}
	return speed(ctx, 2*float64(size), func() error {
		return parallel(threads, int(size/copyPart), func(i int) error {
			at := i * copyPart
			copy(to[at:at+copyPart], from[at:at+copyPart])
			return nil
		})
	})
}
