package build

import (
	"cmp"
	"fmt"
	"runtime"

	"github.com/dustin/go-humanize"

	"github.com/garaph/garaph/ingest/read"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/store"
)

// ErrMemory is returned if the budget is too small for an import.
var ErrMemory = hostmem.ErrBudget

// ErrLeast is returned if the budget is too small for any import.
var ErrLeast = fmt.Errorf("%w", ErrMemory)

const (
	// processBytes is the memory of an import of any size: the program,
	// Badger's tables and logs, the blobs being stored.
	processBytes = 80 << 20
	// leastBytes beside them let one goroutine sort the largest shard but one
	// of a single vertex.
	leastBytes = 48 << 20
	// sorterBytes let one goroutine sort the largest shards with weights, but for
	// shards of a single vertex, and have two of them stored.
	sorterBytes = 40 << 20
	// packerBytes let it pack them too.
	packerBytes = 60 << 20

	// windowShare is the part of the budget that the window of a zstd stream may
	// have: while edges are read, the process needs less than processBytes.
	windowShare = 8

	// rowShare is the part that rows of Parquet files may have while they are read, but for
	// what is more than maxRowBytes. It is taken from the part of arrays over vertices, where
	// it is more than the blocks of text, which there are none of then.
	rowShare    = 8
	maxRowBytes = 1 << 30

	inputBlock = 1 << 20 // bytes of input that are parsed as one
	// readerBytes are the blocks of one goroutine that parses, and leastBlocks
	// what edges have at least.
	readerBytes = read.ReaderBlocks * inputBlock
	leastBlocks = 2 << 20
)

// memoryPlan divides the budget of an import. While edges are read, arrays over
// vertices have the memory in which edges are sorted then.
type memoryPlan struct {
	dir     string
	space   func(int64) error
	total   int64
	least   int64 // beside the process
	blocks  int   // of edges in memory
	buckets int   // of one goroutine while reading
	sorters int   // goroutines that sort
	sort    int64 // bytes of all of them
	arrays  int64 // bytes of arrays over vertices
	names   int64 // of names that are sorted
	tallies int64 // of the counts that goroutines have of their own
	threads int   // goroutines that parse
	asked   int   // that would, given more memory
	layout  store.Layout
}

// LeastMemory returns the least budget with which an import of that layout can begin.
func LeastMemory(layout store.Layout) int64 {
	least := int64(processBytes + leastBytes)
	if layout != store.CSC {
		least += packerBytes
	}
	return least
}

// available is a variable for tests.
var available = hostmem.Available

func planMemory(o Options) (memoryPlan, error) {
	p := memoryPlan{
		total: o.Memory, threads: cmp.Or(o.Threads, runtime.GOMAXPROCS(0)), least: leastBytes, layout: o.Storage.Layout,
	}
	if err := hostmem.CheckThreads(o.Threads); err != nil {
		return p, err
	}
	sorterBytes := int64(sorterBytes)
	if o.Storage.Layout == store.Packed {
		sorterBytes += packerBytes
		p.least += packerBytes
	}
	p.asked = p.threads
	if p.total == 0 {
		available := available()
		if p.total = processBytes + p.least; available > 0 && available < p.total {
			return p, fmt.Errorf(
				"%w: %s are available within all limits, and the least budget is %dMiB; --memory %dMiB tries it all the same",
				ErrMemory, humanize.IBytes(uint64(available)), p.total>>20, p.total>>20,
			)
		}
		p.total = max(p.total, available/2)
	}
	rest := p.total - processBytes
	if rest < p.least {
		return p, fmt.Errorf("%w: a budget of %s is below the least one of %dMiB",
			ErrLeast, humanize.IBytes(uint64(p.total)), (processBytes+p.least)>>20)
	}
	// Text blocks and batches of the readers are small beside the rest; where
	// they are not, fewer goroutines parse.
	p.threads = max(1, min(p.threads, int(rest/4/readerBytes), int((rest-sorterBytes-leastBlocks)/readerBytes)))
	rest -= int64(p.threads) * readerBytes
	p.sorters = max(1, min(p.asked, int(rest/2/sorterBytes)))
	p.sort = max(int64(p.sorters)*sorterBytes, rest*2/3)
	p.arrays, p.names, p.tallies = p.sort/4*3, p.sort/8, p.sort/8
	p.blocks = int((rest - p.sort) / blockBytes)
	p.buckets = max(16, min(1024, p.blocks/4/p.threads))
	return p, nil
}

