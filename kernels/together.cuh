// What the blocks of a kernel do together that is launched with all of them at once.

#pragma once
#include <stdint.h>

typedef unsigned long long u64;

enum { threads = 384, warps = threads / 32, most_blocks = 4096 };

static __device__ __forceinline__ uint32_t lane_id() { return threadIdx.x % 32; }

static __device__ __forceinline__ uint32_t load_acquire(const uint32_t *p)
{
	uint32_t x;
	asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(x) : "l"(__cvta_generic_to_global(p)) : "memory");
	return x;
}

// Waits for all blocks. What was written before is read after it, what thread 0 writes last
// too. It adds one to a counter then, and asks whether all have, by a load that acquires.
// __threadfence would also put it into one order with the fences of all blocks, which takes
// longer.
template <class F, class G> static __device__ __forceinline__ void wait_for_all(uint32_t *counter, F last, G arrived)
{
	__syncthreads();
	if (threadIdx.x == 0) {
		last();
		asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(__cvta_generic_to_global(counter)) : "memory");
		while (!arrived()) {}
	}
	__syncthreads();
}

// Where a block's share of n things begins. fraction is 2^64 over the number of blocks: to
// divide by that takes a function.
static __device__ __forceinline__ u64 share(u64 n, uint32_t block, u64 fraction) { return block == gridDim.x ? n : __umul64hi(n, block * fraction); }

// The sum over the block, for all its threads. parts has one for each warp.
static __device__ __forceinline__ u64 block_sum(u64 *parts, u64 x)
{
#pragma unroll
	for (int k = 16; k > 0; k /= 2) x += __shfl_down_sync(0xffffffff, x, k);
	__syncthreads();
	if (lane_id() == 0) parts[threadIdx.x / 32] = x;
	__syncthreads();
	u64 sum = 0;
#pragma unroll
	for (int k = 0; k < warps; k++) sum += parts[k];
	return sum;
}

static __device__ __forceinline__ u64 block_least(u64 *parts, u64 x)
{
#pragma unroll
	for (int k = 16; k > 0; k /= 2) x = min(x, __shfl_xor_sync(0xffffffff, x, k));
	__syncthreads();
	if (lane_id() == 0) parts[threadIdx.x / 32] = x;
	__syncthreads();
	for (int k = 0; k < warps; k++) x = min(x, parts[k]);
	return x;
}

// The sum over lower threads of the block, and over all.
static __device__ __forceinline__ uint32_t block_scan(u64 *parts, uint32_t x, uint32_t *all)
{
	uint32_t sum = x;
#pragma unroll
	for (int k = 1; k < 32; k *= 2) {
		uint32_t y = __shfl_up_sync(0xffffffff, sum, k);
		if (lane_id() >= k) sum += y;
	}
	__syncthreads();
	if (lane_id() == 31) parts[threadIdx.x / 32] = sum;
	__syncthreads();
	uint32_t below = 0;
	*all = 0;
#pragma unroll
	for (int k = 0; k < warps; k++) {
		if (k < threadIdx.x / 32) below += (uint32_t)parts[k];
		*all += (uint32_t)parts[k];
	}
	return below + sum - x;
}

// The last i below n with list[i] <= x; list[0] <= x.
template <class T> static __device__ __forceinline__ uint32_t last_below(const T *list, uint32_t n, T x)
{
	uint32_t from = 0, to = n;
	while (to - from > 1) {
		uint32_t m = from + (to - from) / 2;
		if (list[m] <= x) from = m; else to = m;
	}
	return from;
}

static __device__ __forceinline__ bool has(const uint32_t *bits, uint32_t v) { return bits[v / 32] >> v % 32 & 1; }
static __device__ __forceinline__ void put(uint32_t *bits, uint32_t v) { atomicOr(&bits[v / 32], 1u << v % 32); }
