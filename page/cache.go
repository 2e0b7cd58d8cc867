package page

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/store"
)

const (
	// maxPageBytes is large enough for the full bandwidth of a disk or a link,
	// and small enough that a few dozen pages exist to overlap work with.
	maxPageBytes = 16 << 20
	// maxResidentBytes is for pages that need not be read again: fewer of them,
	// at the end of which goroutines wait for each other.
	maxResidentBytes = 64 << 20
	// ringPages are in flight when pages are streamed: one being processed and
	// two being read.
	ringPages = 3
	// budgetPages is into how many pages a small budget is divided at least: the larger
	// they are, the more packed shards are folded together.
	budgetPages = 8
)

// Readers is the number of shards of streamed pages that are read at once, each by a
// goroutine that waits for the disk. The disk that was measured needs 4 MiB under
// way to be at its fastest; shards of large graphs have 1 to 4 MiB, and while some
// are read others are verified. On two cores 12 were slower than 8.
const Readers = 8

// Options configures what a job reads, and with how much memory.
type Options struct {
	Gather []shard.Direction // sides that pages hold
	Notify []shard.Direction // sides that [Cache.Side] gives
	// Encodings are those, beside plain rows, in which pages hold the sides as they are
	// stored. They hold others as plain rows.
	Encodings []uint16
	// Weights says that unpacked sides in pages have the weights that are stored beside them.
	Weights bool
	// Bare says that weights are not read. Sides whose weights are apart are read without them.
	Bare bool
	// Budget is the number of bytes for pages and buffers; 0 is no limit.
	Budget int64
	// Threads is the number of goroutines that may call [Cache.Side] at once.
	Threads int
	// PageBytes bounds a page, unless a shard is larger; if 0, as is best.
	PageBytes int64
	// Map allows sides that stay and are held as they are stored to be in the mapped payload
	// ([store.Store.Map]). Readers of pages check its errors.
	Map bool
	// Memory allocates the sides to gather along: a device allocates memory from which it can copy. If nil, package
	// hostmem does.
	Memory Memory
	// Devices is the number of devices that load pages at once ([Cache.Once]).
	Devices int
}

// Memory allocates.
type Memory interface {
	Pin(n int64) ([]byte, error)
	Unpin(b []byte) error
}

// Cache holds the pages of one job within its budget. Which pages stay in
// memory is decided once, evenly over the graph: every iteration reads every
// page, where a least-recently-used cache would never hit, and pages that stay
// between pages that are read keep disk and processors busy at once.
type Cache struct {
	from   sideReader
	spans  []Span
	pageOf []int32                    // by shard
	blocks [shard.Sides][]block       // by page
	known  [shard.Sides][]atomic.Bool // by shard: it was streamed before
	pools  pools
	all    bool
	direct bool       // pages that do not stay are read past the system's page cache, which has no room for them
	plain  int        // pages before it, which stay, lie in any memory
	rest   int64      // of the budget, when all stays in memory
	mu     sync.Mutex // guards owned
	owned  []owned
}

// pools holds the buffers for pages that do not stay, and bounds concurrent reads.
type pools struct {
	ring    chan []byte   // for streamed pages
	scratch chan []byte   // for single shards
	reads   chan struct{} // held while a shard of a streamed page is read
}

// block is the part of a page on one side. It has sides once it stays and was loaded.
type block struct {
	mu     sync.Mutex // guards loading
	stays  bool
	loaded atomic.Bool
	sides  []shard.Side
}

// NeedError is the error of a budget that is too small for the largest pages.
type NeedError struct{ Budget, Need int64 }

func (e *NeedError) Error() string {
	return fmt.Sprintf("%d bytes are too few for pages of this graph: %d are needed at least", e.Budget, e.Need)
}

