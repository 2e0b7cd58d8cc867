package bench

import (
	"context"
	"fmt"

	"github.com/garaph/garaph/internal/hostmem"
	"github.com/garaph/garaph/shard"
	"github.com/garaph/garaph/shard/packed"
	"github.com/garaph/garaph/shard/rows"
	"github.com/garaph/garaph/store"
)

// edgesPerTask is how many edges one goroutine gathers along before it takes
// the next task: few enough that all end together, and that a 32-bit float
// counts them exactly.
const edgesPerTask = 1 << 16

// edges are in-edges of a graph in memory: the sources alone, in the order in which its
// shards have them.
type edges struct {
	tasks  [][]uint32 // of equal size, but for the last of each shard
	count  uint64
	shards int // that they are from
	memory []uint32
}

// loadEdges reads as many in-sides of shards as have sources that fit into limit
// bytes, evenly from all over the graph. free returns the memory.
func loadEdges(ctx context.Context, s *store.Store, threads int, limit int64) (*edges, error) {
	c := s.Catalogue()
	chosen, count := chooseShards(c, limit)
	memory, err := hostmem.Slice[uint32](int(count))
	if err != nil {
		return nil, fmt.Errorf("measure gather-only: %w", err)
	}
	e := &edges{memory: memory, shards: len(chosen)}
	err = parallel(threads, len(chosen), func(k int) (err error) {
		if err := ctx.Err(); err != nil {
			return err
		}
		x := chosen[k]
		return loadSources(s, x.index, memory[x.at:][:x.edges])
	})
	if err != nil {
		e.free()
		return nil, err
	}
	for _, x := range chosen {
		e.add(memory[x.at:][:x.edges])
	}
	return e, nil
}

// loadSources reads the sources of the in-edges of shard i.
func loadSources(s *store.Store, i int, sources []uint32) error {
	blob, err := hostmem.Bytes(s.Catalogue().Bytes(shard.In, i))
	if err != nil {
		return fmt.Errorf("measure gather-only: %w", err)
	}
	defer hostmem.FreeBytes(blob)
	side, err := s.ReadShard(shard.In, i, blob)
	if err != nil {
		return err
	}
	if p, ok := side.(*packed.Side); ok {
		for block := range p.All() {
			sources = sources[copy(sources, block.Nbr):]
		}
		return nil
	}
	copy(sources, rows.Of(side).Nbr)
	return nil
}

// add cuts the sources of a shard's edges into tasks.
func (e *edges) add(sources []uint32) {
	e.count += uint64(len(sources))
	for len(sources) > 0 {
		n := min(edgesPerTask, len(sources))
		e.tasks = append(e.tasks, sources[:n])
		sources = sources[n:]
	}
}

func (e *edges) free() { hostmem.Free(e.memory) }

// chosenShard is a shard and the place of its sources in memory.
type chosenShard struct {
	index     int
	at, edges int64
}

// chooseShards returns all shards, or as many as have sources that fit into limit
// bytes, one at least, and how many sources: where a graph's hubs have the lowest ids,
// its first shards are not like the rest, so every stretch of the graph gives its share.
func chooseShards(c *store.Catalogue, limit int64) (chosen []chosenShard, edges int64) {
	var total, seen int64
	for i := range c.Shards {
		total += int64(c.Shards[i].In)
	}
	share := min(1, float64(limit/4)/float64(total))
	for i := range c.Shards {
		n := int64(c.Shards[i].In)
		seen += n
		if float64(edges+n) <= share*float64(seen) || i == len(c.Shards)-1 && len(chosen) == 0 {
			chosen = append(chosen, chosenShard{i, edges, n})
			edges += n
		}
	}
	return chosen, edges
}
