package gpuengine

import (
	"unsafe"

	"github.com/garaph/garaph/gpuengine/device"
	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
)

// rowSide is a side in rows, whose destinations kernels write behind it. It can be cut
// between any edges: they are its places.
type rowSide struct{ *rows.Side }

// rowsNeed returns what rows take: the blob, and the positions of the destinations.
func rowsNeed(vertices int, edges uint32, weight int, l limits) need {
	if edges == 0 {
		return need{}
	}
	chunks := l.most(vertices, edges)
	return need{bytes: rows.Size(vertices, edges, weight) + pad(2*int64(edges)), chunks: chunks,
		lists: chunks * chunkBytes}
}

func (s rowSide) need(l limits) need {
	return rowsNeed(s.Vertices(), s.Edges(), s.Header().WeightBytes(), l)
}
func (s rowSide) end() uint32 { return s.Edges() }

func (s rowSide) whole(k *packer, b *batch, r *room, i int) {
	if s.Edges() == 0 {
		return
	}
	blob := s.Blob()
	at := r.below(int64(len(blob)))
	b.copy(r.pointer(at), blob)
	off := at + shard.HeaderBytes
	nbr := at + int64(within(blob, unsafe.Pointer(&s.Nbr[0])))
	weights, size := s.weights()
	var weight int64
	if size > 0 {
		weight = at + int64(within(blob, unsafe.Pointer(&weights[0])))
	}
	dst := r.above(2 * int64(s.Edges()))
	for e := uint32(0); e < s.Edges(); {
		p := k.limits.cut(s.Off, e)
		c := kernels.Chunk{Nbr: r.pointer(nbr + 4*int64(e)), Dst: r.pointer(dst + 2*int64(e))}
		if size > 0 {
			c.Weight = r.pointer(weight + size*int64(e))
		}
		s.add(k, b, i, c, r.pointer(off+4*int64(p.begin)), p)
		e = p.to
	}
}

// part adds the next chunk.
func (s rowSide) part(k *packer, b *batch, r *room, i int, e uint32) uint32 {
	p := k.limits.cut(s.Off, e)
	from := p.from &^ (grain - 1)
	edges := int64(p.to - from)
	off := s.Off[p.begin : p.end+1]
	need := pad(4*int64(len(off))) + pad(4*edges) + pad(2*edges) + int64(b.chunks()+1)*descriptorBytes
	weights, size := s.weights()
	need += pad(size * edges)
	if need > r.free() {
		return e
	}
	skip := int64(p.from - from)
	offAt := r.pointer(r.below(4 * int64(len(off))))
	b.copy(offAt, hostmem.AsBytes(off))
	nbr := r.pointer(r.below(4 * edges))
	b.copy(nbr, hostmem.AsBytes(s.Nbr[from:p.to]))
	c := kernels.Chunk{Nbr: nbr + device.Pointer(4*skip), Dst: r.pointer(r.above(2*edges) + 2*skip)}
	if size > 0 {
		weight := r.pointer(r.below(size * edges))
		b.copy(weight, weights[size*int64(from):size*int64(p.to)])
		c.Weight = weight + device.Pointer(size*skip)
	}
	s.add(k, b, i, c, offAt, p)
	return p.to
}

// add describes a chunk whose edges are placed.
func (s rowSide) add(k *packer, b *batch, side int, c kernels.Chunk, off device.Pointer, p cutting) {
	way := k.gather.way()
	slot := kernels.SlotBytes(k.accumulator)
	c.Edges, c.First, c.Count = p.to-p.from, s.First+uint32(p.begin), uint32(p.end-p.begin)
	if way == kernels.Replicated {
		c.Copies = copies(c.Edges, int(c.Count), slot, k.shared)
	}
	if p.head {
		c.Head = 1
	}
	if p.tail {
		c.Tail = 1
	}
	n := key(side, way)
	describe(b, n, c, int(c.Count)*slot<<c.Copies)
	b.ranges[n] = append(b.ranges[n], kernels.ExpandRange{Off: off, Edge: p.from})
	b.gathers(c.Edges, c.Copies)
}

// weights returns the weights and the size of one, or 0 without weights.
func (s rowSide) weights() (all []byte, size int64) {
	if s.Wide != nil {
		return hostmem.AsBytes(s.Wide), 8
	}
	if s.Weight != nil {
		return hostmem.AsBytes(s.Weight), 4
	}
	return nil, 0
}

func within(blob []byte, p unsafe.Pointer) uintptr {
	return uintptr(p) - uintptr(unsafe.Pointer(&blob[0]))
}
