package community

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/internal/hostmem"
)

// spill has the tasks that a device has no room for, outside the Go heap: a stack of chunks.
type spill struct {
	words  int   // of a task
	limit  int64 // bytes; 0: none
	chunks [][]uint64
	last   int // tasks in the last chunk
}

// chunkWords is the size of a chunk, unless a task is larger.
const chunkWords = 1 << 17

func (p *spill) perChunk() int { return max(1, chunkWords/p.words) }

func (p *spill) len() int {
	if len(p.chunks) == 0 {
		return 0
	}
	return (len(p.chunks)-1)*p.perChunk() + p.last
}

// full reports whether there is no room for so many more tasks.
func (p *spill) full(tasks int) bool {
	chunks := int64((p.len() + tasks + p.perChunk() - 1) / p.perChunk())
	return p.limit > 0 && chunks*int64(p.perChunk())*int64(p.words)*8 > p.limit
}

// push returns a new task, with any content.
func (p *spill) push() ([]uint64, error) {
	if len(p.chunks) == 0 || p.last == p.perChunk() {
		c, err := hostmem.Slice[uint64](p.perChunk() * p.words)
		if err != nil {
			return nil, fmt.Errorf("%s of host memory for open nodes of the search: %w", humanize.IBytes(uint64(8*p.perChunk()*p.words)), err)
		}
		p.chunks, p.last = append(p.chunks, c), 0
	}
	p.last++
	return p.run(1), nil
}

// run is the last tasks, n at most, that lie one behind another.
func (p *spill) run(n int) []uint64 {
	n = min(n, p.last)
	return p.chunks[len(p.chunks)-1][(p.last-n)*p.words:][:n*p.words]
}

// drop drops the last n tasks, which lie one behind another.
func (p *spill) drop(n int) {
	if p.last -= n; p.last == 0 {
		n := len(p.chunks) - 1
		hostmem.Free(p.chunks[n])
		p.chunks = p.chunks[:n]
		if n > 0 {
			p.last = p.perChunk()
		}
	}
}

func (p *spill) free() {
	for _, c := range p.chunks {
		hostmem.Free(c)
	}
	p.chunks, p.last = nil, 0
}
