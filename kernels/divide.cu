// divide: of the rows of a graph, the edges that lead to the vertices of an interval, as rows of
// all vertices. Each block has equally many edges, counts those that it keeps, and writes them
// behind those of the blocks before it.

#include "together.cuh"

// The host has the same structs in divide.go.
struct divide_state {
	uint32_t arrived, pad; // blocks at the barrier
	u64 kept;
	u64 part[most_blocks];
};

struct divide_args {
	const uint64_t *off; // by vertex, one more than there are
	const void *edges;   // neighbours, or neighbours and weights
	uint64_t *to_off; // if null, edges are only counted
	void *to;
	divide_state *state;
	uint64_t room, fraction; // for edges: more are not written
	uint32_t n, from, end, weighted;
};

static __device__ __forceinline__ bool keeps(const divide_args &args, u64 e)
{
	uint32_t v = args.weighted ? ((const uint2 *)args.edges)[e].x : ((const uint32_t *)args.edges)[e];
	return args.from <= v && v < args.end;
}

extern "C" __global__ void __launch_bounds__(threads, 2) garaph_divide(const divide_args args)
{
	__shared__ u64 parts[warps];
	__shared__ uint32_t before[threads];
	u64 edges = args.off[args.n], first = share(edges, blockIdx.x, args.fraction), end = share(edges, blockIdx.x + 1, args.fraction);
	u64 kept = 0, all = 0, at = 0;
	for (u64 e = first + threadIdx.x; e < end; e += threads) kept += keeps(args, e);
	kept = block_sum(parts, kept);
	if (threadIdx.x == 0) args.state->part[blockIdx.x] = kept;
	wait_for_all(&args.state->arrived, [] {}, [&] { return load_acquire(&args.state->arrived) == gridDim.x; });
	for (uint32_t i = threadIdx.x; i < gridDim.x; i += threads) {
		u64 x = __ldcg(&args.state->part[i]);
		all += x;
		if (i < blockIdx.x) at += x;
	}
	at = block_sum(parts, at);
	all = block_sum(parts, all);
	if (blockIdx.x == 0 && threadIdx.x == 0) args.state->kept = all;
	if (!args.to_off || all > args.room) return;
	uint32_t v = 0; // the first one whose row begins at this block's edges, or behind them
	for (uint32_t n = args.n + 1; n > 0 && first > 0;) {
		uint32_t half = n / 2;
		if (args.off[v + half] < first) v += half + 1, n -= half + 1; else n = half;
	}
	for (u64 base = first; base < end; base += threads) {
		u64 e = base + threadIdx.x, close = min(base + threads, end);
		bool in = e < end && keeps(args, e);
		uint32_t sum, below = block_scan(parts, in, &sum);
		if (in && args.weighted) ((uint2 *)args.to)[at + below] = ((const uint2 *)args.edges)[e];
		else if (in) ((uint32_t *)args.to)[at + below] = ((const uint32_t *)args.edges)[e];
		before[threadIdx.x] = below;
		__syncthreads();
		for (uint32_t begin = threads; begin == threads; v += begin) { // the rows that begin here
			u64 row = (u64)v + threadIdx.x <= args.n ? args.off[v + threadIdx.x] : close;
			if (row < close) args.to_off[v + threadIdx.x] = at + before[row - base];
			begin = __syncthreads_count(row < close);
		}
		at += sum;
	}
	if (blockIdx.x == gridDim.x - 1)
		for (u64 i = (u64)v + threadIdx.x; i <= args.n; i += threads) args.to_off[i] = all;
}
