package gpuengine

import (
	"fmt"
	"unsafe"

	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/page"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
)

// room is device memory that fills from both ends: with what is copied from
// below, with what kernels compute from above.
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

// keys are the lists of chunks of a batch: a kernel launch takes one of them.
// Sides apart, since both add to the same vertices; ways to gather apart, since
// they are different kernels.
const keys = 2 * kernels.Ways

func key(side, way int) int { return side*kernels.Ways + way }

// move is a copy to the device.
type move struct {
	to  device.Pointer
	src []byte
}

// extent is what a batch is of.
type extent struct {
	page      int // -1: of what stays
	from, to  int // shards that end in it
	edges     uint64
	replicas  uint64    // the sum over edges of the copies of their accumulator
	bytes     int64     // copied
	shared    [keys]int // bytes of shared memory that the largest chunk needs
	continued bool      // its first shard began in an earlier batch, which has to be done first
}

func (x *extent) String() string {
	if x.from == x.to {
		return fmt.Sprintf("a part of shard %d", x.from)
	}
	return fmt.Sprintf("shards %d to %d", x.from, x.to-1)
}

// batch is what a stream processes in one go: chunks of consecutive shards, and
// the vertices that are complete with them.
type batch struct {
	extent
	copies []move
	chunks [keys][]kernels.Chunk
	ranges [keys][]kernels.ExpandRange
	count  int // chunks
}

// work is what a lane computes: launches of the pull kernels, each over a list
// of chunks, and the vertices to apply then.
type work struct {
	extent
	chunks [keys]device.Pointer
	counts [keys]int
}

func (b *batch) reset(page, shard int) {
	b.extent = extent{page: page, from: shard, to: shard}
	b.copies, b.count = b.copies[:0], 0
	for k := range keys {
		b.chunks[k], b.ranges[k] = b.chunks[k][:0], b.ranges[k][:0]
	}
}

func (b *batch) empty() bool { return b.count == 0 && b.from == b.to }

// packer puts shards into batches.
type packer struct {
	accumulator, shared int // bytes of an accumulator, of a block
	gather              Gather
	single              bool // one copy of each accumulator, whatever the formula says
	limits              limits
}

func newPacker(p *plan, o Options, l limits) packer {
	return packer{accumulator: p.accumulator, shared: o.Shared, gather: o.Gather, single: o.Single, limits: l}
}

// fits reports whether all of a shard has room in a batch.
func (k *packer) fits(b *batch, r *room, s *page.Shard) bool {
	need := int64(b.count) * descriptorBytes
	for i := range s.Sides {
		side := rows.Of(s.Sides[i])
		need += sideBytes(side.Vertices(), side.Edges(), side.Weight != nil) + k.limits.most(side.Vertices(), side.Edges())*descriptorBytes
	}
	return need <= r.free()
}

// whole adds a shard with its blobs as they are.
func (k *packer) whole(b *batch, r *room, s *page.Shard) {
	for i := range s.Sides {
		side := rows.Of(s.Sides[i])
		if side.Edges() == 0 {
			continue
		}
		blob := side.Blob()
		at := r.below(int64(len(blob)))
		b.copy(r.pointer(at), blob)
		off := at + shard.HeaderBytes
		nbr := at + int64(within(blob, unsafe.Pointer(&side.Nbr[0])))
		var weight int64
		if side.Weight != nil {
			weight = at + int64(within(blob, unsafe.Pointer(&side.Weight[0])))
		}
		dst := r.above(2 * int64(side.Edges()))
		for e := uint32(0); e < side.Edges(); {
			p := k.limits.cut(side.Off, e)
			c := kernels.Chunk{Nbr: r.pointer(nbr + 4*int64(e)), Dst: r.pointer(dst + 2*int64(e))}
			if side.Weight != nil {
				c.Weight = r.pointer(weight + 4*int64(e))
			}
			k.add(b, i, c, r.pointer(off+4*int64(p.begin)), side, p)
			e = p.to
		}
	}
	b.to = s.Index + 1
}

// part adds the next chunk of a side, from edge e on, and returns where it ends;
// e itself if there is no room for it.
func (k *packer) part(b *batch, r *room, side *rows.Side, i int, e uint32) uint32 {
	p := k.limits.cut(side.Off, e)
	from := p.from &^ (grain - 1)
	edges := int64(p.to - from)
	off := side.Off[p.begin : p.end+1]
	need := pad(4*int64(len(off))) + pad(4*edges) + pad(2*edges) + int64(b.count+1)*descriptorBytes
	if side.Weight != nil {
		need += pad(4 * edges)
	}
	if need > r.free() {
		return e
	}
	skip := int64(p.from - from)
	offAt := r.pointer(r.below(4 * int64(len(off))))
	b.copy(offAt, bytesOf(off))
	nbr := r.pointer(r.below(4 * edges))
	b.copy(nbr, bytesOf(side.Nbr[from:p.to]))
	c := kernels.Chunk{Nbr: nbr + device.Pointer(4*skip), Dst: r.pointer(r.above(2*edges) + 2*skip)}
	if side.Weight != nil {
		weight := r.pointer(r.below(4 * edges))
		b.copy(weight, bytesOf(side.Weight[from:p.to]))
		c.Weight = weight + device.Pointer(4*skip)
	}
	k.add(b, i, c, offAt, side, p)
	return p.to
}

// add describes a chunk whose edges are placed.
func (k *packer) add(b *batch, side int, c kernels.Chunk, off device.Pointer, s *rows.Side, p run) {
	way := k.gather.way()
	c.Edges, c.First, c.Count = p.to-p.from, s.First+uint32(p.begin), uint32(p.end-p.begin)
	if way == kernels.Replicated && !k.single {
		c.Copies = copies(c.Edges, int(c.Count), k.accumulator, k.shared)
	}
	if p.head {
		c.Head = 1
	}
	if p.tail {
		c.Tail = 1
	}
	n := key(side, way)
	b.chunks[n] = append(b.chunks[n], c)
	b.ranges[n] = append(b.ranges[n], kernels.ExpandRange{Off: off, Edge: p.from})
	b.shared[n] = max(b.shared[n], int(c.Count)*k.accumulator<<c.Copies)
	b.count++
	b.edges += uint64(c.Edges)
	b.replicas += uint64(c.Edges) << c.Copies
}

// copy queues a copy, as one with the copy before it where both continue it.
func (b *batch) copy(to device.Pointer, src []byte) {
	b.bytes += int64(len(src))
	if n := len(b.copies); n > 0 {
		last := &b.copies[n-1]
		if last.to+device.Pointer(len(last.src)) == to && uintptr(unsafe.Pointer(&last.src[0]))+uintptr(len(last.src)) == uintptr(unsafe.Pointer(&src[0])) {
			last.src = unsafe.Slice(&last.src[0], len(last.src)+len(src))
			return
		}
	}
	b.copies = append(b.copies, move{to, src})
}

func within(blob []byte, p unsafe.Pointer) uintptr {
	return uintptr(p) - uintptr(unsafe.Pointer(&blob[0]))
}

func bytesOf[T any](s []T) []byte {
	var t T
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(t)))
}
