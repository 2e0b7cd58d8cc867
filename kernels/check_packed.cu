// check_packed: what no checksum sees in the blocks of one side of a packed shard, and pulls
// rely on: sources ascend from block to block and are below n, no destination is above
// vertices, codes are in the dictionary, or weights finite and not negative. Destinations below
// vertices are counted. One block at a time per warp, a group per lane.

#include "packed.cuh"

struct check_packed_args {
	const uint2 *heads;
	const uint8_t *data;
	const uint8_t *codes; // of all slots
	uint32_t *result;     // edges, and whether something is wrong
	uint32_t blocks, n, vertices, bits;
	uint32_t code, entries; // bytes of a code, 0 without weights; of the dictionary
};

// The sum of x over all lanes.
template <class T> static __device__ __forceinline__ T sum(T x)
{
#pragma unroll
	for (int k = 16; k > 0; k /= 2) x += __shfl_xor_sync(0xffffffff, x, k);
	return x;
}

// One of 8 codes, each 32 slots from the one before, is not in the dictionary.
template <class T> static __device__ __forceinline__ bool outside(const T *codes, uint32_t entries)
{
	bool wrong = false;
#pragma unroll
	for (int k = 0; k < 8; k++) wrong |= __ldg(codes + 32 * k) >= entries;
	return wrong;
}

// One of 8 weights is not finite, or negative.
template <class T> static __device__ __forceinline__ bool unsound(const T *weights, T largest)
{
	bool wrong = false;
#pragma unroll
	for (int k = 0; k < 8; k++) {
		T weight = __ldg(weights + 32 * k);
		wrong |= !(weight >= 0 && weight <= largest);
	}
	return wrong;
}

extern "C" __global__ void __launch_bounds__(256) garaph_check_packed(const check_packed_args args)
{
	uint32_t lane = threadIdx.x % 32, edges = 0;
	bool wrong = false;
	for (uint32_t block = (blockIdx.x * blockDim.x + threadIdx.x) / 32; block < args.blocks; block += gridDim.x * blockDim.x / 32) {
		uint2 head = __ldg(args.heads + block);
		uint32_t width = head.y & 63, x[8];
		const uint8_t *group = args.data + (uint64_t)(head.y >> 6) * 32 + lane * (width + args.bits);
		uint64_t last = 0;
		unpack(x, group, width);
#pragma unroll
		for (int k = 0; k < 8; k++) last += x[k];
		last = head.x + sum(last);
		wrong |= last >= args.n || block + 1 < args.blocks && last > __ldg(&args.heads[block + 1].x);
		unpack16(x, group + width, args.bits);
#pragma unroll
		for (int k = 0; k < 8; k++) {
			edges += x[k] < args.vertices;
			wrong |= x[k] > args.vertices;
		}
		uint64_t slot = 256 * (uint64_t)block + lane;
		if (args.code == 1) wrong |= outside(args.codes + slot, args.entries);
		if (args.code == 2) wrong |= outside((const uint16_t *)args.codes + slot, args.entries);
		if (args.code == 4) wrong |= unsound((const float *)args.codes + slot, 3.402823466e38f);
		if (args.code == 8) wrong |= unsound((const double *)args.codes + slot, 1.7976931348623157e308);
	}
	edges = sum(edges);
	wrong = __any_sync(0xffffffff, wrong);
	if (lane != 0) return;
	atomicAdd(args.result, edges);
	if (wrong) args.result[1] = 1;
}
