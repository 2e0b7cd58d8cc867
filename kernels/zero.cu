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
	for (uint32_t v = blockIdx.x * blockDim.x + threadIdx.x; v < args.n; v += gridDim.x * blockDim.x) {
		CALL("Zero", "acc");
		STORE_SLOT("acc", args.acc, v);
	}
	REPORT(args.fault);
}
