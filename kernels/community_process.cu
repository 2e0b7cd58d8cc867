// community_process: a round of the search. Each warp takes a task, a node, from the top of the
// pool, reduces and bounds it, and goes on with its children, depth first, on a stack of levels
// in its scratch. It takes the next task when it has visited all of them. When warps are idle,
// or the time of the round is over, it leaves its levels to community_expand, which makes their
// unvisited children tasks. Rules are those of package algorithms/community, where they are
// proved; k is the best minimum degree k̂ of the query so far.

#include "community_bound.cuh"

enum { process_threads = 128, process_warps = process_threads / 32 };

// A warp that divides nodes.
struct searcher : bounded_node {
	// Gives the vertices of C ∪ R new ids, if they are few enough.
	__device__ void compact()
	{
		if (listed > a.layout.local || n <= 64 || 2 * listed > n || space + 1 >= most_spaces) return;
		uint32_t lane = lane_id(), halves = (listed + 63) / 64 * 2;
		const community_space *from = space_at(scratch, space);
		community_space to;
		to.n = listed, to.words = halves / 2;
		to.map = space == 0 ? parts_at(scratch, a.layout) - scratch : from->rows + (u64)from->n * from->words;
		to.rows = to.map + (listed + 1) / 2;
		uint32_t *map = (uint32_t *)(scratch + to.map), *out = (uint32_t *)(scratch + to.rows);
		const uint32_t *above = (const uint32_t *)(scratch + from->map), *rows32 = (const uint32_t *)rows;
		for (uint32_t i = lane; i < listed; i += 32) map[i] = space == 0 ? list[i] : above[list[i]];
		for (uint32_t h = 0; h < halves; h++) {
			uint32_t i = h * 32 + lane, u = i < listed ? list[i] : NO_VERTEX, kept = 0;
			for (uint32_t v = 0; v < listed; v++) {
				bool bit = u != NO_VERTEX && rows32[(u64)list[v] * words * 2 + u / 32] >> u % 32 & 1;
				uint32_t bits = __ballot_sync(ALL, bit);
				if (v % 32 == lane) kept = bits;
				if (v % 32 == 31 || v + 1 == listed) {
					if (v / 32 * 32 + lane < listed) out[(u64)(v / 32 * 32 + lane) * halves + h] = kept;
				}
			}
			uint32_t bits_c = __ballot_sync(ALL, u != NO_VERTEX && has(c, u));
			uint32_t bits_r = __ballot_sync(ALL, u != NO_VERTEX && has(r, u));
			if (lane == 0) { // what is read later lies behind it
				((uint32_t *)c)[h] = bits_c;
				((uint32_t *)r)[h] = bits_r;
			}
			__syncwarp();
		}
		for (uint32_t i = lane; i < listed; i += 32) list[i] = i;
		if (lane == 0) *space_at(scratch, space + 1) = to;
		__syncwarp();
		enter(space + 1);
		each_word([&](uint32_t j) { all[j] = c[j] | r[j]; });
	}

	// The vertex of C that lacks neighbours and has the fewest in R beside those that it lacks, then the
	// least id; NO_VERTEX when none can get any.
	__device__ uint32_t tightest() const
	{
		uint32_t least = ALL, at = NO_VERTEX;
		for (uint32_t i = lane_id(); i < listed; i += 32) {
			uint32_t d = degree(i), in = inside(i);
			if ((int)in <= k && d > in && d < least && has(c, list[i])) least = d, at = list[i];
		}
		uint32_t all_least = warp_least(least);
		return warp_least(least == all_least ? at : NO_VERTEX);
	}

	// u*: the candidate with the largest Σ 1/d_C over its neighbours in C, then the largest
	// degree, then the least id, of those next to the tightest vertex, if there is one; NO_VERTEX when none
	// has a neighbour in C.
	__device__ uint32_t pick(uint32_t &picked_degree)
	{
		const uint32_t *rows32 = (const uint32_t *)rows;
		uint32_t tight = tightest();
		const u64 *near = tight == NO_VERTEX ? all : rows + (u64)tight * words;
		u64 most = 0;
		uint32_t u = NO_VERTEX;
		for (uint32_t i = lane_id(); i < listed; i += 32) {
			uint32_t v = list[i], score = 0;
			if (inside(i) == 0 || has(c, v) || !has(near, v)) continue;
			for (uint32_t m = 0; m < size; m++)
				if (rows32[(u64)chosen[m] * words * 2 + v / 32] >> v % 32 & 1) score += weight[m];
			u64 x = (u64)score << 32 | degree(i);
			if (x > most) {
				most = x;
				u = v;
			}
		}
		__syncwarp();
#pragma unroll
		for (int s = 16; s > 0; s /= 2) {
			u64 x = __shfl_xor_sync(ALL, most, s);
			uint32_t v = __shfl_xor_sync(ALL, u, s);
			if (x > most || (x == most && v < u)) {
				most = x;
				u = v;
			}
		}
		picked_degree = (uint32_t)most;
		return u;
	}

