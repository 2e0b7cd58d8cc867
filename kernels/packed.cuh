// Blocks of packed shards, for the kernels that decode them. A warp takes a block; a
// thread unpacks 8 consecutive slots; then the warp exchanges them, so that it gathers
// 32 consecutive ones at once, which are in few lines of the cache: twice as fast.

#pragma once
#include <stdint.h>

// A run of blocks of one side of a shard. The host has the same struct in pull_packed.go.
struct packed_chunk {
	const uint2 *heads;      // of the chunk's blocks
	const uint8_t *data;     // of the side, from which heads count
	const uint8_t *codes;    // of the chunk's slots; null without weights
	const float *dictionary; // that codes of 1 or 2 bytes index
	uint32_t blocks, first, count, from, bits, code, copies, common;
};

// The 64 bits from any byte on.
static __device__ __forceinline__ uint64_t bits64(const uint8_t *p)
{
	const uint32_t *q = (const uint32_t *)((uintptr_t)p & ~(uintptr_t)3);
	uint32_t shift = 8 * (uint32_t)((uintptr_t)p & 3), x = __ldg(q), y = __ldg(q + 1), z = __ldg(q + 2);
	return (uint64_t)__funnelshift_r(y, z, shift) << 32 | __funnelshift_r(x, y, shift);
}

// 8 numbers of up to 16 bits, from where they begin: two halves of 64 bits.
static __device__ __forceinline__ void unpack16(uint32_t *to, const uint8_t *p, uint32_t width)
{
	uint32_t mask = (1u << width) - 1;
	uint64_t low = bits64(p), high = bits64(p + width / 2) >> 4 * (width & 1);
#pragma unroll
	for (int k = 0; k < 4; k++) {
		to[k] = (uint32_t)(low >> k * width) & mask;
		to[k + 4] = (uint32_t)(high >> k * width) & mask;
	}
}

// 8 differences of sources.
static __device__ __forceinline__ void unpack(uint32_t *to, const uint8_t *p, uint32_t width)
{
	if (width <= 8) {
		uint32_t mask = (1u << width) - 1;
		uint64_t all = bits64(p);
#pragma unroll
		for (int k = 0; k < 8; k++) to[k] = (uint32_t)(all >> k * width) & mask;
	} else if (width <= 16) {
		unpack16(to, p, width);
	} else {
		uint32_t mask = 0xffffffff >> 32 - width;
#pragma unroll
		for (int k = 0; k < 8; k++) to[k] = (uint32_t)(bits64(p + k * width / 8) >> k * width % 8) & mask;
	}
}

// The sum of x over the lower lanes of the warp.
static __device__ __forceinline__ uint32_t sum_below(uint32_t x, uint32_t lane)
{
	uint32_t sum = x;
#pragma unroll
	for (int k = 1; k < 32; k *= 2) {
		uint32_t y = __shfl_up_sync(0xffffffff, sum, k);
		if (lane >= k) sum += y;
	}
	return sum - x;
}

// Gives lane l, in x[k], what belongs to slot 32 * k + l % 4 * 8 + l / 4 instead of
// slot 8 * l + k: bits 2 to 0 of k change places with bits 4 to 2 of l.
static __device__ __forceinline__ void transpose(uint32_t *x, uint32_t lane)
{
#pragma unroll
	for (int bit = 4; bit > 0; bit /= 2) {
		bool up = lane & 4 * bit;
#pragma unroll
		for (int k = 0; k < 8; k++) {
			if (k & bit) continue;
			uint32_t other = __shfl_xor_sync(0xffffffff, up ? x[k] : x[k + bit], 4 * bit);
			if (up) x[k] = other; else x[k + bit] = other;
		}
	}
}

// The sources and destinations of a block, as transpose leaves them; beyond the window,
// destinations are its count.
static __device__ __forceinline__ void decode(uint32_t *s, uint32_t *d, uint2 head, const packed_chunk &c, uint32_t lane)
{
	uint32_t width = head.y & 63;
	const uint8_t *group = c.data + (uint64_t)(head.y >> 6) * 32 + lane * (width + c.bits);
	unpack(s, group, width);
	unpack16(d, group + width, c.bits);
#pragma unroll
	for (int k = 1; k < 8; k++) s[k] += s[k - 1];
	uint32_t below = sum_below(s[7], lane);
	bool narrow = width <= 8; // a distance to the first source, at most 255 * 255, and a destination fit into a word
#pragma unroll
	for (int k = 0; k < 8; k++) s[k] = s[k] + below | (narrow ? d[k] << 16 : 0);
	transpose(s, lane);
	if (!narrow) transpose(d, lane);
#pragma unroll
	for (int k = 0; k < 8; k++) {
		d[k] = min((narrow ? s[k] >> 16 : d[k]) - c.from, c.count);
		s[k] = head.x + (narrow ? s[k] & 0xffff : s[k]);
	}
}
