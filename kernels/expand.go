package kernels

import "github.com/garaph/garaph/gpuengine/device"

// ExpandArgs holds the arguments of kernel expand, which sets Dst[e] of a chunk to the position, in
// its window, of the vertex of edge e; one block for each chunk.
type ExpandArgs struct {
	Chunks device.Pointer // const Chunk *
	Ranges device.Pointer // const ExpandRange *: for each Chunk
}

// ExpandRange is the range of a chunk's edges in its shard.
type ExpandRange struct {
	Off  device.Pointer // const uint32_t *: offsets of the window's vertices, Count+1 of them
	Edge uint32         // number, in the shard's side, of the chunk's first edge
	_    uint32
}

// Expand is kernel expand.
type Expand struct{ f device.Function }

// Launch queues the kernel for chunks.
func (k Expand) Launch(s device.Stream, chunks int, a *ExpandArgs) error {
	return k.f.Launch(s, chunks, Threads, 0, bytesOf(a))
}

// expandBlock: a thread per vertex of the window writes the places of its edges.
func expandBlock(m device.Memory, g device.Grid, a *ExpandArgs) error {
	x := access{memory: m}
	chunks := view[Chunk](&x, a.Chunks, int64(g.Blocks))
	ranges := view[ExpandRange](&x, a.Ranges, int64(g.Blocks))
	if x.err != nil {
		return x.err
	}
	c, r := &chunks[g.Block], &ranges[g.Block]
	off := view[uint32](&x, r.Off, int64(c.Count)+1)
	dst := view[uint16](&x, c.Dst, int64(c.Edges))
	if x.err != nil {
		return x.err
	}
	for v := range c.Count {
		for e := max(off[v], r.Edge); e < min(off[v+1], r.Edge+c.Edges); e++ {
			dst[e-r.Edge] = uint16(v)
		}
	}
	return nil
}
