// components: parent[v] = the least vertex of v's weakly connected component, of a whole
// graph in one launch of blocks that wait for each other. Trees are linked, the larger root
// below the smaller one: first every vertex with its first neighbour, then one of four with
// its second, which is enough for most trees to meet, and then the rest of the edges. Where
// rows have both directions of every edge, those of the component that most edges belong to
// are left out (Afforest). The rest is shared out to warps by edges, so that a hub's are done
// by all.

#include "garaph.cuh"
#include "together.cuh"

struct components_args {
	const uint64_t *off; // n + 1 of them
	const uint32_t *nbr;
	uint32_t *parent;
	uint32_t *arrived; // 0
	uint32_t n;
	uint32_t symmetric; // rows have both directions of every edge
};

static const uint32_t ALL = 0xffffffff;  // lanes
static const uint32_t NONE = 0xffffffff; // no vertex
static const uint32_t SAMPLES = 256;
static const uint32_t SPARSE = 4; // of so many vertices, one is linked with its second neighbour
static const uint32_t ITEMS = 2048; // a vertex is an item, and so is each of its edges behind it

// Waits for all blocks. goal goes up by as many at each barrier.
static __device__ __forceinline__ void barrier(uint32_t *arrived, uint32_t &goal)
{
	goal += gridDim.x;
	wait_for_all(arrived, [] {}, [&] { return load_acquire(arrived) >= goal; });
}

// Makes one tree of those of u and v.
static __device__ void link(volatile uint32_t *parent, uint32_t u, uint32_t v)
{
	uint32_t a = parent[u], b = parent[v];
	while (a != b) {
		uint32_t low = min(a, b), high = max(a, b), above = parent[high];
		if (above == low) return;
		if (above == high && (above = atomicCAS((uint32_t *)parent + high, high, low)) == high) return;
		a = parent[above];
		b = parent[low];
	}
}

// Makes roots the parents of all vertices. All threads shorten the ways that they share.
static __device__ void compress(volatile uint32_t *parent, uint32_t n)
{
	uint32_t root = NONE; // the last that was found: most vertices have the same
	for (uint64_t v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
		for (uint32_t above = parent[v]; above != root;) {
			uint32_t next = parent[above];
			if (next == above)
				root = above;
			else
				parent[v] = above = next;
		}
	}
}

// The root of most of the edges that lie at equal distances in all.
inline __device__ uint32_t common_root(const components_args &a)
{
	__shared__ uint32_t roots[SAMPLES];
	__shared__ unsigned long long best; // how many, and which
	uint64_t edges = a.off[a.n];
	uint32_t t = threadIdx.x;
	if (edges == 0) return NONE;
	if (t == 0) best = 0;
	if (t < SAMPLES) roots[t] = a.parent[a.nbr[edges * t / SAMPLES]];
	__syncthreads();
	if (t < SAMPLES) {
		unsigned long long count = 0;
		for (uint32_t s = 0; s < SAMPLES; s++) count += roots[s] == roots[t];
		atomicMax(&best, count << 32 | roots[t]);
	}
	__syncthreads();
	return (uint32_t)best;
}

// The last row that begins at an item or before it.
static __device__ uint32_t row_at(const components_args &a, uint64_t item, uint32_t lane)
{
	uint32_t low = 0, rows = a.n; // one of so many
	while (rows > 1) {
		uint32_t step = (rows - 1) / 32 + 1, i = lane * step;
		uint32_t before = __ballot_sync(ALL, i < rows && a.off[low + i] + low + i <= item);
		i = (31 - __clz(before)) * step;
		low += i;
		rows = min(step, rows - i);
	}
	return low;
}

// A warp links the ends of the edges among ITEMS items, 32 rows at a time: a lane finds out
// which edges of a row are among them, and all lanes share out those of the 32.
static __device__ void link_items(const components_args &a, int64_t item, uint32_t common)
{
	volatile uint32_t *parent = a.parent;
	uint32_t lane = threadIdx.x % 32;
	int64_t end = item + ITEMS, v = row_at(a, item, lane), begin;
	do {
		int64_t u = v + lane, first = 0;
		uint32_t count = 0;
		begin = u < a.n ? a.off[u] : end;
		if (u < a.n && parent[u] != common) { // edge e of its row is item e + u + 1
			first = max(begin, item - u - 1);
			count = max(min((int64_t)a.off[u + 1], end - u - 1) - first, (int64_t)0);
		}
		uint32_t sum = count; // of this lane and those below
		for (uint32_t k = 1; k < 32; k *= 2) {
			uint32_t below = __shfl_up_sync(ALL, sum, k);
			if (lane >= k) sum += below;
		}
		first -= sum - count;
		uint32_t total = __shfl_sync(ALL, sum, 31);
		for (uint32_t i = lane; i - lane < total; i += 32) {
			uint32_t row = 0; // the first one whose sum is above i
			for (uint32_t k = 16; k > 0; k /= 2)
				if (__shfl_sync(ALL, sum, row + k - 1) <= i) row += k;
			int64_t e = __shfl_sync(ALL, first, row) + i;
			if (i < total) link(parent, v + row, a.nbr[e]);
		}
		v += 32;
	} while (__all_sync(ALL, begin + v - 32 + lane < end)); // they all began before
}

extern "C" __global__ void __launch_bounds__(1024, 2) garaph_components(const components_args args)
{
	uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x, goal = 0;
	for (uint64_t v = thread; v < args.n; v += threads) { // past 32 bits at the end
		uint64_t e = args.off[v];
		args.parent[v] = e < args.off[v + 1] ? min((uint32_t)v, args.nbr[e]) : v;
	}
	barrier(args.arrived, goal);
	compress(args.parent, args.n);
	barrier(args.arrived, goal);
	for (uint64_t i = thread, v; v = i / 32 * 32 * SPARSE + i % 32, v < args.n; i += threads) { // past 32 bits at the end
		uint64_t e = args.off[v] + 1;
		if (e < args.off[v + 1]) link(args.parent, v, args.nbr[e]);
	}
	barrier(args.arrived, goal);
	compress(args.parent, args.n);
	barrier(args.arrived, goal);
	uint32_t common = args.symmetric ? common_root(args) : NONE;
	barrier(args.arrived, goal); // nothing is linked before all blocks have seen the same roots
	uint64_t items = args.n + args.off[args.n];
	for (uint64_t i = (uint64_t)(thread / 32) * ITEMS; i < items; i += (uint64_t)(threads / 32) * ITEMS) link_items(args, i, common);
	barrier(args.arrived, goal);
	compress(args.parent, args.n);
}
