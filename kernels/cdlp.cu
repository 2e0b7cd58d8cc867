// cdlp: one iteration of label propagation over a whole graph, as LDBC Graphalytics defines it, in one
// launch of blocks that wait for each other. A vertex takes the most frequent label of the far ends of
// its edges, of several the least. Of up to 32 edges, the lanes of a warp compare their labels; those
// of more are counted in a hash table in shared memory, of a warp or of a block, a part of the labels
// after the other where the table has no room for all. The edges of hubs are shared out to all blocks,
// which count the labels of one hub after the other by vertex, in global memory.

#include "garaph.cuh"
#include "together.cuh"

struct cdlp_args {
	const uint64_t *in_off; // n + 1 of them
	const uint32_t *in;
	const uint64_t *out_off; // nullptr: in has both directions of every edge
	const uint32_t *out;
	const uint32_t *labels; // by vertex
	uint32_t *next;         // the labels after the iteration
	uint32_t *votes;        // by label, 0
	uint32_t *hubs;         // their vertices
	unsigned long long *best; // of each hub, 0: votes, and the complement of the label
	struct {
		unsigned long long taken; // vertices
		uint32_t arrived, found;  // blocks, hubs
		uint32_t changed;         // not 0: a label is another one
	} *state; // 0
	uint32_t n;
	uint32_t hub; // edges of a hub, or more
};

static const uint32_t ALL = 0xffffffff;  // lanes
static const uint32_t NONE = 0xffffffff; // no label
static const uint32_t WARPS = 8;         // of a block
static const uint32_t SLOTS = 4096;      // of all tables of a block
static const uint32_t SHORT = SLOTS / WARPS / 2; // edges that a warp counts
static const uint32_t FULL = SLOTS * 3 / 4;
static const uint32_t TAKEN = 64; // vertices that a block takes at once

// The edges of a vertex.
struct ends {
	const uint32_t *in, *out;
	uint64_t ins, all;

	__device__ __forceinline__ ends(const cdlp_args &a, uint32_t v)
	{
		in = a.in + a.in_off[v];
		all = ins = a.in_off[v + 1] - a.in_off[v];
		if (a.out_off != nullptr) {
			out = a.out + a.out_off[v] - ins;
			all += a.out_off[v + 1] - a.out_off[v];
		}
	}
	__device__ __forceinline__ uint32_t label(const cdlp_args &a, uint64_t i) const { return a.labels[i < ins ? in[i] : out[i]]; }
};

// More votes are more, and of as many a lower label.
static __device__ __forceinline__ u64 rating(uint32_t label, uint32_t votes) { return (u64)votes << 32 | ~label; }

static __device__ __forceinline__ u64 warp_best(u64 best)
{
	for (int k = 16; k > 0; k /= 2) best = max(best, __shfl_xor_sync(ALL, best, k));
	return best;
}

static __device__ __forceinline__ void set_label(const cdlp_args &a, uint32_t v, uint32_t label)
{
	if (label != a.labels[v]) a.state->changed = 1;
	a.next[v] = label;
}

// The best of up to 32 labels, one of each lane or NONE.
static __device__ __forceinline__ u64 best_of_lanes(uint32_t label)
{
	uint32_t votes = __popc(__match_any_sync(ALL, label));
	return warp_best(label == NONE ? 0 : rating(label, votes));
}

// Gives a label a vote in a table of 2^(32-shift) slots, and returns whether it is new there.
static __device__ __forceinline__ bool vote(uint32_t *keys, uint32_t *votes, uint32_t shift, uint32_t label, uint32_t n)
{
	uint32_t at = label * 0x85ebca6bu >> shift, was;
	while ((was = atomicCAS(&keys[at], NONE, label)) != NONE && was != label) at = at + 1 & (1u << (32 - shift)) - 1;
	atomicAdd(&votes[at], n);
	return was == NONE;
}

// The best label of up to SHORT edges, by a warp.
static __device__ __forceinline__ u64 best_of_warp(const cdlp_args &a, const ends &e, uint32_t *keys, uint32_t *votes)
{
	uint32_t shift = __clz(2 * (uint32_t)e.all - 1), size = 1u << (32 - shift);
	for (uint32_t i = lane_id(); i < size; i += 32) {
		keys[i] = NONE;
		votes[i] = 0;
	}
	__syncwarp();
	for (uint32_t i = lane_id(); i < e.all; i += 32) vote(keys, votes, shift, e.label(a, i), 1);
	__syncwarp();
	u64 best = 0;
	for (uint32_t i = lane_id(); i < size; i += 32)
		if (keys[i] != NONE) best = max(best, rating(keys[i], votes[i]));
	__syncwarp();
	return warp_best(best);
}