// New plans the pages of a job. If the budget cannot hold the buffers, the error is a [NeedError].
func New(s *store.Store, o Options) (*Cache, error) {
	c := &Cache{from: sideReader{store: s, opt: o}, pools: pools{reads: make(chan struct{}, Readers)}}
	cat := s.Catalogue()
	c.from.oneSide()
	limit := int64(maxPageBytes)
	c.pageOf = make([]int32, len(cat.Shards))
	total, largest := c.from.whole()
	c.all = o.Budget == 0 || total <= o.Budget
	if c.all {
		c.rest = o.Budget - total
		if o.Memory == nil { // a device and the CPU share pages out, which needs finer ones
			limit = maxResidentBytes
		}
	} else { // the ring, which takes less than half of it, leaves room for a side to notify by
		rest := o.Budget - unpackers*c.from.packedBytes() - largest
		limit = min(limit, max(largest, rest/budgetPages/int64(len(c.from.opt.Gather))))
		c.direct = !cacheable(total, o.Budget)
	}
	if o.PageBytes > 0 {
		limit = max(min(limit, o.PageBytes), largest)
	}
	c.spans = spans(len(cat.Shards), c.from.bytes, limit)
	for p, sp := range c.spans {
		for i := sp.From; i < sp.To; i++ {
			c.pageOf[i] = int32(p)
		}
	}
	for dir := range c.blocks {
		c.blocks[dir] = make([]block, len(c.spans))
	}
	if err := c.reserve(); err != nil {
		if also := c.Close(); also != nil {
			err = errors.Join(err, also)
		}
		return nil, err
	}
	return c, nil
}

// cacheable reports whether the system's page cache has room for the bytes that are read repeatedly, beside the memory
// that will be taken for the rest.
func cacheable(bytes, budget int64) bool {
	n := hostmem.Available()
	return n == 0 || n >= bytes+budget
}

// Whole returns the smallest budget with which all pages of a job stay in memory.
func Whole(s *store.Store, o Options) int64 {
	f := sideReader{store: s, opt: o}
	f.oneSide()
	total, _ := f.whole()
	return max(1, total)
}

// Least returns the smallest budget for pages of a job.
func Least(s *store.Store, o Options) int64 {
	o.Budget = 1
	var need *NeedError
	if c, err := New(s, o); err == nil {
		_ = c.Close() // a graph without edges
	} else if errors.As(err, &need) {
		return need.Need
	}
	return 1
}

// reserve decides what stays in memory and allocates the buffers for the rest.
func (c *Cache) reserve() (err error) {
	unpacked := c.from.packedBytes()
	if unpacked > 0 {
		if c.from.scratch, err = c.buffers(unpackers, unpacked, plain{}); err != nil {
			return err
		}
	}
	if c.all {
		for _, dir := range c.from.sides() {
			for p := range c.spans {
				c.blocks[dir][p].stays = true
			}
		}
		return nil
	}
	for dir := range c.known {
		c.known[dir] = make([]atomic.Bool, len(c.pageOf))
	}
	var pageBytes, sideBytes, gather int64
	for p := range c.spans {
		gather += c.gatherBytes(p)
		pageBytes = max(pageBytes, c.ringBytes(p))
	}
	for i := range c.pageOf {
		for _, dir := range c.from.opt.Notify {
			sideBytes = max(sideBytes, c.from.stored(dir, i))
		}
	}
	fixed := ringPages*pageBytes + unpackers*unpacked
	need := fixed + sideBytes
	if c.from.opt.Budget < need {
		total, _ := c.from.whole()
		return &NeedError{Budget: c.from.opt.Budget, Need: min(need, total)}
	}
	scratch := min(int64(max(c.from.opt.Threads, 1)), max(1, c.from.opt.Budget/8/max(1, sideBytes)))
	rest := c.from.opt.Budget - fixed - scratch*sideBytes
	if rest < 0 {
		scratch, rest = 1, c.from.opt.Budget-need
	}
	c.keep(rest, gather)
	if c.pools.ring, err = c.buffers(ringPages, pageBytes, c.from.pinned(c.from.opt.Gather[0])); err != nil {
		return err
	}
	c.pools.scratch, err = c.buffers(int(scratch), sideBytes, plain{})
	return err
}

