// What the kernels of community search share. A node of the search is a pair of sets (C, R) of
// vertices of a problem: those that a community has, and those that it may have. Sets and rows
// are bits, vertex v is bit v % 64 of word v / 64. A warp does one node at a time.

#pragma once
#include <stdint.h>

typedef unsigned long long u64;

static const uint32_t ALL = 0xffffffff;       // lanes
static const uint32_t NO_VERTEX = 0xffffffff;

// A graph in which communities of one query are looked for: rows of all n vertices first, and
// then, with new ids, bits of those that the initial reduction has left.
struct community_problem {
	const uint32_t *off; // n + 1 of them
	const uint32_t *nbr;
	uint32_t *mark;      // n: 0, a vertex was dropped; then its new id and 1
	uint32_t *kept;      // left: the old ids
	u64 *rows;           // left × words
	uint32_t n, left, words, query; // query is an old id
	uint32_t low, high;  // sizes
	uint32_t best;       // which community_best
	uint32_t pad;
};

// The best community of a query so far.
struct community_best {
	uint32_t next;    // its minimum degree and 1; 0: none
	uint32_t lock;
	uint32_t size;    // 0: members are not here
	uint32_t problem; // whose old ids members are
};

// What the warps of a round share.
struct community_round {
	uint32_t taken; // tasks; more than there are when all are
	uint32_t idle;  // warps without a task
	u64 open;       // nodes that warps leave
	u64 nodes;      // that were visited
};

enum { sets = 5, most_spaces = 24, space_words = 3, level_words = 2, head_words = 2 };

// Renumbered vertices. Space 0 is the problem.
struct community_space {
	u64 rows, map;     // where they begin in the warp's scratch, in words; of space 0 nothing
	uint32_t n, words;
};

// A node with children that were not visited: first the one with u, and then the one without it,
// and without the set D that u dominates.
struct community_level {
	uint32_t u, phase; // 0: both are to come, 1: the second one is, 2: none
	uint32_t space;
	uint32_t listed; // vertices of C ∪ R when it was visited, that counts are of
};

// Where parts of a warp's scratch begin, in words.
struct community_layout {
	uint32_t words, levels; // of any problem at most
	uint32_t local;         // vertices of a renumbered space at most
	uint32_t vertices;      // of any problem at most, an even number
};

static __device__ __forceinline__ uint32_t lane_id() { return threadIdx.x % 32; }
static __device__ __forceinline__ u64 *spaces_at(u64 *scratch) { return scratch + head_words; }
static __device__ __forceinline__ u64 *levels_at(u64 *scratch) { return spaces_at(scratch) + most_spaces * space_words; }
static __device__ __forceinline__ community_space *space_at(u64 *scratch, uint32_t i) { return (community_space *)spaces_at(scratch) + i; }

// A level, and behind it the sets C, R without u, and D, and then the list of C ∪ R and its counts.
static __device__ __forceinline__ community_level *level_at(u64 *scratch, const community_layout &a, uint32_t i)
{
	return (community_level *)(levels_at(scratch) + (u64)i * (level_words + 3 * a.words + a.vertices));
}

// Behind the levels: three lists, then the maps and rows of spaces.
static __device__ __forceinline__ u64 *lists_at(u64 *scratch, const community_layout &a) { return (u64 *)level_at(scratch, a, a.levels); }
static __device__ __forceinline__ u64 *parts_at(u64 *scratch, const community_layout &a) { return lists_at(scratch, a) + a.vertices / 2 * 3; }

// Where task i of a ring is, i below twice its capacity: to divide takes a call.
static __device__ __forceinline__ u64 slot_of(u64 i, u64 capacity) { return i < capacity ? i : i - capacity; }

static __device__ __forceinline__ bool has(const u64 *set, uint32_t v) { return set[v / 64] >> v % 64 & 1; }
static __device__ __forceinline__ void put(u64 *set, uint32_t v) { atomicOr(&((uint32_t *)set)[v / 32], 1u << v % 32); }
static __device__ __forceinline__ void cut(u64 *set, uint32_t v) { atomicAnd(&((uint32_t *)set)[v / 32], ~(1u << v % 32)); }

static __device__ __forceinline__ uint32_t warp_sum(uint32_t x)
{
#pragma unroll
	for (int k = 16; k > 0; k /= 2) x += __shfl_xor_sync(ALL, x, k);
	return x;
}

static __device__ __forceinline__ uint32_t warp_least(uint32_t x)
{
#pragma unroll
	for (int k = 16; k > 0; k /= 2) x = min(x, __shfl_xor_sync(ALL, x, k));
	return x;
}

// The sum over this lane and lower ones.
static __device__ __forceinline__ uint32_t warp_scan(uint32_t x)
{
#pragma unroll
	for (int k = 1; k < 32; k *= 2) {
		uint32_t y = __shfl_up_sync(ALL, x, k);
		if (lane_id() >= k) x += y;
	}
	return x;
}

// The largest diameter of a connected graph of minimum degree k with h vertices at most; -1:
// there is none. A shortest path of length d has disjoint neighbourhoods at 0, 3, 6, …
static __device__ int diameter(int k, int h)
{
	int d = -1;
	while (d < h && (d >= 0 || k < h)) {
		int e = d + 1, n = k <= 1 ? e + 1 : e <= 2 ? k + e : k + e + 1 + e / 3 * (k - 2);
		if (n > h) break;
		d = e;
	}
	return d;
}
