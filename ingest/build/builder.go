package build

import (
	"context"
	"fmt"
	"hash/maphash"
	"math"
	"sync"
	"sync/atomic"

	"github.com/garaph/garaph/ingest/read"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/store"
)

const (
	// minRange is the least range in which integers number themselves, however
	// small the budget.
	minRange = 1 << 22
	// maxID is the largest dense id: one number stays free for programs that
	// need a value that is no vertex.
	maxID = math.MaxUint32 - 1
)

// Builder is the sink of the readers. It numbers the vertices, counts their
// degrees and keeps the edges in buckets of neighbouring destinations.
//
// Small integers are their own provisional numbers, as long as they are dense
// enough for arrays over their range; other ids get numbers from a map. When
// the first integer comes that is too large, the builder turns to the map, and
// maps what came before it at the end (see [Builder.renumber]).
type Builder struct {
	opt    Options
	plan   memoryPlan
	spill  *spill
	schema read.Schema
	mirror bool // the graph has both directions of each edge
	turns  bool // each entry is stored in its other direction, too
	uneven bool // a vertex has not as many edges in one direction as in the other, as they were read
	seed   maphash.Seed

	idNumbers
	perVertex

	loops atomic.Uint64 // self-loops dropped
	// WriteIDs, if not nil, writes the ids in place of the numbering.
	WriteIDs func(context.Context, *store.Writer) error

	mu      sync.Mutex      // guards workers
	workers []*bucketWriter // closed ones
}

// perVertex has the arrays over provisional numbers, and how many there may be.
type perVertex struct {
	in, out  *degrees      // out is nil when both directions are stored
	declared []uint64      // bits of the vertices that need no edge
	reserved int64         // bytes of plan.arrays that the readers have
	most     uint64        // vertices that the rest is enough for; guarded by convert
	top      atomic.Uint32 // largest number that came, plus 1
}

// Begin prepares for edges of the given kind.
func (b *Builder) Begin(s read.Schema) error {
	s.Weighted = s.Weighted || b.opt.Edges.Parallel.Adds()
	b.schema = s
	b.mirror = b.opt.Edges.Undirected || s.Mirrored || s.Both
	b.turns = b.mirror && !s.Both
	b.seed = maphash.MakeSeed()
	var err error
	if b.spill, err = newSpill(b.plan.dir, b.plan.blocks, b.plan.space); err != nil {
		return err
	}
	b.spill.wide.Store(s.Weighted && b.opt.Edges.Parallel.Adds() && b.opt.Wide) // for the sums
	b.limit = maxID + 1
	switch s.IDs {
	case read.IDInt:
		b.ints = newIntTable()
		b.limit = min(b.limit, max(minRange, uint64(b.plan.total/2/8)), max(1, uint64(b.plan.arrays/b.vertexBytes())))
	case read.IDString:
		b.strings = newNameTable(b.seed, b.plan.dir, b.plan.names, b.plan.space)
		b.mapped.Store(true)
	}
	b.admit()
	if s.Vertices > int64(b.most) {
		return b.beyond(uint32(s.Vertices - 1))
	}
	return b.arrays()
}

// arrays allocates the arrays over the provisional numbers that there may be.
func (b *Builder) arrays() (err error) {
	n := max(1, min(b.most, maxID+1))
	own := uint32(min(n-1, uint64(b.plan.tallies/2/int64(b.plan.threads)))) // for both sides
	if b.in, err = newDegrees(own, n); err != nil {
		return err
	}
	if !b.mirror {
		if b.out, err = newDegrees(own, n); err != nil {
			return err
		}
	}
	if b.declared, err = hostmem.Sparse[uint64](int64(n+63) / 64); err != nil {
		return fmt.Errorf("vertices: %w", err)
	}
	return nil
}

func (p *perVertex) free() {
	p.in.free()
	p.out.free()
	hostmem.Free(p.declared)
	p.in, p.out, p.declared = nil, nil, nil
}

