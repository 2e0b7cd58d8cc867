package build

// MemoryPlan is for tests of other packages.
type MemoryPlan = memoryPlan

// TinyPlan returns a plan by which everything happens on a few hundred edges: blocks go to the
// file, buckets are merged, groups are sorted by several goroutines.
func TinyPlan(threads, blocks int) MemoryPlan {
	return memoryPlan{
		total: 1 << 20, threads: threads, blocks: blocks, buckets: 16, sorters: threads,
		sort: 64 << 20, arrays: 1 << 30, names: 1 << 16, tallies: 1 << 16,
	}
}

// SetPlan makes imports follow a plan, until restore is called.
func SetPlan(p MemoryPlan) (restore func()) {
	planOf = func(Options) (memoryPlan, error) { return p, nil }
	return func() { planOf = planMemory }
}

// SetSizes bounds shards and groups, until restore is called.
func SetSizes(shardEdges, groupEdges uint64) (restore func()) {
	shard, cache := maxShardEdges, cacheEdges
	maxShardEdges, cacheEdges = shardEdges, groupEdges
	return func() { maxShardEdges, cacheEdges = shard, cache }
}
