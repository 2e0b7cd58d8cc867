// What the kernels share that go over whole rows, a warp or a block a row.

#pragma once
#include <stdint.h>

typedef unsigned long long u64;

static const uint32_t ALL = 0xffffffff;  // lanes
static const uint32_t NONE = 0xffffffff; // no vertex

static __device__ __forceinline__ uint32_t lane_id() { return threadIdx.x % 32; }

static __device__ __forceinline__ u64 now()
{
	u64 t;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
	return t;
}

// Whether an ascending row has x.
static __device__ __forceinline__ bool row_has(const uint32_t *row, uint64_t n, uint32_t x)
{
	const uint32_t *from = row;
	for (uint64_t left = n; left > 1;) {
		uint64_t half = left / 2;
		if (from[half] <= x) from += half;
		left -= half;
	}
	return n > 0 && *from == x;
}

// Calls f(i, x, is) for the row of v by a warp: is, where x is a neighbour, for the first time.
template <class F> static __device__ __forceinline__ void each(const uint32_t *row, uint64_t n, uint32_t v, F f)
{
	uint32_t before = NONE;
	for (uint64_t i = lane_id(); i - lane_id() < n; i += 32) {
		uint32_t x = i < n ? row[i] : NONE, last = __shfl_up_sync(ALL, x, 1);
		if (lane_id() == 0) last = before;
		before = __shfl_sync(ALL, x, 31);
		f(i, x, x != last && x != v && i < n);
	}
}

// Adds to n for each lane that has bit set, and returns where that of this lane goes.
static __device__ __forceinline__ uint32_t append(bool set, uint32_t &n)
{
	uint32_t all = __ballot_sync(ALL, set), at = n + __popc(all & ((1u << lane_id()) - 1));
	n += __popc(all);
	return at;
}
