package ingest

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/shard/rowweights"
	"github.com/garaph/garaph/store"
)

// mirrorChecker compares the in side of each stored shard with its out side: where all are the
// same, every edge has its reverse, and rows of out-edges are those of in-edges too. The graphs
// whose shards have as many edges on one side as on the other, which few directed ones do, are
// read once more for it, until the first difference.
type mirrorChecker struct {
	out      *store.Writer
	shards   []store.ShardInfo
	weighted bool
	next     atomic.Int64
	differs  atomic.Bool
}

// isMirrored reports whether the edges of a packed graph without in-rows, that is stored, are
// the same in both directions. A graph with a vertex of so many edges that it is a shard of its
// own, or one whose shards take more memory than there is for sorting, is not looked at.
func (b *builder) isMirrored(ctx context.Context, shards []store.ShardInfo, w *store.Writer) (bool, error) {
	if b.mirror || b.inRows() || b.opt.Storage.Layout != store.Packed {
		return false, nil
	}
	c := &mirrorChecker{out: w, shards: shards, weighted: b.schema.Weighted}
	need := int64(0)
	for i := range shards {
		if shards[i].In != shards[i].Out || uint64(shards[i].In) > maxShardEdges {
			return false, nil
		}
		need = max(need, c.bytes(i))
	}
	var g errgroup.Group
	for range min(b.plan.sorters, int(b.plan.sort/need)) {
		g.Go(func() error { return c.run(ctx, need) })
	}
	err := g.Wait()
	return err == nil && !c.differs.Load() && c.next.Load() > 0, err
}

// bytes is the memory to compare shard i.
func (c *mirrorChecker) bytes(i int) (n int64) {
	for _, dir := range c.sides() {
		n += c.out.Stored(dir, i)
	}
	return n + 2*rows.Size(c.shards[i].Vertices, c.shards[i].In, c.weighted)
}

func (c *mirrorChecker) sides() []shard.Direction {
	if c.weighted {
		return []shard.Direction{shard.In, shard.Out, shard.OutWeights}
	}
	return []shard.Direction{shard.In, shard.Out}
}

// run compares shards, for one goroutine.
func (c *mirrorChecker) run(ctx context.Context, need int64) error {
	memory, err := hostmem.Bytes(need)
	if err != nil {
		return err
	}
	defer hostmem.FreeBytes(memory)
	for !c.differs.Load() && ctx.Err() == nil {
		i := int(c.next.Add(1)) - 1
		if i >= len(c.shards) {
			return nil
		}
		same, err := c.same(i, memory)
		if err != nil {
			return fmt.Errorf("import: read shard %d, which was just written, back: %w; the disk or the memory may be faulty: import to another disk", i, err)
		}
		if !same {
			c.differs.Store(true)
		}
	}
	return ctx.Err()
}

// same compares the sides of shard i.
func (c *mirrorChecker) same(i int, memory []byte) (bool, error) {
	var sides [shard.Sides]shard.Side
	for _, dir := range c.sides() {
		blob := memory[:c.out.Stored(dir, i)]
		memory = memory[len(blob):]
		err := c.out.ReadBack(dir, i, 0, blob)
		if err == nil {
			sides[dir], err = shard.Decode(blob)
		}
		if err != nil {
			return false, err
		}
	}
	var both [2]*rows.Side
	for k, dir := range []shard.Direction{shard.In, shard.Out} {
		h := sides[dir].Header()
		size := rows.Size(h.Vertices, h.Edges, c.weighted)
		to := rows.Layout(memory[:size], dir, h.Index, h.First, h.Vertices, h.Edges, c.weighted)
		memory = memory[size:]
		switch side := sides[dir].(type) {
		case rows.Unpacker:
			side.Unpack(to)
		case *rows.Side: // few edges, or none
			copy(to.Off, side.Off)
			copy(to.Nbr, side.Nbr)
			copy(to.Weight, side.Weight)
		}
		both[k] = to
	}
	if c.weighted {
		sides[shard.OutWeights].(*rowweights.Side).Weights(both[1].Weight, 0)
	}
	in, out := both[0], both[1]
	return slices.Equal(in.Off, out.Off) && slices.Equal(in.Nbr, out.Nbr) && slices.Equal(in.Weight, out.Weight), nil
}
