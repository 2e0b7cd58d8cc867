package gpuengine

import (
	"github.com/garaph/garaph/kernels"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/rows"
)

// layout is a side of a shard in its encoding, to be put into batches.
type layout interface {
	need(l limits) need
	// whole adds all of it, as side i of its shard.
	whole(k *packer, b *batch, r *room, i int)
	// part adds what there is room for, from a place on, and returns where that ends:
	// the place itself if there is no room.
	part(k *packer, b *batch, r *room, i int, at uint32) uint32
	end() uint32 // the last place
}

func layoutOf(s shard.Side) layout {
	if p, ok := s.(*packed.Side); ok {
		return packedSide{p}
	}
	return rowSide{rows.Of(s)}
}

// need is the device memory that a side takes.
type need struct {
	bytes  int64 // of its blob, and of what is computed from it
	chunks int64 // at most
	lists  int64 // bytes of the chunks in lists
	least  int64 // bytes of a buffer that can take it; if 0, any can
}

// room returns the bytes that it takes of a batch.
func (n need) room() int64 { return n.bytes + n.chunks*descriptorBytes }

func (n *need) add(o need) {
	n.bytes, n.chunks, n.lists, n.least = n.bytes+o.bytes, n.chunks+o.chunks, n.lists+o.lists, max(n.least, o.least)
}

// needOf is that of a side whose encoding is not known before it is read: rows have the
// size that their numbers give them.
func (p *plan) needOf(dir shard.Direction, i int, l limits) need {
	cat := p.cat
	bare := p.bare && cat.Bare(dir, i)
	vertices, edges, weight := cat.Shards[i].Vertices, cat.SideEdges(dir, i), 0
	if cat.Stored(dir) == shard.In && !bare {
		weight = cat.WeightBytes()
	}
	n := rowsNeed(vertices, edges, weight, l)
	if !p.packed || cat.Stored(dir) != shard.In {
		return n
	}
	if bare { // then it is not in rows
		return packedNeed(cat.BareBytes(dir, i), vertices, edges, l)
	}
	bytes := cat.Bytes(dir, i)
	if x := packedNeed(bytes, vertices, edges, l); bytes != rows.Size(vertices, edges, weight) {
		n = x
	} else { // either
		n = need{max(n.bytes, x.bytes), max(n.chunks, x.chunks), max(n.lists, x.lists), x.least}
	}
	return n
}

// Lists of chunks: a kernel launch takes one of them. Sides apart, since both add to the
// same vertices; ways to gather apart, since they are different kernels.
const (
	packedWay = kernels.Ways // behind those of rows
	rowKeys   = 2 * kernels.Ways
	keys      = rowKeys + 2
)

func key(side, way int) int { return 2*way + side }

// listBytes returns the size of a chunk in a list.
func listBytes(key int) int64 {
	if key < rowKeys {
		return chunkBytes
	}
	return packedBytes
}
