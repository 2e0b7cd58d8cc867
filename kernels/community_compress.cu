// community_compress: the vertices that are left of a problem get new ids, in the order of the
// old ones, by a scan over the marks, and rows of bits. A block for each problem.

#include "community.cuh"

enum { compress_threads = 1024 };

struct community_compress_args {
	const community_problem *problems;
};

// The sum over lower threads of the block, and over all. parts has one for each warp, and lies in
// shared memory: as a variable of this function, its name would depend on the file's path.
static __device__ uint32_t block_scan(uint32_t *parts, uint32_t x, uint32_t *all)
{
	uint32_t sum = warp_scan(x);
	__syncthreads();
	if (lane_id() == 31) parts[threadIdx.x / 32] = sum;
	__syncthreads();
	if (threadIdx.x < 32) parts[lane_id()] = warp_scan(parts[lane_id()]);
	__syncthreads();
	*all = parts[compress_threads / 32 - 1];
	return (threadIdx.x >= 32 ? parts[threadIdx.x / 32 - 1] : 0) + sum - x;
}

extern "C" __global__ void __launch_bounds__(compress_threads) garaph_community_compress(const community_compress_args args)
{
	community_problem p = args.problems[blockIdx.x];
	if (p.left == 0) return;
	__shared__ uint32_t parts[compress_threads / 32];
	uint32_t before = 0;
	for (uint32_t first = 0; first < p.n; first += compress_threads) {
		uint32_t v = first + threadIdx.x, all;
		bool stays = v < p.n && p.mark[v] != 0;
		uint32_t id = before + block_scan(parts, stays, &all);
		if (stays) {
			p.mark[v] = id + 1;
			p.kept[id] = v;
		}
		before += all;
	}
	__syncthreads();
	for (uint32_t id = threadIdx.x / 32; id < p.left; id += compress_threads / 32) {
		uint32_t v = p.kept[id];
		u64 *row = p.rows + (u64)id * p.words;
		for (uint32_t j = lane_id(); j < p.words; j += 32) row[j] = 0;
		__syncwarp();
		for (uint32_t e = p.off[v] + lane_id(); e < p.off[v + 1]; e += 32) {
			uint32_t m = p.mark[p.nbr[e]];
			if (m != 0) put(row, m - 1);
		}
	}
}
