// pull_packed: acc[d] = Sum over the in-edges (s, d) of Gather(value[s], weight,
// value[d]), from blocks of 256 slots, whose sources ascend. One chunk of blocks per
// CUDA block, one block at a time per warp. A thread unpacks 8 consecutive slots; then
// the warp exchanges them, so that it gathers 32 consecutive ones at once, which are
// in few lines of the cache: twice as fast. Accumulators of the chunk's window of the
// shard are in shared memory, with one more at the end, for slots that are no edges
// of it.

#include "garaph.cuh"

struct packed_chunk {
	const uint2 *heads;      // of the chunk's blocks
	const uint8_t *data;     // of the side, from which heads count
	const uint8_t *codes;    // of the chunk's slots; null without weights
	const float *dictionary; // that codes of 1 or 2 bytes index
	uint32_t blocks, first, count, from, bits, code, copies, common;
};

struct pull_packed_args {
	const packed_chunk *chunks;
	const void *values;
	void *acc;
	const void *parameters;
	uint32_t *fault;
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

// The weights of slots slot + 32 * k of the chunk.
static __device__ __forceinline__ void weights(float *to, const packed_chunk &c, uint32_t slot)
{
	if (c.code == 4) {
#pragma unroll
		for (int k = 0; k < 8; k++) to[k] = __ldg((const float *)c.codes + slot + 32 * k);
	} else if (c.code == 2) {
#pragma unroll
		for (int k = 0; k < 8; k++) to[k] = __ldg(c.dictionary + __ldg((const uint16_t *)c.codes + slot + 32 * k));
	} else if (c.code == 1) {
#pragma unroll
		for (int k = 0; k < 8; k++) to[k] = __ldg(c.dictionary + __ldg(c.codes + slot + 32 * k));
	} else {
#pragma unroll
		for (int k = 0; k < 8; k++) to[k] = 1;
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
static __device__ __forceinline__ void turn(uint32_t *x, uint32_t lane)
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

// The sources and destinations of a block, as turn leaves them; beyond the window,
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
	turn(s, lane);
	if (!narrow) turn(d, lane);
#pragma unroll
	for (int k = 0; k < 8; k++) {
		d[k] = min((narrow ? s[k] >> 16 : d[k]) - c.from, c.count);
		s[k] = head.x + (narrow ? s[k] & 0xffff : s[k]);
	}
}

#define EDGE(k)                                                          \
	SET("edge.weight", "f", w[k]);                                       \
	LOAD_CONSTANT("src", args.values, s[k]);                             \
	LOAD_CONSTANT("dst", args.values, c.first + min(d[k], c.count - 1)); \
	GUARD("Gather");                                                     \
	CALL("Gather", "g" #k);                                              \
	FORGIVE("Gather", d[k], c.count);

#define SLOT(k) ((d[k] << c.copies) + mine)
#define FOLD(k)                                \
	GUARD("Sum");                              \
	SUM_WINDOW("g" #k, slots, SLOT(k), plane); \
	FORGIVE("Sum", d[k], c.count);
#define FINISH(k) FINISH_WINDOW("g" #k, slots, SLOT(k), plane);
#define ALL(what) what(0) what(1) what(2) what(3) what(4) what(5) what(6) what(7)

extern "C" __global__ void __launch_bounds__(1024) garaph_pull_packed(const pull_packed_args args)
{
	extern __shared__ uint64_t memory[];
	uint32_t slots = shared_address(memory);
	packed_chunk c = args.chunks[blockIdx.x];
	uint32_t all = c.count + 1 << c.copies, plane = 4 * all, lane = threadIdx.x % 32, mine = lane & (1u << c.copies) - 1;
	PARAMETERS(args.parameters);

	for (uint32_t i = threadIdx.x; i < all; i += blockDim.x) {
		CALL("Zero", "acc");
		STORE_WINDOW("acc", slots, i, plane);
	}
	__syncthreads();
	uint2 next = __ldg(c.heads + min(threadIdx.x / 32, c.blocks - 1));
	for (uint32_t at = 0; at < c.blocks; at += blockDim.x / 32) { // for all warps, as they exchange slots
		uint32_t block = at + threadIdx.x / 32, s[8], d[8];
		uint2 head = next;
		next = __ldg(c.heads + min(block + blockDim.x / 32, c.blocks - 1));
		decode(s, d, head, c, lane);
		if (block >= c.blocks) continue;
		float w[8];
		weights(w, c, 256 * block + lane % 4 * 8 + lane / 4);
		ALL(EDGE)
		ALL(FOLD)
		ALL(FINISH)
	}
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < c.count; i += blockDim.x) {
		LOAD_WINDOW("acc", slots, (i << c.copies) + (i & (1u << c.copies) - 1), plane);
		for (uint32_t k = 1; k < 1u << c.copies; k++) {
			MOVE("a", "acc");
			LOAD_WINDOW("b", slots, (i << c.copies) + (i + k & (1u << c.copies) - 1), plane); // banks differ
			CALL("Sum", "acc");
		}
		if (c.common) {
			SUM_SLOT("acc", args.acc, c.first + i);
			continue;
		}
		MOVE("b", "acc");
		LOAD_SLOT("a", args.acc, c.first + i);
		CALL("Sum", "acc");
		STORE_SLOT("acc", args.acc, c.first + i);
	}
	REPORT(args.fault);
}