	// The candidates all of whose neighbours in C ∪ R are u or neighbours of it, to the set seen. Most
	// others are neighbours of one of 32 that are no neighbours of u: those with the largest degrees of 32
	// parts of the list.
	__device__ void dominated(uint32_t u, uint32_t picked_degree)
	{
		const u64 *near = rows + (u64)u * words;
		uint32_t most = 0, far = NO_VERTEX;
		for (uint32_t i = lane_id(); i < listed; i += 32) {
			uint32_t v = list[i], d = degree(i);
			if (d > most && v != u && !has(near, v)) most = d, far = v;
		}
		each_word([&](uint32_t j) { more[j] = seen[j] = 0; });
		for (int s = 0; s < 32; s++) {
			uint32_t v = __shfl_sync(ALL, far, s);
			if (v != NO_VERTEX)
				for (uint32_t j = lane_id(); j < words; j += 32) more[j] |= rows[(u64)v * words + j];
		}
		__syncwarp();
		const u64 *in_c = c, *in_all = all, *others = more;
		u64 *to = seen;
		uint32_t left = filter(some, list, listed,
			[&](uint32_t i, uint32_t v) { return v != u && degree(i) <= picked_degree && !has(in_c, v) && !has(others, v); }, [](uint32_t) { return 0; });
		any_in_row(some, left,
			[=](u64 row, uint32_t j) {
				u64 x = row & in_all[j] & ~near[j];
				if (j == u / 64) x &= ~(1ull << u % 64);
				return x != 0;
			},
			[=](uint32_t v, bool any) {
				if (!any) put(to, v);
			});
	}

	// Lists C, with the weights of pick.
	__device__ void list_chosen()
	{
		uint32_t found = 0;
		for (uint32_t first = 0; first < listed; first += 32) {
			uint32_t i = first + lane_id();
			bool is = i < listed && has(c, list[i]);
			uint32_t lanes = __ballot_sync(ALL, is), at = found + __popc(lanes & ((1u << lane_id()) - 1));
			if (is) {
				chosen[at] = list[i];
				edges_in[at] = inside(i);
				weight[at] = 720720 / max(1u, inside(i)); // Go has the same
			}
			found += __popc(lanes);
		}
		__syncwarp();
	}

	// Reduces and bounds the node, and reports whether it has children; then the level has them.
	// last is the vertex that was chosen last; without one distances are not looked at.
	__device__ bool visit(uint32_t last, uint32_t depth)
	{
		k = best();
		for (bool again = true; again;) {
			again = false;
			if (!reduce_degrees()) return false;
			if (last != NO_VERTEX && !reduce_distances(last, again)) return false;
			if (again) continue;
			list_chosen();
			again = last != NO_VERTEX && reduce_reach();
			if (again) continue;
			if (last != NO_VERTEX && !reduce_common(again)) return false;
			last = NO_VERTEX;
			if (again) continue;
			if (listed < problem->low) return false;
			check();
			int now = best();
			again = now != k;
			k = now;
		}
		if (size == problem->high || bounded()) return false;
		compact();
		list_chosen();
		uint32_t picked_degree, u = pick(picked_degree);
		if (u == NO_VERTEX) return false;
		dominated(u, picked_degree);
		community_level *l = level_at(scratch, a.layout, depth);
		u64 *to = (u64 *)l + level_words;
		each_word([&](uint32_t j) {
			to[j] = c[j];
			to[words + j] = r[j];
			to[2 * words + j] = seen[j];
		});
		uint32_t *lists = (uint32_t *)(to + 3 * words);
		for (uint32_t i = lane_id(); i < listed; i += 32) {
			lists[i] = list[i];
			lists[listed + i] = count[i];
		}
		if (lane_id() == 0) {
			l->u = u, l->phase = 0, l->space = space, l->listed = listed;
			cut(to + words, u);
		}
		__syncwarp();
		return true;
	}

	// Makes the next child of a level the node. It reports whether there was one; last is what the
	// child has chosen, deeper: it is one level below.
	__device__ bool next(uint32_t depth, uint32_t &last, bool &deeper)
	{
		community_level *l = level_at(scratch, a.layout, depth);
		uint32_t phase = l->phase, u = l->u;
		if (phase > 1) return false;
		enter(l->space);
		const u64 *from = (u64 *)l + level_words;
		deeper = phase == 0;
		last = phase == 0 ? u : NO_VERTEX;
		__syncwarp();
		each_word([&](uint32_t j) {
			u64 x = from[j], y = from[words + j];
			if (phase == 0 && j == u / 64) x |= 1ull << u % 64;
			c[j] = x;
			r[j] = y;
			all[j] = x | y;
			more[j] = from[2 * words + j];
		});
		if (lane_id() == 0) l->phase = phase + 1;
		count_child(u, (const uint32_t *)(from + 3 * words), l->listed, phase == 0 ? 1u << inside_shift : ALL);
		if (phase == 1) drop(more);
		return true;
	}

