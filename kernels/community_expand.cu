// community_expand: the children that warps of community_process have left become tasks, in the
// ids of their problems: those of the first levels lowest, so that the deepest are taken
// first. A scan over the counts of the warps says where. Those before a window, and behind it, are
// left to another launch. A warp for each warp.

#include "community.cuh"

enum { expand_threads = 128, expand_warps = expand_threads / 32, expand_sets = 4 };

struct community_expand_args {
	const community_problem *problems;
	const u64 *scratch;
	const uint32_t *open; // by warp
	u64 *pool;
	u64 scratch_words;
	u64 first, room;      // the window
	u64 to, capacity;     // where its first task goes in the pool
	community_layout layout;
};

// The sum over the warps before this one. before is in shared memory: that over the warps of
// earlier blocks.
static __device__ u64 opened_before(const community_expand_args &a, uint32_t warp, u64 &before)
{
	uint32_t lane = lane_id(), first = blockIdx.x * expand_warps;
	if (threadIdx.x == 0) before = 0;
	__syncthreads();
	u64 sum = 0;
	for (uint32_t i = threadIdx.x; i < first; i += expand_threads) sum += a.open[i];
#pragma unroll
	for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(ALL, sum, k);
	if (lane == 0) atomicAdd(&before, sum);
	__syncthreads();
	uint32_t mine = lane < expand_warps ? a.open[first + lane] : 0, up_to = warp_scan(mine);
	return before + __shfl_sync(ALL, up_to - mine, warp - first);
}

// Tasks of one warp.
struct expander {
	const community_expand_args &a;
	u64 *c, *r, *to_c, *to_r; // sets of the level, and of the problem
	const uint32_t *map;      // nullptr: they are the same
	uint32_t problem, words, problem_words;
	u64 at;                   // which of all the next one is

	__device__ void translate(const u64 *from, u64 *to) const
	{
		for (uint32_t j = lane_id(); j < problem_words; j += 32) to[j] = map == nullptr ? from[j] : 0;
		__syncwarp();
		if (map == nullptr) return;
		const uint32_t *halves = (const uint32_t *)from;
		for (uint32_t j = 0; j < 2 * words; j++)
			if (halves[j] >> lane_id() & 1) put(to, map[j * 32 + lane_id()]);
		__syncwarp();
	}

	// Appends the node (C + u, R); u may be NO_VERTEX.
	__device__ void append(uint32_t u)
	{
		u64 i = at++ - a.first; // wraps around before the window
		if (i >= a.room) return;
		translate(c, to_c);
		translate(r, to_r);
		u64 *task = a.pool + slot_of(a.to + i, a.capacity) * (1 + 2 * a.layout.words);
		uint32_t x = map == nullptr || u == NO_VERTEX ? u : map[u];
		for (uint32_t j = lane_id(); j < problem_words; j += 32) {
			u64 bits = to_c[j];
			if (x != NO_VERTEX && j == x / 64) bits |= 1ull << x % 64;
			task[1 + j] = bits;
			task[1 + problem_words + j] = to_r[j];
		}
		if (lane_id() == 0) task[0] = (u64)x << 32 | problem;
		__syncwarp();
	}

	// The second child of a level lies below the first one, which is deeper.
	__device__ void level(const community_level *l)
	{
		const u64 *from = (const u64 *)l + level_words;
		for (int child = 1; child >= (int)l->phase; child--) {
			for (uint32_t j = lane_id(); j < words; j += 32) {
				c[j] = from[j];
				r[j] = from[words + j] & ~(child == 1 ? from[2 * words + j] : 0);
			}
			__syncwarp();
			append(child == 0 ? l->u : NO_VERTEX);
		}
	}
};

extern "C" __global__ void __launch_bounds__(expand_threads) garaph_community_expand(const community_expand_args args)
{
	extern __shared__ u64 shared[];
	__shared__ u64 before;
	uint32_t warp = blockIdx.x * expand_warps + threadIdx.x / 32, words = args.layout.words;
	u64 *mine = shared + threadIdx.x / 32 * expand_sets * words, *scratch = (u64 *)args.scratch + warp * args.scratch_words;
	u64 at = opened_before(args, warp, before);
	if (args.open[warp] == 0 || at >= args.first + args.room || at + args.open[warp] <= args.first) return;
	expander e = {args, mine, mine + words, mine + 2 * words, mine + 3 * words};
	e.at = at;
	e.problem = *(uint32_t *)(scratch + 1);
	e.problem_words = args.problems[e.problem].words;
	uint32_t levels = *(uint32_t *)scratch;
	for (uint32_t i = 0; i < levels; i++) {
		const community_level *l = level_at(scratch, args.layout, i);
		const community_space *x = space_at(scratch, l->space);
		e.words = x->words;
		e.map = l->space == 0 ? nullptr : (const uint32_t *)(scratch + x->map);
		e.level(l);
	}
}