// keep marks pages that stay: gather pages first, evenly spread, then what
// notifying reads.
func (c *Cache) keep(rest, gather int64) {
	share := min(1, float64(rest)/float64(max(gather, 1)))
	var seen, kept float64
	for p := range c.spans {
		n := c.gatherBytes(p)
		seen += float64(n)
		if kept+float64(n) <= seen*share && n <= rest {
			for _, dir := range c.from.opt.Gather {
				c.blocks[dir][p].stays = true
			}
			kept += float64(n)
			rest -= n
		}
	}
	for _, dir := range c.from.opt.Notify {
		if slices.Contains(c.from.opt.Gather, dir) {
			continue // the sides of a page stay together or not at all
		}
		for p, sp := range c.spans {
			n := c.from.spanBytes(dir, sp)
			if b := &c.blocks[dir][p]; !b.stays && n <= rest {
				b.stays = true
				rest -= n
			}
		}
	}
}

func (c *Cache) gatherBytes(p int) int64 {
	var n int64
	for _, dir := range c.from.opt.Gather {
		n += c.from.spanBytes(dir, c.spans[p])
	}
	return n
}

// Close frees all memory. No page or side may be in use.
func (c *Cache) Close() error {
	var errs []error
	for _, b := range c.owned {
		errs = append(errs, b.memory.Unpin(b.bytes))
	}
	c.owned = nil
	return errors.Join(errs...)
}

// Spans returns the pages of the graph, in order.
func (c *Cache) Spans() []Span { return c.spans }

// ShardsOf lists the shards of requests.
func (c *Cache) ShardsOf(requests ...Request) (list []int) {
	for _, rq := range requests {
		list = slices.AppendSeq(list, c.shards(rq.Page, rq.Shards))
	}
	return list
}

// Unpacks reports whether pages hold a side as plain rows because its stored encoding is not among
// [Options.Encodings].
func (c *Cache) Unpacks(dir shard.Direction) bool { return c.from.unpacks(dir) }

// InMemory reports whether everything that the job reads stays in memory.
func (c *Cache) InMemory() bool { return c.all }

// Stays reports whether page p stays in memory.
func (c *Cache) Stays(p int) bool { return c.blocks[c.from.opt.Gather[0]][p].stays }

// Loaded reports whether resident page p is in memory.
func (c *Cache) Loaded(p int) bool {
	for _, dir := range c.from.opt.Gather {
		if !c.blocks[dir][p].loaded.Load() {
			return false
		}
	}
	return true
}

// Plain lets the resident pages before page p be allocated outside [Options.Memory], as no device copies from them.
// It must be called before they are loaded.
func (c *Cache) Plain(p int) { c.plain = p }

// Rest returns the rest of the budget if everything stays in memory. It is negative if there is no
// budget.
func (c *Cache) Rest() int64 {
	if c.from.opt.Budget == 0 {
		return -1
	}
	return c.rest
}

// StreamedBytes returns the number of bytes that are read each time that some shards of page p are used on one side.
func (c *Cache) StreamedBytes(dir shard.Direction, p int, some func(i int) bool) (n int64) {
	dir = c.from.store.Catalogue().Stored(dir)
	if c.blocks[dir][p].stays {
		return 0
	}
	for i := range c.shards(p, nil) {
		if some(i) {
			n += c.from.stored(dir, i)
		}
	}
	return n
}

// BytesRead returns the number of bytes read from the store so far.
func (c *Cache) BytesRead() int64 { return c.from.read.Load() }

// Side returns one side of one shard, from memory or from the store, and a function to call when
// done with it. At most Options.Threads goroutines may call it at once, and none may hold two.
func (c *Cache) Side(dir shard.Direction, i int) (shard.Side, func(), error) {
	dir = c.from.store.Catalogue().Stored(dir)
	p := int(c.pageOf[i])
	b := &c.blocks[dir][p]
	if b.stays {
		if err := c.load(dir, p); err != nil {
			return nil, nil, err
		}
		return b.sides[i-c.spans[p].From], func() {}, nil
	}
	buf := <-c.pools.scratch
	n := c.from.stored(dir, i)
	side, err := c.stream(dir, i, buf[:n:n], nil)
	if err != nil {
		c.pools.scratch <- buf
		return nil, nil, err
	}
	c.from.read.Add(int64(len(side.Blob())))
	return side, func() { c.pools.scratch <- buf }, nil
}
