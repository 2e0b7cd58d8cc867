// The best community so far, and the bounds that say that a node has none better, for
// community_process.

#pragma once
#include "community_rules.cuh"

struct bounded_node : reduced_node {
	// The community of listed vertices, of minimum degree d, becomes the best one, if it is better.
	__device__ void offer(const uint32_t *vertices, uint32_t how_many, int d)
	{
		community_best *b = a.bests + problem->best;
		uint32_t *to = a.members + (u64)problem->best * a.most_members;
		if (lane_id() == 0)
			while (atomicCAS(&b->lock, 0, 1) != 0) {}
		__syncwarp();
		__threadfence();
		bool better = d + 1 > (int)*(volatile uint32_t *)&b->next;
		if (better) {
			for (uint32_t i = lane_id(); i < how_many; i += 32) to[i] = old_id(vertices[i]);
			if (lane_id() == 0) {
				b->size = how_many;
				b->problem = problem - a.problems;
			}
			__threadfence();
		}
		__syncwarp();
		if (lane_id() == 0) {
			if (better) *(volatile uint32_t *)&b->next = d + 1;
			__threadfence();
			atomicExch(&b->lock, 0);
		}
		__syncwarp();
	}

	__device__ uint32_t old_id(uint32_t v) const
	{
		if (space > 0) v = ((const uint32_t *)(scratch + space_at(scratch, space)->map))[v];
		return problem->kept[v];
	}

	__device__ int best() const
	{
		int x = lane_id() == 0 ? (int)*(volatile uint32_t *)&a.bests[problem->best].next - 1 : 0;
		return __shfl_sync(ALL, x, 0);
	}

	// Offers C, and C ∪ R where that is not too large. The counts are those of the list.
	__device__ void check()
	{
		uint32_t low = problem->low, high = problem->high, least = ALL;
		if (low <= size && size <= high) {
			for (uint32_t i = lane_id(); i < listed; i += 32)
				if (has(c, list[i])) least = min(least, inside(i));
			least = warp_least(least);
			if ((int)least > k && connected(c, chosen, size)) offer(chosen, size, least);
		}
		if (listed > size && low <= listed && listed <= high) {
			least = ALL;
			for (uint32_t i = lane_id(); i < listed; i += 32) least = min(least, degree(i));
			least = warp_least(least);
			if ((int)least > k && connected(all, list, listed)) offer(list, listed, least);
		}
	}

	// The most edges that candidates bring, min{most, x} each, of which with[x] have x.
	__device__ uint32_t edges(uint32_t most) const
	{
		uint32_t sum = 0, left = problem->high - size;
		for (uint32_t x = size; x > 0 && left > 0; x--) {
			uint32_t m = min(left, with[x]);
			sum += m * min(x, most);
			left -= m;
		}
		return sum;
	}

	__device__ void no_edges()
	{
		for (uint32_t i = lane_id(); i <= size; i += 32) with[i] = 0;
		__syncwarp();
	}

	// Whether an upper bound shows that no community in C ∪ R is better: the degrees of C, or
	// that the candidates with most neighbours in C bring too few edges for the j vertices of C that
	// lack most, for any j (Gale and Ryser).
	__device__ bool bounded()
	{
		uint32_t lane = lane_id();
		int rest = (int)problem->high - (int)size;
		for (int i = lane; i <= k + 1; i += 32) lacks[i] = 0;
		no_edges();
		bool ends = false;
		uint32_t lacking = 0;
		for (uint32_t i = lane; i < listed; i += 32) {
			int d = degree(i), in = inside(i);
			if (has(r, list[i])) {
				if (in > 0) atomicAdd(&with[in], 1);
			} else {
				ends |= in + min(rest, d - in) <= k;
				if (in <= k) {
					atomicAdd(&lacks[k + 1 - in], 1);
					lacking++;
				}
			}
		}
		lacking = warp_sum(lacking);
		for (uint32_t j = lane + 1; j <= lacking; j += 32) {
			uint32_t need = 0, left = j;
			for (int x = k + 1; x > 0 && left > 0; x--) {
				uint32_t m = min(left, lacks[x]);
				need += m * x;
				left -= m;
			}
			ends |= need > edges(j);
		}
		ends = __any_sync(ALL, ends);
		__syncwarp();
		return ends || bounded_by_classes();
	}

	// The same for the vertices of C with fewer than j neighbours in C, and the candidates with most
	// neighbours among these.
	__device__ bool bounded_by_classes()
	{
		const uint32_t *rows32 = (const uint32_t *)rows;
		for (int j = 1; j <= k + 1; j++) {
			uint32_t need = 0;
			bool differs = false; // from the class of j - 1
			for (uint32_t m = 0; m < size; m++) {
				int in = edges_in[m];
				if (in < j) need += k + 1 - in;
				differs |= in == j - 1;
			}
			if (!differs) continue;
			no_edges();
			for (uint32_t i = lane_id(); i < listed; i += 32) {
				uint32_t v = list[i], brings = 0;
				if (inside(i) == 0 || has(c, v)) continue;
				for (uint32_t m = 0; m < size; m++)
					if ((int)edges_in[m] < j) brings += rows32[(u64)chosen[m] * words * 2 + v / 32] >> v % 32 & 1;
				if (brings > 0) atomicAdd(&with[brings], 1);
			}
			__syncwarp();
			bool ends = need > edges(size);
			__syncwarp();
			if (ends) return true;
		}
		return false;
	}
};
