// The reductions of a node, for community_process.

#pragma once
#include "community_node.cuh"

struct reduced_node : community_node {
	// The set seen becomes some sources and their neighbours in C ∪ R; it returns how many they are.
	__device__ uint32_t surround(const uint32_t *sources, uint32_t how_many)
	{
		uint32_t reached = 0;
		each_word([&](uint32_t j) {
			u64 x = 0;
			for (uint32_t i = 0; i < how_many; i++) {
				uint32_t v = sources[i];
				x |= rows[(u64)v * words + j];
				if (j == v / 64) x |= 1ull << v % 64;
			}
			seen[j] = x &= all[j];
			reached += __popcll(x);
		});
		return warp_sum(reached);
	}

	// Grows the set seen, which has reached of some vertices, by neighbours among these, d times at
	// most. It returns how many it has then. within is the set of these vertices. Rows of
	// what was reached are joined, 16 at a time, as long as that is less work than to look for
	// neighbours of what was not.
	__device__ uint32_t spread(const u64 *within, const uint32_t *vertices, uint32_t how_many, uint32_t reached, int d)
	{
		for (; d > 0 && reached < how_many; d--) {
			uint32_t n_front = list_of(some, seen), at = 0, now = reached, across = (words + 31) / 32;
			uint32_t left = 2 * (how_many - reached) * group / 32 + 16; // of what joining may cost
			each_word([&](uint32_t j) { more[j] = seen[j]; });
			while (at < n_front && now < how_many) {
				uint32_t end = min(at + 16, n_front), cost = (end - at) * across;
				if (cost > left || cost > (how_many - now) * group / 32 + 16) break;
				left -= cost;
				uint32_t found = 0;
				each_word([&](uint32_t j) {
					u64 x = 0;
#pragma unroll 4
					for (uint32_t i = at; i < end; i++) x |= rows[(u64)some[i] * words + j];
					more[j] = x = more[j] | (x & within[j]);
					found += __popcll(x);
				});
				now = warp_sum(found);
				at = end;
			}
			if (at < n_front && now < how_many) {
				const u64 *s = seen, *known = more;
				u64 *to = more;
				uint32_t missing = filter(some, vertices, how_many, [=](uint32_t, uint32_t v) { return !has(known, v); }, [](uint32_t) { return 0; });
				any_in_row(some, missing, [=](u64 row, uint32_t j) { return (row & s[j]) != 0; },
					[=](uint32_t v, bool near) {
						if (near) put(to, v);
					});
				now = size_of(more);
			}
			if (now == reached) break;
			reached = now;
			each_word([&](uint32_t j) { seen[j] = more[j]; });
		}
		return reached;
	}

	// Whether the vertices of a set are connected.
	__device__ bool connected(const u64 *set, const uint32_t *vertices, uint32_t how_many)
	{
		uint32_t v = vertices[0];
		each_word([=](uint32_t j) { seen[j] = j == v / 64 ? 1ull << v % 64 : 0; });
		return spread(set, vertices, how_many, 1, how_many) == how_many;
	}

	// Drops candidates with too few neighbours, and moves those to C that a vertex of C cannot do
	// without, until nothing changes. It returns false where the node ends.
	__device__ bool reduce_degrees()
	{
		for (;;) {
			size = size_of(c);
			if (size > problem->high) return false;
			int rest = (int)problem->high - (int)size - 1;
			bool fails = false, drops = false, forces = false;
			each_word([&](uint32_t j) { more[j] = seen[j] = 0; });
			for (uint32_t i = lane_id(); i < listed; i += 32) {
				uint32_t v = list[i];
				int d = degree(i), in = inside(i);
				if (has(c, v)) {
					fails |= d <= k;
					if (d == k + 1 && in != d) {
						forces = true;
						put(more, v);
					}
				} else if (d <= k || in + rest <= k) {
					drops = true;
					put(seen, v);
				}
			}
			__syncwarp();
			if (__any_sync(ALL, fails)) return false;
			drops = __any_sync(ALL, drops);
			forces = __any_sync(ALL, forces);
			if (!drops && !forces) return true;
			if (drops) drop(seen);
			if (forces) include();
		}
	}

	// All neighbours in R of the vertices of more move to C.
	__device__ void include()
	{
		each_word([&](uint32_t j) { seen[j] = 0; });
		for (uint32_t w = 0; w < words; w++)
			for (u64 bits = more[w]; bits != 0; bits &= bits - 1) {
				const u64 *row = rows + (u64)(w * 64 + __ffsll(bits) - 1) * words;
				each_word([&](uint32_t j) {
					u64 x = row[j] & r[j];
					c[j] |= x;
					r[j] &= ~x;
					seen[j] |= x;
				});
			}
		adjust(some, list_of(some, seen), 1u << inside_shift);
	}

	// Drops candidates that spread did not reach. It reports whether there were any.
	__device__ bool drop_unseen()
	{
		bool any = false;
		each_word([&](uint32_t j) {
			u64 x = r[j] & ~seen[j];
			more[j] = x;
			any |= x != 0;
		});
		any = __any_sync(ALL, any);
		if (any) drop(more);
		return any;
	}

	// Drops what is too far from the vertex that was chosen last; distances are those in C ∪ R.
	// changed: it dropped some. It returns false where the node ends.
	__device__ bool reduce_distances(uint32_t last, bool &changed)
	{
		changed = false;
		int d = diameter(k + 1, problem->high);
		if (d < 1) return listed == 1;
		if (spread(all, list, listed, surround(&last, 1), d - 1) == listed) return true;
		bool lost = false;
		each_word([&](uint32_t j) { lost |= (c[j] & ~seen[j]) != 0; });
		if (__any_sync(ALL, lost)) return false;
		changed = drop_unseen();
		return true;
	}

	// Drops what is too far from all of C. It reports whether it dropped any.
	__device__ bool reduce_reach()
	{
		int d = max(1, (int)problem->high - (int)size - k);
		return spread(all, list, listed, surround(chosen, size), d - 1) < listed && drop_unseen();
	}

	// Drops v of R if with it a u of C cannot get what it lacks: u needs a more neighbours and v needs b,
	// which are more vertices, less their common neighbours in R, than there is room for. It returns
	// false where two vertices of C cannot both get what they lack. chosen lists C.
	__device__ bool reduce_common(bool &changed)
	{
		int rest = (int)problem->high - (int)size, wanted = k + 1;
		bool fails = false, drops = false;
		each_word([&](uint32_t j) { seen[j] = 0; });
		for (uint32_t m = 0; m < size; m++) {
			uint32_t u = chosen[m];
			int lacks_u = wanted - (int)edges_in[m];
			if (lacks_u <= 0 || lacks_u + wanted < rest) continue;
			each_word([&](uint32_t j) { more[j] = rows[(u64)u * words + j] & r[j] & ~seen[j]; });
			const u64 *near = more, *in_c = c;
			u64 *to = seen;
			each_row(list, listed, [=](u64 row, uint32_t j) { return (uint32_t)__popcll(row & near[j]); },
				[&](uint32_t i, uint32_t v, uint32_t common) {
					int both = lacks_u + max(0, wanted - (int)inside(i));
					if (has(in_c, v)) {
						fails |= v != u && both > rest + (int)common;
					} else if (both - has(near, v) > rest - 1 + (int)common) {
						drops = true;
						put(to, v);
					}
				});
			if (__any_sync(ALL, fails)) return false;
		}
		changed = __any_sync(ALL, drops);
		if (changed) drop(seen);
		return true;
	}
};