// leastFor returns a budget that gives the sorters sort bytes.
func (p *memoryPlan) leastFor(sort int64) int64 {
	return processBytes + max(p.least, int64(p.asked)*readerBytes+sort*3/2+1<<20)
}

// rows returns the memory for rows of files of columns, and rowArrays the part of it that is taken
// from the memory of arrays over vertices.
func (p *memoryPlan) rows() int64 { return min(p.total/rowShare, maxRowBytes) }

func (p *memoryPlan) rowArrays() int64 { return max(0, p.rows()-int64(p.threads)*readerBytes) }

// enoughFor returns a budget that has the memory for arrays over vertices and, if rows are read, for those
// too, whose part grows with the budget.
func (p *memoryPlan) enoughFor(arrays int64, rows bool) (mebibytes int64) {
	least := p.leastFor(arrays/3*4 + 4)
	for {
		mebibytes = (least + 1<<20 - 1) >> 20
		q, err := planMemory(Options{Memory: mebibytes << 20, Threads: p.asked, Storage: StorageOptions{Layout: p.layout}})
		short := arrays - q.arrays
		if rows {
			short += q.rowArrays()
		}
		if err == nil && short <= 0 {
			return mebibytes
		}
		least = mebibytes<<20 + max(1, short)
	}
}

// vertexBytes returns the memory for a vertex while an import reads edges and
// numbers vertices: degrees, a bit, and the numbering.
func (b *Builder) vertexBytes() int64 {
	n := int64(4 + 1) // a bit, and the rank of it
	if !b.mirror {
		n += 4
	}
	if b.opt.Storage.Order != store.ByInput {
		n += orderBytes
	}
	switch {
	case b.strings != nil:
		n += stripeBytes(namePrintBytes)
	case b.mapped.Load():
		n += max(stripeBytes(8), numberedBytes+4)
	}
	return n
}

// reserve takes a part of the memory for arrays over vertices, for what is named.
func (b *Builder) reserve(bytes int64, what string) error {
	b.reserved += bytes
	if b.reserved <= b.plan.arrays {
		return nil
	}
	return b.tooSmall(what, b.reserved)
}

// tooSmall returns the error of arrays over vertices that are too large, with what is reserved.
func (b *Builder) tooSmall(what string, arrays int64) error {
	p, rows, fixed := &b.plan, b.schema.Columnar, arrays
	if rows {
		fixed -= p.rowArrays()
	}
	return fmt.Errorf("%w: %s %s, more than the %s that a budget of %s has for them; --memory %dMiB is enough",
		ErrMemory, what, humanize.IBytes(uint64(arrays)), humanize.IBytes(uint64(p.arrays)), humanize.IBytes(uint64(p.total)),
		p.enoughFor(fixed, rows))
}

// admit sets how many vertices there may be, by what each takes.
func (b *Builder) admit() {
	b.most = uint64(max(0, b.plan.arrays-b.reserved) / b.vertexBytes())
}

// beyond refuses a number that is too large for the arrays. How many vertices
// there will be is known only where integers are their own numbers.
func (b *Builder) beyond(t uint32) error {
	n := int64(t) + 1
	what := fmt.Sprintf("arrays over %s vertices take", humanize.Comma(n))
	switch {
	case b.schema.IDs != read.IDDense:
		what = fmt.Sprintf("there are %s vertices by now, and arrays over twice as many take", humanize.Comma(n))
		n *= 2
	case b.schema.Vertices < 0:
		what = fmt.Sprintf("id %d makes %s vertices, with or without edges (see --ids int), and arrays over them take",
			int64(t)+b.schema.Base, humanize.Comma(n))
	}
	return fmt.Errorf("import: %w", b.tooSmall(what, b.reserved+n*b.vertexBytes()))
}