// Worker returns the sink of one goroutine.
func (b *Builder) Worker() read.Worker {
	w := &bucketWriter{Builder: b, writer: b.spill.writer(b.plan.buckets, b.weightBytes())}
	w.filled = w.countIn
	return w
}

// bucketWriter collects edges in buckets of 2^shift provisional numbers; when
// there would be too many buckets, they are merged in pairs.
type bucketWriter struct {
	*Builder
	*writer
	src, dst []uint32
	ones     []float64  // weights of edges that are counted
	in, out  *tally     // nil until there are edges
	mapping  bool       // what is in the buckets has numbers from the map
	old      [][]*block // buckets from before that
}

// Close flushes the edges that the goroutine collected.
func (w *bucketWriter) Close() error {
	if w.mapped.Load() && !w.mapping { // its edges came before others turned to the map
		w.turn()
	}
	w.flush()
	w.closeTallies()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.workers = append(w.workers, w)
	return nil
}

// tallies begins to count degrees.
func (w *bucketWriter) tallies() (err error) {
	if w.in != nil {
		return nil
	}
	if w.in, err = w.Builder.in.tally(); err == nil && !w.mirror {
		w.out, err = w.Builder.out.tally()
	}
	return err
}

// turn puts edges aside that have no numbers from the map, and drops their degrees.
func (w *bucketWriter) turn() {
	w.in.drop()
	w.out.drop()
	w.in, w.out = nil, nil
	w.flush()
	w.old, w.buckets = w.buckets, make([][]*block, len(w.buckets))
	w.shift, w.mapping = 0, true
}

func (w *bucketWriter) closeTallies() {
	if w.in != nil {
		w.in.close()
	}
	if w.out != nil {
		w.out.close()
	}
	w.in, w.out = nil, nil
}

// AddInts adds edges between integers.
func (w *bucketWriter) AddInts(src, dst []uint64, weight []float64) error {
	u, topSrc := narrow(&w.src, src)
	v, topDst := narrow(&w.dst, dst)
	return w.unmapped(max(topSrc, topDst), func() error {
		return w.addEdges(ends{u, uint32(topSrc)}, ends{v, uint32(topDst)}, weight)
	}, func() error {
		u, err := w.numbers(&w.src, src)
		if err != nil {
			return err
		}
		v, err := w.numbers(&w.dst, dst)
		if err != nil {
			return err
		}
		return w.addEdges(endsOf(u), endsOf(v), weight)
	})
}

// AddVertices adds vertices, which need not have edges.
func (w *bucketWriter) AddVertices(ids []uint64) error {
	list, top := narrow(&w.src, ids)
	return w.unmapped(top, func() error {
		return w.declare(list)
	}, func() error {
		list, err := w.numbers(&w.src, ids)
		if err != nil {
			return err
		}
		return w.declare(list)
	})
}

// AddStrings adds edges between names.
func (w *bucketWriter) AddStrings(src, dst [][]byte, weight []float64) error {
	w.mapping = true
	u, err := w.named(&w.src, src)
	if err != nil {
		return err
	}
	v, err := w.named(&w.dst, dst)
	if err != nil {
		return err
	}
	return w.addEdges(endsOf(u), endsOf(v), weight)
}

// AddVertexNames adds vertices by name.
func (w *bucketWriter) AddVertexNames(names [][]byte) error {
	w.mapping = true
	list, err := w.named(&w.src, names)
	if err != nil {
		return err
	}
	return w.declare(list)
}

func (w *bucketWriter) declare(numbers []uint32) error {
	for _, t := range numbers {
		if err := w.rise(t); err != nil {
			return err
		}
		atomic.OrUint64(&w.declared[t>>6], 1<<(t&63))
	}
	return nil
}

// rise notes the largest provisional number, and refuses one for which there is
// no memory.
func (b *Builder) rise(t uint32) error {
	if uint64(t) >= b.most {
		return b.beyond(t)
	}
	for old := b.top.Load(); old <= t; old = b.top.Load() {
		if b.top.CompareAndSwap(old, t+1) {
			break
		}
	}
	return nil
}

