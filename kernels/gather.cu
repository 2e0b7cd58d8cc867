// gather: the ceiling of every pull. Each thread reads 16 consecutive sources
// and gathers their values, of 4 or 8 bytes, and does nothing with them.

#include "garaph.cuh"

struct gather_args {
	const uint32_t *nbr;
	const void *values;
	void *sink; // never written
	uint64_t edges; // a multiple of 16
	uint64_t width; // bytes of a value
};

template <class T> static __device__ __forceinline__ T gather(const gather_args &args)
{
	T sum = 0;
	const T *values = (const T *)args.values;
	uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
	for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < args.edges / 16; i += stride) {
		const uint4 *nbr = (const uint4 *)(args.nbr + 16 * i);
#pragma unroll
		for (int k = 0; k < 4; k++) {
			uint4 s = __ldg(nbr + k);
			sum += __ldg(values + s.x) + __ldg(values + s.y) + __ldg(values + s.z) + __ldg(values + s.w);
		}
	}
	return sum;
}

extern "C" __global__ void __launch_bounds__(256) garaph_gather(const gather_args args)
{
	if (args.width == 8) {
		double sum = gather<double>(args);
		if (sum == 1e300) *(double *)args.sink = sum;
	} else {
		float sum = gather<float>(args);
		if (sum == 1e30f) *(float *)args.sink = sum;
	}
}
