package algorithms

import (
	"context"

	"github.com/garaph/garaph/shard"
)

const (
	// keptEdges is the number of edges that a rowFile reads at once: most rows are shorter.
	keptEdges = 1 << 8
	// keptBytes is the least memory for them.
	keptBytes = 1 << 16
)

// rowFile holds the edges of rows in a temporary file, and the blocks of it that were read last.
type rowFile struct {
	file  *Scratch
	edge  uint64   // how many there are
	kept  []uint32 // blocks, each in the slot of its number modulo the number of slots
	block []uint32 // by slot, 1 more than the number of the block there
}

// spillRows writes the out-rows to the file that the plan has, and returns where they begin. Blocks get the memory
// that is left.
func spillRows(ctx context.Context, e *Env) (off []uint64, f *rowFile, err error) {
	f = &rowFile{}
	if f.file, err = e.Scratch(theOutRows); err != nil {
		return nil, nil, err
	}
	if off, err = Make[uint64](e, int(e.Graph.Vertices)+1); err != nil {
		return nil, nil, err
	}
	err = eachDegree(ctx, e, []shard.Direction{shard.Out}, nil, func(v, n uint32) { off[v+1] = uint64(n) })
	if err != nil {
		return nil, nil, err
	}
	for v := range e.Graph.Vertices {
		off[v+1] += off[v]
	}
	f.edge = off[e.Graph.Vertices]
	err = e.Rows().Each(ctx, func(_ int, b *Block) error { return f.file.Write(b.all(shard.Out), off[b.Vertex(0)]) })
	if err == nil {
		err = e.Rows().Close()
	}
	if err != nil {
		return nil, nil, err
	}
	slots := min(int64(f.edge/keptEdges+1), e.Room()/(4*keptEdges+4))
	return off, f, makeAll(e, into(&f.kept, int(slots*keptEdges)), into(&f.block, int(slots)))
}

// edges returns the edges from a position on, to before end or less, until the next call.
func (f *rowFile) edges(at, end uint64) ([]uint32, error) {
	number := at / keptEdges
	slot, begin := number%uint64(len(f.block)), number*keptEdges
	kept := f.kept[slot*keptEdges:][:min(keptEdges, f.edge-begin)]
	if f.block[slot] != uint32(number+1) {
		if err := f.file.Read(kept, begin); err != nil {
			return nil, err
		}
		f.block[slot] = uint32(number + 1)
	}
	return kept[at-begin : min(end-begin, uint64(len(kept)))], nil
}
