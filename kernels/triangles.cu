// triangles: the triangles at each vertex of a whole graph, as an undirected simple one, in four
// stages, each a launch or several. Stage DEGREES counts neighbours. Stage ORIENT leaves an edge in
// the rows of its end of the lower degree alone, of equal ones that of the larger id, in place. The
// other two find each triangle at the vertex that has two of its edges: its row is a hash table in
// shared memory, in which the rows of its neighbours are looked up (as TRUST does: Pandey et al.,
// TPDS 2021), by a warp where it is SHORT, and by a block otherwise. A slot of the table also
// counts the triangles of its vertex, so that few atomic operations leave the block.

#include "rows.cuh"

struct triangles_args {
	const uint64_t *in_off; // n + 1 of them
	uint32_t *in;
	const uint64_t *out_off; // nullptr: in has both directions of every edge
	uint32_t *out;
	uint32_t *twice;  // a bit for each out-edge, 0: set by DEGREES where there is an in-edge, too
	uint32_t *degree; // by vertex
	uint32_t *rows;   // by vertex, the edges that ORIENT has left: of in, and from out-edges
	unsigned long long *counts; // by vertex, 0
	unsigned long long *next;   // the vertex to begin with: 0 before each stage
	uint32_t n, stage;
	uint32_t weighted;     // a triangle counts twice if the edge of the other two leads both ways
	uint32_t milliseconds; // after which a launch ends, to be continued by another one
};

enum { DEGREES, ORIENT, BY_WARPS, BY_BLOCKS };

static const uint32_t WARPS = 8;    // of a block
static const uint32_t SLOTS = 4096; // of all tables of a block
static const uint32_t SHORT = SLOTS / WARPS / 4;
static const uint32_t PIECE = SLOTS / 2; // a row is looked up in so many of another one at once
static const uint32_t TAKEN = 8;         // vertices that a warp takes at once
static const uint32_t TWICE = 1u << 31;  // of a count: the edge to its vertex leads both ways

// The edges of a vertex after ORIENT: from in-edges only, in both directions, from out-edges only.
struct oriented {
	const uint32_t *in, *out;
	uint32_t once, both, end;

	__device__ __forceinline__ void load(const triangles_args &a, uint32_t v)
	{
		in = out = a.in + a.in_off[v];
		once = both = end = a.rows[v];
		if (a.out_off != nullptr) {
			out = a.out + a.out_off[v];
			both += a.rows[(uint64_t)a.n + v];
			end = both + a.rows[2 * (uint64_t)a.n + v];
		}
	}
	__device__ __forceinline__ uint32_t at(uint32_t i) const { return i < both ? in[i] : out[i - both]; }
	__device__ __forceinline__ bool twice(uint32_t i) const { return i >= once && i < both; }
	__device__ __forceinline__ oriented of_lane(uint32_t i) const
	{
		oriented r;
		r.in = (const uint32_t *)__shfl_sync(ALL, (u64)in, i);
		r.out = (const uint32_t *)__shfl_sync(ALL, (u64)out, i);
		r.once = __shfl_sync(ALL, once, i);
		r.both = __shfl_sync(ALL, both, i);
		r.end = __shfl_sync(ALL, end, i);
		return r;
	}
};

static __device__ __forceinline__ void count_degree(const triangles_args &a, uint32_t v)
{
	const uint32_t *in = a.in + a.in_off[v];
	uint64_t n = a.in_off[v + 1] - a.in_off[v];
	uint32_t degree = 0;
	each(in, n, v, [&](uint64_t, uint32_t, bool is) { append(is, degree); });
	if (a.out_off != nullptr) {
		uint64_t begin = a.out_off[v];
		each(a.out + begin, a.out_off[v + 1] - begin, v, [&](uint64_t i, uint32_t x, bool is) {
			bool twice = is && row_has(in, n, x);
			append(is && !twice, degree);
			uint32_t bits = __ballot_sync(ALL, twice), shift = (begin + i) % 32;
			if (lane_id() == 0 && bits != 0) {
				atomicOr(&a.twice[(begin + i) / 32], bits << shift);
				if (shift != 0) atomicOr(&a.twice[(begin + i) / 32 + 1], bits >> (32 - shift));
			}
		});
	}
	if (lane_id() == 0) a.degree[v] = degree;
}

static __device__ __forceinline__ void orient(const triangles_args &a, uint32_t v)
{
	uint32_t own = a.degree[v], once = 0, both = 0, other = 0;
	uint32_t *in = a.in + a.in_off[v], *out = nullptr;
	uint64_t begin = 0, n = 0;
	if (a.out_off != nullptr) {
		begin = a.out_off[v];
		n = a.out_off[v + 1] - begin;
		out = a.out + begin;
	}
	auto keeps = [&](bool is, uint32_t x) {
		if (!is) return false;
		uint32_t degree = a.degree[x];
		return degree > own || degree == own && x < v;
	};
	each(in, a.in_off[v + 1] - a.in_off[v], v, [&](uint64_t, uint32_t x, bool is) {
		bool keep = keeps(is, x) && !row_has(out, n, x);
		uint32_t at = append(keep, once); // not behind where it was
		if (keep) in[at] = x;
	});
	each(out, n, v, [&](uint64_t i, uint32_t x, bool is) {
		bool keep = keeps(is, x), twice = keep && a.twice[(begin + i) / 32] >> (begin + i) % 32 & 1;
		uint32_t at = append(twice, both), to = append(keep && !twice, other);
		if (twice)
			in[once + at] = x; // as many in-edges are not in in any more
		else if (keep)
			out[to] = x;
	});
	if (lane_id() != 0) return;
	a.rows[v] = once;
	if (out != nullptr) {
		a.rows[(uint64_t)a.n + v] = both;
		a.rows[2 * (uint64_t)a.n + v] = other;
	}
}

