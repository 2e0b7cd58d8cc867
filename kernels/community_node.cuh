// A warp and the node of the search that it is at, for community_process: the sets of the node,
// their vertices as a list, and counts of neighbours.

#pragma once
#include "community.cuh"

struct community_process_args {
	const community_problem *problems;
	community_best *bests;
	uint32_t *members; // by best, most_members each
	const u64 *pool;   // a ring of tasks: problem and last vertex, C, R
	u64 *scratch;
	uint32_t *open;    // by warp: how many children it leaves
	u64 *nodes;        // by best: how many were visited
	community_round *round;
	u64 scratch_words; // of a warp
	u64 nanoseconds;   // that the round takes
	u64 bottom, tasks, capacity; // of the pool
	community_layout layout;
	uint32_t most_members;
	uint32_t least, most; // nodes that a warp visits before it looks who is idle, and at most
	uint32_t hungry;      // so many idle warps end the round
};

// A warp and the node that it is at.
struct community_node {
	const community_process_args &a;
	u64 *scratch;
	u64 *c, *r, *all, *seen, *more;    // sets, in shared memory; all is C ∪ R after reduce
	uint32_t *with, *lacks;            // counts by number of edges, in shared memory
	uint32_t *chosen, *edges_in, *weight; // by vertex of C: its id, d_C, and weight for pick
	uint32_t *count;                   // by vertex of the list: d_C∪R, and d_C above
	uint32_t *list;                    // C ∪ R
	uint32_t *some;                    // some vertices
	const community_problem *problem;
	const u64 *rows;                   // of the space
	uint32_t n, words, group, space;   // of the space; so many lanes share a row
	uint32_t listed, size;             // |C ∪ R|, |C|
	int k;

	enum { inside_shift = 20, flight = 4 };

	__device__ uint32_t degree(uint32_t i) const { return count[i] & ((1u << inside_shift) - 1); }
	__device__ uint32_t inside(uint32_t i) const { return count[i] >> inside_shift; }

	__device__ void enter(uint32_t s)
	{
		const community_space *x = space_at(scratch, s);
		space = s, n = x->n, words = x->words;
		rows = s == 0 ? problem->rows : scratch + x->rows;
		for (group = 1; group < words && group < 32;) group *= 2;
	}

	// Lists the vertices of a set.
	__device__ uint32_t list_of(uint32_t *to, const u64 *set) const
	{
		uint32_t lane = lane_id(), found = 0;
		const uint32_t *halves = (const uint32_t *)set;
		if (words <= 16) {
			for (uint32_t j = 0; j < 2 * words; j++) {
				uint32_t bits = halves[j];
				if (bits >> lane & 1) to[found + __popc(bits & ((1u << lane) - 1))] = j * 32 + lane;
				found += __popc(bits);
			}
		} else {
			for (uint32_t first = 0; first < 2 * words; first += 32) {
				uint32_t j = first + lane, bits = j < 2 * words ? halves[j] : 0;
				uint32_t sum = warp_scan(__popc(bits));
				for (uint32_t at = found + sum - __popc(bits); bits != 0; bits &= bits - 1) to[at++] = j * 32 + __ffs(bits) - 1;
				found += __shfl_sync(ALL, sum, 31);
			}
		}
		__syncwarp();
		return found;
	}

	// The sum of word(row, j) over the words j of the row of each vertex goes to done(i, vertex, sum).
	// group lanes share a row, and have a few in flight.
	template <class F, class G> __device__ __forceinline__ void each_row(const uint32_t *vertices, uint32_t how_many, F word, G done) const
	{
		uint32_t sub = lane_id() % group, step = 32 / group;
		for (uint32_t first = lane_id() / group; first - lane_id() / group < how_many; first += flight * step) {
			uint32_t v[flight], sum[flight];
#pragma unroll
			for (int f = 0; f < flight; f++) {
				uint32_t i = first + f * step;
				v[f] = i < how_many ? vertices[i] : NO_VERTEX;
				sum[f] = 0;
			}
			for (uint32_t j = sub; j < words; j += group)
#pragma unroll
				for (int f = 0; f < flight; f++)
					if (v[f] != NO_VERTEX) sum[f] += word(rows[(u64)v[f] * words + j], j);
			for (uint32_t k = group / 2; k > 0; k /= 2)
#pragma unroll
				for (int f = 0; f < flight; f++) sum[f] += __shfl_xor_sync(ALL, sum[f], k);
			if (sub == 0)
#pragma unroll
				for (int f = 0; f < flight; f++)
					if (v[f] != NO_VERTEX) done(first + f * step, v[f], sum[f]);
		}
		__syncwarp();
	}

