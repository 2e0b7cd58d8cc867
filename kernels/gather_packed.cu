// gather_packed: the ceiling of every pull over packed shards. Each warp decodes blocks
// and gathers the values of their sources, of 4 or 8 bytes, and does nothing with them.

#include "packed.cuh"

struct gather_packed_args {
	const packed_chunk *chunks;
	const void *values;
	void *sink; // never written
	uint64_t width; // bytes of a value
};

template <class T> static __device__ __forceinline__ T gather(const packed_chunk &c, const T *values)
{
	T sum = 0;
	uint32_t lane = threadIdx.x % 32, used = 0;
	for (uint32_t at = 0; at < c.blocks; at += blockDim.x / 32) { // for all warps, as they exchange slots
		uint32_t block = at + threadIdx.x / 32, s[8], d[8];
		decode(s, d, __ldg(c.heads + min(block, c.blocks - 1)), c, lane);
		if (block >= c.blocks) continue;
#pragma unroll
		for (int k = 0; k < 8; k++) {
			sum += __ldg(values + s[k]);
			used += d[k];
		}
	}
	return used == 0xffffffff ? sum + used : sum;
}

extern "C" __global__ void __launch_bounds__(1024) garaph_gather_packed(const gather_packed_args args)
{
	packed_chunk c = args.chunks[blockIdx.x];
	if (args.width == 8) {
		double sum = gather(c, (const double *)args.values);
		if (sum == 1e300) *(double *)args.sink = sum;
	} else {
		float sum = gather(c, (const float *)args.values);
		if (sum == 1e30f) *(float *)args.sink = sum;
	}
}
