// zero: acc[v] = Zero() of all vertices.

#include "garaph.cuh"

struct zero_args {
	void *acc;
	const void *parameters;
	uint32_t *fault;
	uint32_t n;
};

extern "C" __global__ void garaph_zero(const zero_args args)
{
	PARAMETERS(args.parameters);
	for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < args.n; i += gridDim.x * blockDim.x) { // past 32 bits at the end
		uint32_t v = (uint32_t)i;
		CALL("Zero", "acc");
		STORE_SLOT("acc", args.acc, v);
	}
	REPORT(args.fault);
}