	// Whether any bit(row, j) of the row of a vertex is not 0 goes to done(vertex, any).
	template <class F, class G> __device__ __forceinline__ void any_in_row(const uint32_t *vertices, uint32_t how_many, F bit, G done) const
	{
		uint32_t sub = lane_id() % group, step = 32 / group, lanes = (group == 32 ? ALL : (1u << group) - 1) << (lane_id() - sub);
		for (uint32_t first = lane_id() / group; first - lane_id() / group < how_many; first += flight * step) {
			uint32_t v[flight];
			bool found[flight];
#pragma unroll
			for (int f = 0; f < flight; f++) {
				uint32_t i = first + f * step;
				v[f] = i < how_many ? vertices[i] : NO_VERTEX;
				found[f] = v[f] != NO_VERTEX && sub < words && bit(rows[(u64)v[f] * words + sub], sub);
			}
#pragma unroll
			for (int f = 0; f < flight; f++) {
				bool any = __ballot_sync(ALL, found[f]) & lanes;
				for (uint32_t j = 32; j < words && !any; j += 32) // the lanes are one group
					any = __any_sync(ALL, v[f] != NO_VERTEX && j + sub < words && bit(rows[(u64)v[f] * words + j + sub], j + sub));
				if (v[f] != NO_VERTEX && sub == 0) done(v[f], any);
			}
		}
		__syncwarp();
	}

	template <class F> __device__ __forceinline__ void each_word(F f) const
	{
		for (uint32_t j = lane_id(); j < words; j += 32) f(j);
		__syncwarp();
	}

	// Copies those of some vertices that are wanted, and what belongs to them; in place, too.
	template <class W, class F> __device__ __forceinline__ uint32_t filter(uint32_t *to, const uint32_t *vertices, uint32_t how_many, W wanted, F move) const
	{
		uint32_t found = 0;
		for (uint32_t first = 0; first < how_many; first += 32) {
			uint32_t i = first + lane_id(), v = i < how_many ? vertices[i] : NO_VERTEX;
			bool is = v != NO_VERTEX && wanted(i, v);
			uint32_t lanes = __ballot_sync(ALL, is), at = found + __popc(lanes & ((1u << lane_id()) - 1));
			uint32_t x = is ? move(i) : 0;
			__syncwarp();
			if (is) {
				to[at] = v;
				if (to == list) count[at] = x;
			}
			found += __popc(lanes);
		}
		__syncwarp();
		return found;
	}

	__device__ uint32_t size_of(const u64 *set) const
	{
		uint32_t found = 0;
		for (uint32_t j = lane_id(); j < words; j += 32) found += __popcll(set[j]);
		return warp_sum(found);
	}

	// Counts the neighbours of all of C ∪ R.
	__device__ void count_all()
	{
		const u64 *in_c = c, *in_all = all;
		uint32_t *to = count;
		each_word([&](uint32_t j) { all[j] = c[j] | r[j]; });
		listed = list_of(list, all);
		each_row(list, listed,
			[=](u64 row, uint32_t j) { return (uint32_t)__popcll(row & in_all[j]) | (uint32_t)__popcll(row & in_c[j]) << inside_shift; },
			[=](uint32_t i, uint32_t, uint32_t x) { to[i] = x; });
	}

	// Adds to the counts of the neighbours of some vertices.
	__device__ void adjust(const uint32_t *vertices, uint32_t how_many, uint32_t by)
	{
		const uint32_t *rows32 = (const uint32_t *)rows;
		for (uint32_t i = lane_id(); i < listed; i += 32) {
			uint32_t v = list[i], near = 0;
#pragma unroll 4
			for (uint32_t m = 0; m < how_many; m++) near += rows32[(u64)vertices[m] * words * 2 + v / 32] >> v % 32 & 1;
			if (near > 0) count[i] += near * by;
		}
		__syncwarp();
	}

	// Takes what is not in C ∪ R any more off the list.
	__device__ void keep_listed()
	{
		const u64 *in_all = all;
		const uint32_t *from = count;
		listed = filter(list, list, listed, [=](uint32_t, uint32_t v) { return has(in_all, v); }, [=](uint32_t i) { return from[i]; });
	}

	// Takes a set of candidates out of R. Counts are made anew where that is less work.
	__device__ void drop(const u64 *gone)
	{
		uint32_t dropped = size_of(gone);
		if (dropped == 0) return;
		each_word([&](uint32_t j) { r[j] &= ~gone[j]; });
		if (dropped > 2 * words) {
			count_all();
			return;
		}
		list_of(some, gone);
		each_word([&](uint32_t j) { all[j] = c[j] | r[j]; });
		keep_listed();
		adjust(some, dropped, ALL); // one less
	}
};
