// pull_replicated: acc[d] = Sum over the in-edges (s, d) of Gather(value[s],
// weight, value[d]). One block per chunk, one thread per edge, R = 2^copies
// copies of each accumulator in shared memory so that threads seldom meet:
// address d R + (tid mod R), then a tree over the copies (Garaph, section 4.3).

#include "garaph.cuh"

extern "C" __global__ void __launch_bounds__(1024) ENTRY(garaph_pull_replicated)(const pull_args args)
{
	extern __shared__ uint64_t memory[];
	uint32_t slots = shared_address(memory);
	chunk c = args.chunks[blockIdx.x];
	PARAMETERS(args.parameters);

	for (uint32_t i = threadIdx.x; i < c.count << c.copies; i += blockDim.x) {
		CALL("Zero", "acc");
		STORE_SHARED("acc", slots, i);
	}
	__syncthreads();
	uint32_t mine = threadIdx.x & ((1u << c.copies) - 1);
	for (uint32_t e = threadIdx.x; e < c.edges; e += blockDim.x) {
		uint32_t d = c.dst[e];
		SET_WEIGHT(c.weight ? c.weight[e] : 1);
		LOAD_CONSTANT("src", args.values, c.nbr[e]);
		LOAD_CONSTANT("dst", args.values, c.first + d);
		CALL("Gather", "acc");
		SUM_SHARED("acc", slots, (d << c.copies) + mine);
	}
	for (uint32_t half = 1u << c.copies >> 1; half > 0; half >>= 1) {
		__syncthreads();
		for (uint32_t i = threadIdx.x; i < c.count * half; i += blockDim.x) {
			uint32_t slot = (i / half << c.copies) + i % half;
			LOAD_SHARED("a", slots, slot);
			LOAD_SHARED("b", slots, slot + half);
			CALL("Sum", "acc");
			STORE_SHARED("acc", slots, slot);
		}
	}
	__syncthreads();
	FLUSH(args, c, slots)
	REPORT(args.fault);
}
