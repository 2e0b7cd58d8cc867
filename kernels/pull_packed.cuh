// What pull_packed and pull_packed_rolled share: acc[d] = Sum over the in-edges (s, d) of
// Gather(value[s], weight, value[d]), from blocks of 256 slots, whose sources ascend. One
// chunk of blocks per CUDA block, one block at a time per warp. Accumulators of the chunk's
// window of the shard are in shared memory, with one more at the end, for slots that are no
// edges of it.

#pragma once
#include "garaph.cuh"
#include "packed.cuh"

struct pull_packed_args {
	const packed_chunk *chunks;
	const void *values;
	void *acc;
	const void *parameters;
	uint32_t *fault;
};

// The weights of slots slot + 32 * k of the chunk.
static __device__ __forceinline__ void weights(weight_t *to, const packed_chunk &c, uint32_t slot)
{
	if (c.code == sizeof(weight_t)) {
#pragma unroll
		for (int k = 0; k < 8; k++) to[k] = __ldg((const weight_t *)c.codes + slot + 32 * k);
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

#define EDGE(k)                                                          \
	SET_WEIGHT(w[k]);                                                    \
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

// Pulls the chunk of a CUDA block. What a lane has of a block of slots goes to SLOTS, which
// has EDGE, FOLD and FINISH done for each k.
static __device__ __forceinline__ void pull(const pull_packed_args &args)
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
		weight_t w[8];
		weights(w, c, 256 * block + lane % 4 * 8 + lane / 4);
		SLOTS
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
