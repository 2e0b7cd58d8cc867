// pull: acc[d] = Sum over the in-edges (s, d) of Gather(value[s], weight,
// value[d]), for the destinations of one shard per block. One thread per edge,
// accumulators in shared memory, folded with atomics: one copy of each (R = 1 in
// section 4 of Garaph).

#include "garaph.cuh"

struct shard {
	uint64_t edges, end;    // its edges, from and to
	uint32_t first, count;  // its destinations
};

extern "C" __global__ void garaph_pull(
	const shard *shards,
	const uint32_t *source,      // of each edge
	const uint16_t *destination, // of each edge, within its shard
	const float *weight,         // of each edge, or null
	const void *values,          // of all vertices
	void *acc,                   // of all vertices
	const void *parameters,      // the program
	uint32_t *fault)
{
	extern __shared__ uint64_t memory[];
	uint32_t slots = shared_address(memory);
	shard s = shards[blockIdx.x];
	PARAMETERS(parameters);

	for (uint32_t i = threadIdx.x; i < s.count; i += blockDim.x) {
		CALL("Zero", "acc");
		STORE_SHARED("acc", slots, i);
	}
	__syncthreads();
	// All threads go around together, so that they arrive at the barrier together.
	for (uint64_t from = s.edges; from < s.end; from += blockDim.x) {
		uint64_t e = from + threadIdx.x;
		if (e >= s.end) continue;
		uint32_t d = destination[e];
		SET("edge.weight", "f", weight ? weight[e] : 1.0f);
		LOAD("src", values, source[e]);
		LOAD("dst", values, s.first + d);
		CALL("Gather", "b");
		SUM_SHARED("b", slots, d);
	}
	__syncthreads();
	for (uint32_t i = threadIdx.x; i < s.count; i += blockDim.x) {
		LOAD_SHARED("acc", slots, i);
		STORE("acc", acc, s.first + i);
	}
	REPORT(fault);
}
