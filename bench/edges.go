package bench

import (
	"context"
	"fmt"
	"slices"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// edgesPerTask is how many edges one goroutine gathers along before it acquires
// the next task: few enough that all end together, and that a 32-bit float
// counts them exactly.
const edgesPerTask = 1 << 16

// sidesPerTask is how many packed sides go into one: a 32-bit float counts their edges
// exactly as well, and values are read from memory as seldom as in a job.
const sidesPerTask = 4

// edges are in-edges of a graph in memory, as its shards have them: the sources alone,
// in the order of destinations, or packed blocks.
type edges struct {
	tasks  [][]uint32 // of equal size, but for the last of each shard
	packed []together
	count  uint64
	slots  uint64 // edges, and dummies of packed blocks
	shards int    // that they are from
	blob   []byte
}

// together is packed sides that are gone through together, by runs of their blocks.
type together struct {
	sides []*packed.Side
	runs  []packed.Run
}

// loadEdges reads as many in-sides of shards as fit into limit bytes, evenly
// from all over the graph. free returns the memory.
func loadEdges(ctx context.Context, s *store.Store, threads int, limit int64) (*edges, error) {
	chosen, size := chooseShards(s.Catalogue(), limit)
	blob, err := hostmem.Bytes(size)
	if err != nil {
		return nil, fmt.Errorf("measure gather-only: %w", err)
	}
	e := &edges{blob: blob, shards: len(chosen)}
	sides := make([]shard.Side, len(chosen))
	err = parallel(threads, len(chosen), func(k int) (err error) {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := chosen[k]
		sides[k], err = s.ReadShard(shard.In, c.index, blob[c.at:c.at+c.size:c.at+c.size])
		return err
	})
	if err != nil {
		e.free()
		return nil, err
	}
	var all []*packed.Side
	for _, side := range sides {
		switch x := side.(type) {
		case *packed.Side:
			all = append(all, x)
		case *rows.Side:
			e.add(x.Nbr)
		case rows.Unpacker: // into memory beyond the limit
			h := x.Header()
			e.add(rows.Unpack(x, make([]byte, rows.Size(h.Vertices, h.Edges, false)), false).Nbr)
		}
	}
	for some := range slices.Chunk(all, sidesPerTask) {
		e.addPacked(some)
	}
	return e, nil
}

// add cuts the sources of a shard's edges into tasks.
func (e *edges) add(sources []uint32) {
	e.count += uint64(len(sources))
	e.slots += uint64(len(sources))
	for len(sources) > 0 {
		n := min(edgesPerTask, len(sources))
		e.tasks = append(e.tasks, sources[:n])
		sources = sources[n:]
	}
}

// addPacked makes a task of sides.
func (e *edges) addPacked(sides []*packed.Side) {
	for _, s := range sides {
		e.count += uint64(s.Edges)
		e.slots += uint64(s.Blocks) * packed.BlockSlots
	}
	e.packed = append(e.packed, together{sides, slices.Collect(packed.Windows(sides))})
}

func (e *edges) free() { hostmem.FreeBytes(e.blob) }

// chosenShard is a shard and the place of its in-side in memory.
type chosenShard struct {
	index    int
	at, size int64
}

// chooseShards returns all shards, or as many as fit into limit bytes, one at
// least: where a graph's hubs have the lowest ids, its first shards are not
// like the rest, so every stretch of the graph gives its share.
func chooseShards(c *store.Catalogue, limit int64) (chosen []chosenShard, size int64) {
	var total, seen int64
	for i := range c.Shards {
		total += c.Bytes(shard.In, i)
	}
	share := min(1, float64(limit)/float64(total))
	for i := range c.Shards {
		n := c.Bytes(shard.In, i)
		seen += n
		if float64(size+n) <= share*float64(seen) || i == len(c.Shards)-1 && len(chosen) == 0 {
			chosen = append(chosen, chosenShard{i, size, n})
			size += n
		}
	}
	return chosen, size
}
