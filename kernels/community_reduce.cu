// community_reduce: the initial reduction, a block for each problem. mark[v] becomes 0 where no
// community with more than the best minimum degree k̂ has v: where it has at most k̂ neighbours
// that are left, or is farther from the query vertex than such a community is wide. left is how
// many vertices stay; none, if the query vertex does not.

#include "community.cuh"

enum { reduce_threads = 1024, reduce_rounds = 16 };

struct community_reduce_args {
	community_problem *problems;
	const community_best *bests;
};

// Drops what has k neighbours at most. A warp goes through the row of a vertex.
static __device__ bool reduce_degree(const community_problem &p, int k)
{
	bool dropped = false;
	for (uint32_t v = threadIdx.x / 32; v < p.n; v += reduce_threads / 32) {
		if (p.mark[v] == 0) continue; // the warp's alone
		uint32_t degree = 0;
		for (uint32_t e = p.off[v] + lane_id(); e < p.off[v + 1]; e += 32) degree += p.mark[p.nbr[e]] != 0;
		if ((int)warp_sum(degree) <= k) {
			dropped = true;
			__syncwarp();
			if (lane_id() == 0) p.mark[v] = 0;
		}
	}
	return __syncthreads_or(dropped);
}

// Drops what is farther from the query vertex than d. Marks are 1 before and after it, and the
// distance and 2 of what was reached meanwhile.
static __device__ bool reduce_distance(const community_problem &p, int d)
{
	if (threadIdx.x == 0) p.mark[p.query] = 2;
	__syncthreads();
	for (uint32_t at = 2; at < (uint32_t)d + 2; at++) {
		bool reached = false;
		for (uint32_t v = threadIdx.x / 32; v < p.n; v += reduce_threads / 32) {
			if (p.mark[v] != at) continue;
			for (uint32_t e = p.off[v] + lane_id(); e < p.off[v + 1]; e += 32)
				if (p.mark[p.nbr[e]] == 1) { // whoever else writes it writes the same
					p.mark[p.nbr[e]] = at + 1;
					reached = true;
				}
		}
		if (!__syncthreads_or(reached)) break;
	}
	bool dropped = false;
	for (uint32_t v = threadIdx.x; v < p.n; v += reduce_threads) {
		uint32_t m = p.mark[v];
		dropped |= m == 1;
		p.mark[v] = m > 1;
	}
	return __syncthreads_or(dropped);
}

extern "C" __global__ void __launch_bounds__(reduce_threads) garaph_community_reduce(const community_reduce_args args)
{
	__shared__ uint32_t left;
	community_problem p = args.problems[blockIdx.x];
	int k = (int)args.bests[p.best].next - 1, d = diameter(k + 1, p.high);
	for (uint32_t v = threadIdx.x; v < p.n; v += reduce_threads) p.mark[v] = 1;
	if (threadIdx.x == 0) left = 0;
	__syncthreads();
	bool gone = d < 0;
	for (int i = 0; i < reduce_rounds && !gone; i++) {
		bool dropped = reduce_degree(p, k);
		gone = p.mark[p.query] == 0;
		__syncthreads();
		if (gone) break;
		if (!(reduce_distance(p, d) || dropped)) break;
	}
	uint32_t count = 0;
	if (!gone)
		for (uint32_t v = threadIdx.x; v < p.n; v += reduce_threads) count += p.mark[v];
	count = warp_sum(count);
	if (lane_id() == 0) atomicAdd(&left, count);
	__syncthreads();
	if (threadIdx.x == 0) args.problems[blockIdx.x].left = left;
}
