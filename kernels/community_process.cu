// community_process: a round of the search. Each warp takes a task, a node, from the top of the
// pool, reduces and bounds it, and goes on with its children, depth first, on a stack of levels
// in its scratch. It takes the next task when it has visited all of them. When warps are idle,
// or the time of the round is over, it leaves its levels to community_expand, which makes their
// unvisited children tasks. Rules are those of package algorithms/community, where they are
// proved; k is the best minimum degree k̂ of the query so far.

#include "community.cuh"

enum { process_threads = 128, process_warps = process_threads / 32 };

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
struct searcher {
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

	// Takes what is not in C ∪ R any more off the list.
	__device__ void keep_listed()
	{
		const u64 *in_all = all;
		const uint32_t *from = count;
		listed = filter(list, list, listed, [=](uint32_t, uint32_t v) { return has(in_all, v); }, [=](uint32_t i) { return from[i]; });
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

	// u*: the candidate with the largest Σ 1/d_C over its neighbours in C, then the largest
	// degree, then the least id; NO_VERTEX when none has a neighbour there.
	__device__ uint32_t pick(uint32_t &picked_degree)
	{
		const uint32_t *rows32 = (const uint32_t *)rows;
		u64 most = 0;
		uint32_t u = NO_VERTEX;
		for (uint32_t i = lane_id(); i < listed; i += 32) {
			uint32_t v = list[i], score = 0;
			if (inside(i) == 0 || has(c, v)) continue;
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
			last = NO_VERTEX;
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
	searcher s = {args, scratch, mine, mine + args.layout.words, mine + 2 * args.layout.words, mine + 3 * args.layout.words, mine + 4 * args.layout.words,
		small, small + entries, small + 2 * entries, small + 3 * entries, small + 4 * entries, lists, lists + vertices, lists + 2 * vertices};
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