	// Counts for a child, from those of its level: plus goes to the neighbours of u.
	__device__ void count_child(uint32_t u, const uint32_t *lists, uint32_t n_level, uint32_t plus)
	{
		const uint32_t *near = (const uint32_t *)(rows + (u64)u * words);
		uint32_t found = 0;
		for (uint32_t first = 0; first < n_level; first += 32) {
			uint32_t i = first + lane_id(), v = i < n_level ? lists[i] : 0;
			bool is = i < n_level && has(all, v);
			uint32_t lanes = __ballot_sync(ALL, is), at = found + __popc(lanes & ((1u << lane_id()) - 1));
			if (is) {
				list[at] = v;
				count[at] = lists[n_level + i] + (near[v / 32] >> v % 32 & 1) * plus;
			}
			found += __popc(lanes);
		}
		listed = found;
		__syncwarp();
	}

	// How many children the levels have that were not visited.
	__device__ uint32_t unvisited(uint32_t levels) const
	{
		uint32_t n = 0;
		for (uint32_t i = 0; i < levels; i++) n += 2 - level_at(scratch, a.layout, i)->phase;
		return n;
	}
};

static __device__ __forceinline__ u64 nanoseconds()
{
	u64 t;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
	return t;
}

// Makes task t, from the top, the node of the warp.
static __device__ uint32_t load(searcher &s, uint32_t t)
{
	const community_process_args &a = s.a;
	const u64 *task = a.pool + slot_of(a.bottom + a.tasks - 1 - t, a.capacity) * (1 + 2 * a.layout.words);
	s.problem = a.problems + (uint32_t)task[0];
	if (lane_id() == 0) {
		community_space *x = space_at(s.scratch, 0);
		x->n = s.problem->left, x->words = s.problem->words;
		*(uint32_t *)(s.scratch + 1) = (uint32_t)task[0];
	}
	__syncwarp();
	s.enter(0);
	s.each_word([&](uint32_t j) {
		s.c[j] = task[1 + j];
		s.r[j] = task[1 + s.words + j];
	});
	s.count_all();
	return task[0] >> 32;
}

extern "C" __global__ void __launch_bounds__(process_threads, 6) garaph_community_process(const community_process_args args)
{
	extern __shared__ u64 shared[];
	uint32_t lane = lane_id(), in_block = threadIdx.x / 32, warp = blockIdx.x * process_warps + in_block;
	u64 *mine = shared + in_block * (sets * args.layout.words + 3 * (args.most_members + 2));
	uint32_t *small = (uint32_t *)(mine + sets * args.layout.words), entries = args.most_members + 2;
	u64 *scratch = args.scratch + warp * args.scratch_words;
	uint32_t *lists = (uint32_t *)lists_at(scratch, args.layout), vertices = args.layout.vertices;
	searcher s = {{{{args, scratch, mine, mine + args.layout.words, mine + 2 * args.layout.words, mine + 3 * args.layout.words, mine + 4 * args.layout.words,
		small, small + entries, small + 2 * entries, small + 3 * entries, small + 4 * entries, lists, lists + vertices, lists + 2 * vertices}}}};
	u64 end = nanoseconds() + args.nanoseconds;
	uint32_t nodes = 0, all_nodes = 0, levels = 0, open = 0;
	bool over = false;
	while (!over) {
		uint32_t t = lane == 0 ? atomicAdd(&args.round->taken, 1) : 0;
		t = __shfl_sync(ALL, t, 0);
		if (t >= args.tasks) {
			if (lane == 0) atomicAdd(&args.round->idle, 1);
			break;
		}
		uint32_t last = load(s, t), before = nodes;
		for (levels = 0;;) { // levels below the node
			nodes++;
			if (s.visit(last, levels)) levels++;
			bool stop = false;
			if (lane == 0)
				stop = nodes >= args.most || nanoseconds() >= end || (nodes >= args.least && *(volatile uint32_t *)&args.round->idle >= args.hungry);
			over = __shfl_sync(ALL, stop, 0);
			bool deeper = false;
			if (over) break;
			while (levels > 0 && !s.next(levels - 1, last, deeper)) levels--;
			if (levels == 0) break;
			if (!deeper) levels--; // its parent has no other child left
		}
		if (lane == 0) atomicAdd(&args.nodes[s.problem->best], (u64)(nodes - before));
		all_nodes += nodes - before;
		open = levels > 0 ? s.unvisited(levels) : 0;
	}
	if (lane == 0) {
		*(uint32_t *)scratch = open > 0 ? levels : 0;
		args.open[warp] = open;
		atomicAdd(&args.round->open, (u64)open);
		atomicAdd(&args.round->nodes, (u64)all_nodes);
	}
}