// A hash table of 2^(32-shift) slots.
struct table {
	uint32_t *keys, *counts;
	uint32_t shift;

	__device__ __forceinline__ uint32_t size() const { return 1u << (32 - shift); }
	__device__ __forceinline__ uint32_t slot(uint32_t x) const { return x * 0x9e3779b1u >> shift; }
	__device__ __forceinline__ void put(uint32_t x, bool twice)
	{
		uint32_t at = slot(x);
		while (atomicCAS(&keys[at], NONE, x) != NONE) at = at + 1 & size() - 1;
		counts[at] = twice ? TWICE : 0;
	}
	// Where x is, or NONE.
	__device__ __forceinline__ uint32_t find(uint32_t x) const
	{
		uint32_t at = slot(x);
		for (;; at = at + 1 & size() - 1) {
			uint32_t key = keys[at];
			if (key == x) return at;
			if (key == NONE) return NONE;
		}
	}
};

// Counts the triangles that v finds, by a warp or a block of WIDE warps. keys and counts have room for
// four times the edges of v, or PIECE of them twice.
template <uint32_t WIDE> static __device__ __forceinline__ void count_row(const triangles_args &a, uint32_t v, uint32_t *keys, uint32_t *counts)
{
	auto sync = [] { if (WIDE > 1) __syncthreads(); else __syncwarp(); };
	uint32_t lane = lane_id(), warp = WIDE > 1 ? threadIdx.x / 32 : 0, t = warp * 32 + lane;
	oriented row;
	row.load(a, v);
	u64 own = 0;
	for (uint32_t from = 0; from < row.end; from += PIECE) {
		uint32_t to = min(row.end, from + PIECE);
		table in = {keys, counts, (uint32_t)__clz(min(4 * (to - from), SLOTS) - 1)};
		for (uint32_t i = t; i < in.size(); i += WIDE * 32) keys[i] = NONE;
		sync();
		for (uint32_t i = from + t; i < to; i += WIDE * 32) in.put(row.at(i), row.twice(i) && a.weighted);
		sync();
		for (uint32_t first = warp; first < row.end; first += WIDE * 32) {
			uint32_t i = first + lane * WIDE, u = NONE;
			oriented near = {};
			if (i < row.end) {
				u = row.at(i);
				near.load(a, u);
			}
			for (uint32_t k = 0; k < 32; k++) {
				uint32_t second = __shfl_sync(ALL, u, k), found = 0;
				if (second == NONE) break;
				oriented x = near.of_lane(k);
				uint32_t weight = 1 + (row.twice(first + k * WIDE) && a.weighted);
				for (uint32_t e = lane; e - lane < x.end; e += 32) {
					uint32_t at = e < x.end ? in.find(x.at(e)) : NONE;
					bool is = at != NONE, twice = is && atomicAdd(&counts[at], weight) & TWICE;
					own += is + (is && a.weighted && x.twice(e));
					found += __popc(__ballot_sync(ALL, is)) + __popc(__ballot_sync(ALL, twice));
				}
				if (lane == 0 && found > 0) {
					uint32_t at = in.find(second);
					if (at != NONE) atomicAdd(&counts[at], found);
					else atomicAdd(&a.counts[second], found);
				}
			}
		}
		sync();
		for (uint32_t i = t; i < in.size(); i += WIDE * 32)
			if (keys[i] != NONE && (counts[i] & ~TWICE) != 0) atomicAdd(&a.counts[keys[i]], counts[i] & ~TWICE);
		sync();
	}
	for (int k = 16; k > 0; k /= 2) own += __shfl_down_sync(ALL, own, k);
	if (lane == 0 && own > 0) atomicAdd(&a.counts[v], own);
}


extern "C" __global__ void __launch_bounds__(WARPS * 32, 5) garaph_triangles(const triangles_args args)
{
	__shared__ uint32_t keys[SLOTS], counts[SLOTS], longer, list[TAKEN * 32];
	__shared__ u64 block_next;
	u64 end = now() + (u64)args.milliseconds * 1000000, v = 0;
	uint32_t mine = threadIdx.x / 32 * (SLOTS / WARPS);
	while (args.stage != BY_BLOCKS && now() < end) {
		if (lane_id() == 0) v = atomicAdd(args.next, TAKEN);
		v = __shfl_sync(ALL, v, 0);
		for (u64 last = min(v + TAKEN, (u64)args.n); v < last; v++) {
			if (args.stage == DEGREES) {
				count_degree(args, v);
			} else if (args.stage == ORIENT) {
				orient(args, v);
			} else {
				oriented row;
				row.load(args, v);
				if (row.end > 1 && row.end <= SHORT) count_row<1>(args, v, keys + mine, counts + mine);
			}
		}
		if (v >= args.n) return;
	}
	while (args.stage == BY_BLOCKS) {
		__syncthreads();
		if (threadIdx.x == 0) {
			block_next = now() < end ? atomicAdd(args.next, TAKEN * 32) : args.n;
			longer = 0;
		}
		__syncthreads();
		if (block_next >= args.n) return;
		v = block_next + threadIdx.x;
		if (v < args.n) {
			oriented row;
			row.load(args, v);
			if (row.end > SHORT) list[atomicAdd(&longer, 1)] = v;
		}
		__syncthreads();
		for (uint32_t i = 0; i < longer; i++) count_row<WARPS>(args, list[i], keys, counts);
	}
}