// ends are the vertices at one end of edges.
type ends struct {
	numbers []uint32
	top     uint32 // none is larger
}

func endsOf(numbers []uint32) (e ends) {
	e.numbers = numbers
	for _, t := range numbers {
		e.top = max(e.top, t)
	}
	return e
}

// addEdges counts and keeps edges between provisional numbers.
func (w *bucketWriter) addEdges(src, dst ends, weight []float64) error {
	if len(src.numbers) == 0 {
		return nil
	}
	if err := w.tallies(); err != nil {
		return err
	}
	if p := w.opt.Edges.Parallel; p == ParallelCount || p == ParallelSum && weight == nil {
		for len(w.ones) < len(src.numbers) {
			w.ones = append(w.ones, 1)
		}
		weight = w.ones[:len(src.numbers)]
	}
	if w.opt.Edges.DropSelfLoops {
		var err error
		if weight, err = w.dropLoops(&src, &dst, weight); err != nil {
			return err
		}
	}
	if err := w.directed(src, dst, weight); err != nil || !w.turns {
		return err
	}
	// The other direction of all but self-loops.
	n := 0
	for i := range dst.numbers {
		if u, v := src.numbers[i], dst.numbers[i]; u != v {
			src.numbers[n], dst.numbers[n] = u, v
			if weight != nil {
				weight[n] = weight[i]
			}
			n++
		}
	}
	src.numbers, dst.numbers = src.numbers[:n], dst.numbers[:n]
	return w.directed(dst, src, weight[:min(n, len(weight))])
}

// dropLoops removes self-loops; their vertices stay.
func (w *bucketWriter) dropLoops(src, dst *ends, weight []float64) ([]float64, error) {
	n := 0
	for i, v := range dst.numbers {
		u := src.numbers[i]
		if u == v {
			w.loops.Add(1)
			if err := w.rise(v); err != nil {
				return nil, err
			}
			atomic.OrUint64(&w.declared[v>>6], 1<<(v&63))
			continue
		}
		src.numbers[n], dst.numbers[n] = u, v
		if weight != nil {
			weight[n] = weight[i]
		}
		n++
	}
	src.numbers, dst.numbers = src.numbers[:n], dst.numbers[:n]
	return weight[:min(n, len(weight))], nil
}

// directed counts and keeps edges in one direction.
func (w *bucketWriter) directed(src, dst ends, weight []float64) error {
	if len(src.numbers) == 0 {
		return nil
	}
	if err := w.rise(max(src.top, dst.top)); err != nil {
		return err
	}
	for dst.top>>w.shift >= uint32(len(w.buckets)) {
		w.coarsen()
	}
	w.widest = max(w.widest, src.top)
	w.in.rise(dst.top) // countIn counts
	if w.out != nil {
		w.out.add(src.numbers, src.top)
	}
	if !w.schema.Weighted {
		return w.addAll(src.numbers, dst.numbers)
	}
	for i, v := range dst.numbers {
		if err := w.add(v>>w.shift, src.numbers[i], v, weight[i]); err != nil {
			return err
		}
	}
	return nil
}

// countIn counts the in-edges of a block. Its destinations are neighbours, so that their counts
// are in the first-level cache.
func (w *bucketWriter) countIn(data *buffer, n int, form recordForm) {
	if w.in != nil { // else they count no more
		w.in.addBlock(data, n, form)
	}
}

// coarsen merges buckets in pairs.
func (w *bucketWriter) coarsen() {
	w.flush()
	n := len(w.buckets)
	for i := range n {
		if i%2 == 0 {
			w.buckets[i/2] = w.buckets[i]
		} else {
			w.buckets[i/2] = append(w.buckets[i/2], w.buckets[i]...)
		}
	}
	clear(w.buckets[(n+1)/2:])
	w.shift++
}
