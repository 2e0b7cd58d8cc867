// pull_segmented: acc[d] = Sum over the in-edges (s, d) of Gather(value[s],
// weight, value[d]). One block per chunk. Each thread folds 16 consecutive edges
// in registers and touches shared memory only where the destination changes.

#include "garaph.cuh"

#define EDGE(k)                                               \
	SET_WEIGHT(w[k]);                                         \
	LOAD_CONSTANT("src", args.values, s[k]);                  \
	LOAD_CONSTANT("dst", args.values, c.first + d[k]);        \
	CALL("Gather", "g" #k)

#define FOLD(k)                             \
	if (d[k] != at) {                       \
		SUM_SHARED("acc", slots, at);       \
		at = d[k];                          \
		MOVE("acc", "g" #k);                \
	} else {                                \
		MOVE("a", "acc");                   \
		MOVE("b", "g" #k);                  \
		CALL("Sum", "acc");                 \
	}

static __device__ __forceinline__ void quad(uint32_t *to, uint4 x)
{
	to[0] = x.x; to[1] = x.y; to[2] = x.z; to[3] = x.w;
}

static __device__ __forceinline__ void pairs(uint32_t *to, uint4 x)
{
	to[0] = x.x & 0xffff; to[1] = x.x >> 16; to[2] = x.y & 0xffff; to[3] = x.y >> 16;
	to[4] = x.z & 0xffff; to[5] = x.z >> 16; to[6] = x.w & 0xffff; to[7] = x.w >> 16;
}

// 16 weights from a multiple of 16 on, or ones.
static __device__ __forceinline__ void weights(weight_t *to, const weight_t *all, int64_t from)
{
#ifdef WIDE
	const double2 *at = (const double2 *)(all + from);
#pragma unroll
	for (int k = 0; k < 8; k++) {
		double2 x = all ? __ldg(at + k) : make_double2(1, 1);
		to[2 * k] = x.x; to[2 * k + 1] = x.y;
	}
#else
	const float4 *at = (const float4 *)(all + from);
#pragma unroll
	for (int k = 0; k < 4; k++) {
		float4 x = all ? __ldg(at + k) : make_float4(1, 1, 1, 1);
		to[4 * k] = x.x; to[4 * k + 1] = x.y; to[4 * k + 2] = x.z; to[4 * k + 3] = x.w;
	}
#endif
}

extern "C" __global__ void __launch_bounds__(256) ENTRY(garaph_pull_segmented)(const pull_args args)
{
	extern __shared__ uint64_t memory[];
	uint32_t slots = shared_address(memory);
	chunk c = args.chunks[blockIdx.x];
	PARAMETERS(args.parameters);

	for (uint32_t i = threadIdx.x; i < c.count; i += blockDim.x) {
		CALL("Zero", "acc");
		STORE_SHARED("acc", slots, i);
	}
	__syncthreads();
	// Runs begin at multiples of 16 edges of the shard, where loads are aligned.
	int64_t skew = (uint64_t)c.dst / 2 % 16;
	for (int64_t from = threadIdx.x * 16 - skew; from < c.edges; from += blockDim.x * 16) {
		if (from < 0 || from + 16 > c.edges) { // the ends of the chunk
			for (uint32_t e = max(from, (int64_t)0); e < min(from + 16, (int64_t)c.edges); e++) {
				uint32_t d = c.dst[e];
				SET_WEIGHT(c.weight ? c.weight[e] : 1);
				LOAD_CONSTANT("src", args.values, c.nbr[e]);
				LOAD_CONSTANT("dst", args.values, c.first + d);
				CALL("Gather", "acc");
				SUM_SHARED("acc", slots, d);
			}
			continue;
		}
		uint32_t s[16], d[16];
		weight_t w[16];
		const uint4 *nbr = (const uint4 *)(c.nbr + from), *dst = (const uint4 *)(c.dst + from);
#pragma unroll
		for (int k = 0; k < 4; k++) quad(s + 4 * k, __ldg(nbr + k));
		pairs(d, __ldg(dst));
		pairs(d + 8, __ldg(dst + 1));
		weights(w, c.weight, from);
		EDGE(0); EDGE(1); EDGE(2); EDGE(3); EDGE(4); EDGE(5); EDGE(6); EDGE(7);
		EDGE(8); EDGE(9); EDGE(10); EDGE(11); EDGE(12); EDGE(13); EDGE(14); EDGE(15);
		uint32_t at = d[0];
		MOVE("acc", "g0");
		FOLD(1) FOLD(2) FOLD(3) FOLD(4) FOLD(5) FOLD(6) FOLD(7) FOLD(8)
		FOLD(9) FOLD(10) FOLD(11) FOLD(12) FOLD(13) FOLD(14) FOLD(15)
		SUM_SHARED("acc", slots, at);
	}
	__syncthreads();
	FLUSH(args, c, slots)
	REPORT(args.fault);
}
