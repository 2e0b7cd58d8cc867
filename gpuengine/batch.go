package gpuengine

import (
	"fmt"
	"unsafe"

	"github.com/garaph/garaph/gas/compiled"
	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/page"
)

// room is device memory that fills from both ends: copied data from below, data that kernels
// compute from above.
type room struct {
	base      device.Pointer
	low, high int64
}

func (r *room) below(n int64) int64 {
	at := r.low
	r.low += pad(n)
	return at
}

func (r *room) above(n int64) int64 {
	r.high -= pad(n)
	return r.high
}

func (r *room) free() int64 { return r.high - r.low }

func (r *room) pointer(at int64) device.Pointer { return r.base + device.Pointer(at) }

// move is a copy to the device.
type move struct {
	to  device.Pointer
	src []byte
}

// extent is the part of a graph that a batch covers.
type extent struct {
	page      int // -1: of what stays
	from, to  int // shards that end in it
	edges     uint64
	replicas  uint64    // the sum over edges of the copies of their accumulator
	bytes     int64     // copied
	counts    [keys]int // chunks
	shared    [keys]int // bytes of shared memory that the largest chunk needs
	continued bool      // its first shard began in an earlier batch, which has to be done first
}

func (x *extent) String() string {
	if x.from == x.to {
		return fmt.Sprintf("a part of shard %d", x.from)
	}
	return fmt.Sprintf("shards %d to %d", x.from, x.to-1)
}

// chunks returns the number of chunks.
func (x *extent) chunks() int { return x.rows() + x.counts[rowKeys] + x.counts[rowKeys+1] }

// rows returns the number of chunks of rows.
func (x *extent) rows() (n int) {
	for _, count := range x.counts[:rowKeys] {
		n += count
	}
	return n
}

// batch is a unit of work of a stream: chunks of consecutive shards, and the vertices that they
// complete.
type batch struct {
	extent
	copies []move
	lists  [keys][]byte // of chunks, as they will lie on the device
	ranges [rowKeys][]kernels.ExpandRange
}

// work is what a lane computes: launches of the pull kernels, each over a list of chunks, then
// apply over vertices.
type work struct {
	extent
	lists [keys]device.Pointer
}

func (b *batch) reset(page, shard int) {
	b.extent = extent{page: page, from: shard, to: shard}
	b.copies = b.copies[:0]
	for k := range b.lists {
		b.lists[k] = b.lists[k][:0]
	}
	for k := range b.ranges {
		b.ranges[k] = b.ranges[k][:0]
	}
}

func (b *batch) empty() bool { return b.chunks() == 0 && b.from == b.to }

// packer puts shards into batches.
type packer struct {
	accumulator compiled.Layout
	floats      bool // sums of floats, which wait for each other where they meet
	shared      int  // bytes of a block
	gather      Gather
	limits      limits
	vertices    uint32  // of the graph
	checks      *checks // of packed sides, on the device; if nil, the host does them
}

func newPacker(p *plan, o Options, l limits) packer {
	return packer{accumulator: p.fragments.Accumulator, floats: sumsFloats(p.fragments), shared: o.Shared,
		gather: o.Gather, limits: l, vertices: p.cat.Vertices}
}

// fits reports whether all of a shard has room in a batch.
func (k *packer) fits(b *batch, r *room, s *page.Shard) bool {
	var n need
	for _, side := range s.Sides {
		n.add(layoutOf(side).need(k.limits))
	}
	return n.room()+int64(b.chunks())*descriptorBytes <= r.free()
}

// whole adds a shard with its blobs unchanged.
func (k *packer) whole(b *batch, r *room, s *page.Shard) {
	for i, side := range s.Sides {
		layoutOf(side).whole(k, b, r, i)
	}
	b.to = s.Index + 1
}

// alone is like whole, and returns the extent of the shard alone.
func (k *packer) alone(b *batch, r *room, s *page.Shard) extent {
	before := b.extent
	b.shared = [keys]int{}
	k.whole(b, r, s)
	x := b.extent
	x.page, x.from, x.bytes, x.edges, x.replicas = -1, s.Index, 0, x.edges-before.edges, x.replicas-before.replicas
	for i := range x.counts {
		x.counts[i] -= before.counts[i]
	}
	return x
}

// describe adds a chunk to a list. Its block needs shared bytes of shared memory.
func describe[T any](b *batch, key int, chunk T, shared int) {
	b.lists[key] = append(b.lists[key], hostmem.AsBytes([]T{chunk})...)
	b.shared[key] = max(b.shared[key], shared)
	b.counts[key]++
}

// gathers adds edges to the counts; each accumulator has 1<<copies copies.
func (b *batch) gathers(edges, copies uint32) {
	b.edges += uint64(edges)
	b.replicas += uint64(edges) << copies
}

// copy queues a copy, as one with the copy before it where both continue it: then they are
// of the same piece of pinned memory ([device.Device]).
func (b *batch) copy(to device.Pointer, src []byte) {
	b.bytes += int64(len(src))
	if n := len(b.copies); n > 0 {
		last := &b.copies[n-1]
		if last.to+device.Pointer(len(last.src)) == to &&
			uintptr(unsafe.Pointer(&last.src[0]))+uintptr(len(last.src)) == uintptr(unsafe.Pointer(&src[0])) {
			last.src = unsafe.Slice(&last.src[0], len(last.src)+len(src))
			return
		}
	}
	b.copies = append(b.copies, move{to, src})
}
