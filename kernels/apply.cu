// apply: next[v] = Apply(v, values[v], acc[v]) of an interval of vertices, and
// acc[v] = Zero() again; the bits of those that Activate, and how many these are.
// A block per 256 vertices and their 8 words of bits. Settled vertices
// keep their value.

#include "garaph.cuh"

struct totals {
	unsigned long long activated, degrees, applied;
};

struct apply_args {
	void *acc;
	const void *values;
	void *next;
	const uint32_t *in, *out, *ids, *degree; // by place; in and out null when unused, ids where they are the places
	const void *parameters;
	uint32_t *active;
	totals *sum;
	double *sums; // of Aggregate, one for each block; null without
	uint32_t *fault;
	int64_t iteration;
	double aggregate;
	uint32_t first, count, n, pad;
};

// The sum over the block, in thread 0 alone: a tree, which gives the same bits
// each time.
template <class T> static __device__ T block_sum(T *parts, T x)
{
	__syncthreads();
	parts[threadIdx.x] = x;
	for (uint32_t half = blockDim.x / 2; half > 0; half /= 2) {
		__syncthreads();
		if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
	}
	return threadIdx.x == 0 ? *(volatile T *)parts : 0; // others would race with thread 0's last addition
}

extern "C" __global__ void __launch_bounds__(256) garaph_apply(const apply_args args)
{
	__shared__ double parts[256];
	__shared__ uint32_t words[8];
	PARAMETERS(args.parameters);
	SET("v.n", "r", args.n);
	SET("step.iteration", "l", args.iteration);
	SET("step.aggregate", "d", args.aggregate);
	unsigned long long activated = 0, degrees = 0, applied = 0;
	double sum = 0;
	uint32_t last = (args.first + args.count - 1) / 256;
	for (uint32_t tile = args.first / 256 + blockIdx.x; tile <= last; tile += gridDim.x) {
		if (threadIdx.x < 8) words[threadIdx.x] = 0;
		__syncthreads();
		uint32_t v = tile * 256 + threadIdx.x, rises = 0, settled = 0;
		if (v - args.first < args.count) {
			SET("v.id", "r", args.ids ? args.ids[v] : v);
			SET("v.in", "r", args.in ? args.in[v] : 0);
			SET("v.out", "r", args.out ? args.out[v] : 0);
			LOAD("old", args.values, v);
			MOVE("value", "old");
			CALL_IF("Settled", "flag");
			GET("flag", settled);
			if (settled) {
				MOVE("new", "old");
			} else {
				LOAD_SLOT("acc", args.acc, v);
				CALL("Apply", "new");
				CALL("Activate", "flag");
				GET("flag", rises);
				applied++;
			}
			STORE("new", args.next, v);
			CALL("Zero", "acc");
			STORE_SLOT("acc", args.acc, v);
			if (args.sums) {
				double x;
				MOVE("value", "new");
				CALL_IF("Aggregate", "sum");
				GET_SUM(x);
				sum += x;
			}
			if (rises) {
				degrees += args.degree[v];
				activated++;
				atomicOr(&words[threadIdx.x / 32], 1u << threadIdx.x % 32);
			}
		}
		__syncthreads();
		if (threadIdx.x < 8 && words[threadIdx.x]) atomicOr(&args.active[tile * 8 + threadIdx.x], words[threadIdx.x]);
	}
	unsigned long long *counts = (unsigned long long *)parts;
	activated = block_sum(counts, activated);
	if (threadIdx.x == 0 && activated) atomicAdd(&args.sum->activated, activated);
	degrees = block_sum(counts, degrees);
	if (threadIdx.x == 0 && degrees) atomicAdd(&args.sum->degrees, degrees);
	applied = block_sum(counts, applied);
	if (threadIdx.x == 0 && applied) atomicAdd(&args.sum->applied, applied);
	sum = block_sum(parts, sum);
	if (threadIdx.x == 0 && args.sums) args.sums[blockIdx.x] = sum;
	REPORT(args.fault);
}
