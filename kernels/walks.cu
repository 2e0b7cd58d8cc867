// walks: random walks over the rows of a whole graph, a thread a walk. The arithmetic is that of package
// internal/walk, operation by operation, so that the walks are the CPU's.

#include "rows.cuh"

struct walks_args {
	const uint64_t *off;  // n + 1 of them
	const void *edges;    // with weights of 0, 4 or 8 bytes: ids; pairs of an id and a float; doubles, and then ids
	const double *sums;   // of the weights of a row up to each edge; nullptr without weights
	const uint32_t *sources; // nullptr: vertex i / walks is the source of walk i
	uint32_t *to;         // count of them after each step
	u64 seed, first;      // the first one of count walks
	double back, far;     // factors of edges to the vertex before, and to one without an edge to that
	uint64_t m;           // edges
	uint32_t n, count, walks, length; // walks from each source, and steps
	uint32_t weight;      // its bytes
};

static const u64 GAMMA = 0x9e3779b97f4a7c15;
static const int REJECTIONS = 64;

static __device__ __forceinline__ u64 mixed(u64 x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

static __device__ __forceinline__ double fraction(u64 random) { return __dmul_rn((double)(random >> 11), 1.0 / (1ull << 53)); }

// A number in [0, sum), or 0 if sum is 0.
static __device__ __forceinline__ double share(u64 random, double sum)
{
	double x = __dmul_rn(fraction(random), sum), most = sum == 0 ? 0 : __longlong_as_double(__double_as_longlong(sum) - 1);
	return x > most ? most : x;
}

static __device__ __forceinline__ uint32_t end_of(const walks_args &a, u64 k)
{
	const uint32_t *ids = (const uint32_t *)a.edges;
	return a.weight == 0 ? ids[k] : a.weight == 4 ? ids[2 * k] : ids[2 * a.m + k];
}

static __device__ __forceinline__ double weight_of(const walks_args &a, u64 k)
{
	return a.weight == 0 ? 1 : a.weight == 4 ? ((const float *)a.edges)[2 * k + 1] : ((const double *)a.edges)[k];
}

// An edge of a row by weight, or its end: it has none.
static __device__ __forceinline__ u64 choose(const walks_args &a, u64 begin, u64 end, u64 random)
{
	if (a.sums == nullptr || begin == end) return begin + __umul64hi(random, end - begin);
	double goal = share(random, a.sums[end - 1]);
	while (begin < end) {
		u64 middle = (begin + end) / 2;
		if (a.sums[middle] > goal) end = middle; else begin = middle + 1;
	}
	return begin;
}

static __device__ __forceinline__ double factor(const walks_args &a, uint32_t before, uint32_t to)
{
	if (to == before) return a.back;
	u64 begin = a.off[to], last = a.off[to + 1], end = last;
	while (begin < end) {
		u64 middle = (begin + end) / 2;
		if (end_of(a, middle) < before) begin = middle + 1; else end = middle;
	}
	return begin < last && end_of(a, begin) == before ? 1 : a.far;
}

static __device__ __forceinline__ uint32_t biased_step(const walks_args &a, uint32_t v, uint32_t before, u64 random)
{
	u64 begin = a.off[v], end = a.off[v + 1];
	double most = max(1.0, max(a.back, a.far)), sum = 0;
	for (int i = 0; i < REJECTIONS; i++) {
		u64 k = choose(a, begin, end, mixed(random += GAMMA));
		if (k == end) return v;
		uint32_t to = end_of(a, k);
		if (__dmul_rn(fraction(mixed(random += GAMMA)), most) < factor(a, before, to)) return to;
	}
	for (u64 k = begin; k < end; k++) sum = __dadd_rn(sum, __dmul_rn(weight_of(a, k), factor(a, before, end_of(a, k))));
	double goal = share(mixed(random += GAMMA), sum);
	sum = 0;
	for (u64 k = begin;; k++) {
		uint32_t to = end_of(a, k);
		sum = __dadd_rn(sum, __dmul_rn(weight_of(a, k), factor(a, before, to)));
		if (sum > goal || k + 1 == end) return to;
	}
}

extern "C" __global__ void garaph_walks(const walks_args args)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= args.count) return;
	uint32_t walk = (uint32_t)args.first + i, v = walk / args.walks;
	u64 random = walk % args.walks;
	if (args.sources != nullptr) v = args.sources[v];
	random = ((u64)v * args.walks + random) * args.length;
	bool biased = args.back != 1 || args.far != 1;
	uint32_t before = NONE;
	for (uint32_t step = 1; step <= args.length; step++) {
		u64 own = mixed(args.seed + (random + step) * GAMMA);
		uint32_t from = v;
		if (biased && step > 1) {
			v = biased_step(args, v, before, own);
		} else {
			u64 begin = args.off[v], end = args.off[v + 1], k = choose(args, begin, end, own);
			if (k < end) v = end_of(args, k);
		}
		before = from;
		args.to[(u64)(step - 1) * args.count + i] = v;
	}
}
