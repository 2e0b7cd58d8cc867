package ingest

import (
	"fmt"
	"runtime"

	"github.com/dustin/go-humanize"
	"golang.org/x/sys/unix"

	"github.com/garaph/garaph/internal/hostmem"
)

// ErrMemory is a budget that is too small for an import.
var ErrMemory = hostmem.ErrBudget

const (
	// processBytes is what an import takes whatever its size: the program,
	// Badger's tables and logs, the blobs being stored.
	processBytes = 80 << 20
	// leastBytes beside them let one goroutine sort the largest shard but one
	// of a single vertex.
	leastBytes = 48 << 20
	// sorterBytes let one goroutine sort the largest shards with weights, but for
	// those of a single vertex, and have two of them stored.
	sorterBytes = 40 << 20

	inputBlock = 1 << 20 // bytes of input that are parsed as one
	// readerBytes are the blocks of one goroutine that parses, and leastBlocks
	// what edges have at least.
	readerBytes = 4 * inputBlock
	leastBlocks = 2 << 20
)

// memoryPlan divides the budget of an import. The arrays over vertices come on
// top of it.
type memoryPlan struct {
	dir     string
	space   func(int64) error
	total   int64
	blocks  int   // of edges in memory
	buckets int   // of one goroutine while reading
	sorters int   // goroutines that sort
	sort    int64 // bytes of all of them
	threads int   // goroutines that parse
	asked   int   // that would, given more memory
}

func planMemory(o Options) (memoryPlan, error) {
	p := memoryPlan{total: o.Memory, threads: o.Threads}
	if p.threads == 0 {
		p.threads = runtime.GOMAXPROCS(0)
	}
	p.asked = p.threads
	if p.total == 0 {
		p.total = max(processBytes+leastBytes, machineMemory()/4)
	}
	rest := p.total - processBytes
	if rest < leastBytes {
		return p, fmt.Errorf("import: %w: a budget of %s is below the least one of %dMiB",
			ErrMemory, humanize.IBytes(uint64(p.total)), int64(processBytes+leastBytes)>>20)
	}
	// Text blocks and batches of the readers are small beside the rest; where
	// they are not, fewer goroutines parse.
	p.threads = max(1, min(p.threads, int(rest/4/readerBytes), int((rest-sorterBytes-leastBlocks)/readerBytes)))
	rest -= int64(p.threads) * readerBytes
	p.sorters = max(1, min(o.threads(), int(rest/2/sorterBytes)))
	p.sort = max(int64(p.sorters)*sorterBytes, rest*3/8)
	p.blocks = int((rest - p.sort) / blockBytes)
	p.buckets = max(16, min(1024, p.blocks/4/p.threads))
	return p, nil
}

// leastFor is a budget with which the sorters have so much memory.
func (p *memoryPlan) leastFor(sort int64) int64 {
	return processBytes + int64(p.asked)*readerBytes + sort*8/3 + 1<<20
}

func (o Options) threads() int {
	if o.Threads > 0 {
		return o.Threads
	}
	return runtime.GOMAXPROCS(0)
}

func machineMemory() int64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0
	}
	return int64(info.Totalram) * int64(info.Unit)
}