// The best label of any number of edges, by a block. of_warps has an element for each warp.
static __device__ __forceinline__ u64 best_of_block(const cdlp_args &a, const ends &e, uint32_t *keys, uint32_t *votes, uint32_t *used, u64 *of_warps)
{
	u64 best = 0;
	for (uint32_t part = 0, parts = 0; part >> parts == 0; part++) { // of 2^parts, by the labels' hashes
		for (uint32_t i = threadIdx.x; i < SLOTS; i += blockDim.x) {
			keys[i] = NONE;
			votes[i] = 0;
		}
		if (threadIdx.x == 0) *used = 0;
		__syncthreads();
		for (u64 i = threadIdx.x; i - lane_id() < e.all; i += blockDim.x) {
			if (__any_sync(ALL, *(volatile uint32_t *)used > FULL)) break;
			uint32_t label = i < e.all ? e.label(a, i) : NONE, n = 1;
			if (label != NONE && parts > 0 && label * 0x9e3779b1u >> (32 - parts) != part) label = NONE;
			if (__all_sync(ALL, label == __shfl_sync(ALL, label, 0))) { // one vote for all
				n = 32;
				if (lane_id() > 0) label = NONE;
			}
			if (label != NONE && vote(keys, votes, __clz(SLOTS - 1), label, n)) atomicAdd(used, 1);
		}
		__syncthreads();
		if (*used > FULL) { // begin again, with smaller parts
			best = part = 0;
			parts++;
			while (e.all >> parts > SLOTS / 4) parts++;
			part--;
			__syncthreads();
			continue;
		}
		for (uint32_t i = threadIdx.x; i < SLOTS; i += blockDim.x)
			if (keys[i] != NONE) best = max(best, rating(keys[i], votes[i]));
		__syncthreads();
	}
	best = warp_best(best);
	if (lane_id() == 0) of_warps[threadIdx.x / 32] = best;
	__syncthreads();
	for (uint32_t i = 0; i < WARPS; i++) best = max(best, of_warps[i]);
	return best;
}

// Waits for all blocks. goal goes up by as many at each barrier.
static __device__ __forceinline__ void barrier(uint32_t *arrived, uint32_t &goal)
{
	goal += gridDim.x;
	wait_for_all(arrived, [] {}, [&] { return load_acquire(arrived) >= goal; });
}

extern "C" __global__ void __launch_bounds__(WARPS * 32, 5) garaph_cdlp(const cdlp_args args)
{
	__shared__ uint32_t keys[SLOTS], votes[SLOTS], used, longer, list[TAKEN];
	__shared__ u64 of_warps[WARPS], first;
	uint32_t warp = threadIdx.x / 32, mine = warp * (SLOTS / WARPS), goal = 0;
	for (;;) {
		__syncthreads();
		if (threadIdx.x == 0) {
			first = atomicAdd(&args.state->taken, TAKEN);
			longer = 0;
		}
		__syncthreads();
		if (first >= args.n) break;
		u64 last = min(first + TAKEN, (u64)args.n);
		for (u64 v = first + warp; v < last; v += WARPS) {
			ends e(args, v);
			u64 best = 0;
			if (e.all <= 32) {
				best = best_of_lanes(lane_id() < e.all ? e.label(args, lane_id()) : NONE);
			} else if (e.all <= SHORT) {
				best = best_of_warp(args, e, keys + mine, votes + mine);
			} else if (lane_id() == 0) {
				if (e.all < args.hub) list[atomicAdd(&longer, 1)] = v;
				else args.hubs[atomicAdd(&args.state->found, 1)] = v;
			}
			if (lane_id() == 0 && e.all <= SHORT) set_label(args, v, best ? ~(uint32_t)best : args.labels[v]);
		}
		__syncthreads();
		for (uint32_t i = 0; i < longer; i++) {
			u64 best = best_of_block(args, ends(args, list[i]), keys, votes, &used, of_warps);
			if (threadIdx.x == 0) set_label(args, list[i], ~(uint32_t)best);
		}
	}
	barrier(&args.state->arrived, goal);
	u64 thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
	for (uint32_t h = 0; h < load_acquire(&args.state->found); h++) {
		uint32_t v = args.hubs[h];
		ends e(args, v);
		for (u64 i = thread; i < e.all; i += threads) atomicAdd(&args.votes[e.label(args, i)], 1);
		barrier(&args.state->arrived, goal);
		u64 best = 0;
		for (u64 i = thread; i - lane_id() < e.all; i += threads) {
			uint32_t label = i < e.all ? e.label(args, i) : NONE;
			if (label != NONE) best = max(best, rating(label, ((volatile uint32_t *)args.votes)[label]));
		}
		best = warp_best(best);
		if (lane_id() == 0 && best > 0) atomicMax(&args.best[h], best);
		barrier(&args.state->arrived, goal);
		for (u64 i = thread; i < e.all; i += threads) args.votes[e.label(args, i)] = 0;
		if (thread == 0) {
			set_label(args, v, ~(uint32_t)((volatile u64 *)args.best)[h]);
			args.best[h] = 0;
		}
		barrier(&args.state->arrived, goal);
	}
}
