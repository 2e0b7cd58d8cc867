// apply: new[v] = Apply(v, old[v], acc[v]) of one interval of vertices, and the
// bits of those that Activate. One thread per vertex.

#include "garaph.cuh"

extern "C" __global__ void garaph_apply(
	const void *acc,          // accumulators of the interval
	const void *values,       // values of all vertices, before
	void *next,               // and after
	const uint32_t *in, const uint32_t *out, // degrees by vertex id
	const void *parameters,   // the program
	uint32_t first, uint32_t count, // the interval
	uint32_t n,               // vertices of the graph
	int64_t iteration, double aggregate,
	uint32_t *active,         // bits by vertex id
	uint32_t *fault)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= count) return;
	uint32_t v = first + i;

	PARAMETERS(parameters);
	SET("v.id", "r", v);
	SET("v.n", "r", n);
	SET("v.in", "r", in[v]);
	SET("v.out", "r", out[v]);
	SET("step.iteration", "l", iteration);
	SET("step.aggregate", "d", aggregate);
	LOAD("old", values, v);
	LOAD("acc", acc, i);

	CALL("Apply", "new");
	STORE("new", next, v);

	uint32_t rises;
	CALL("Activate", "flag");
	GET("flag", rises);
	if (rises) atomicOr(&active[v / 32], 1u << (v % 32));
	REPORT(fault);
}
