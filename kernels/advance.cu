// advance: iterations from frontier to frontier, of a program that is monotone, in one
// kernel whose blocks wait for each other. A frontier is a queue, or bits by vertex. An
// iteration pushes along the rows of its vertices, which a policy divides among threads
// (Merrill et al., PPoPP 2012; Davidson et al., IPDPS 2014; Pai and Pingali, OOPSLA 2016),
// or has vertices that are not settled look for a neighbour in it (Beamer et al., SC
// 2012). With priorities, what is beyond a limit waits in a set (near-far; Davidson).

#include "garaph.cuh"
#include "together.cuh"

// The value "new" in the place of "old". Unless it was done, "old" is what came between.
#define SWAP(array, i, done) \
	asm volatile("// garaph: swap %0 %1 %2" : "=r"(done) : "l"(__cvta_generic_to_global(array)), "r"(i) : "memory")

enum { by_auto, by_thread, by_twc, by_lb, by_lb_light, by_all_edges, by_lonestar };            // policies
enum { exact, no_filter, by_bitmask, by_warp, by_history, by_label };               // filters
enum { either, pushes, seeks };                                                               // directions
enum { sought = 32, long_row = 2048, few_edges = 4, short_rows = 8, history_cells = 1024, most_ready = 1 << 16 };
static const u64 never = ~0ull;

// The host has the same structs in advance.go.
struct rows {
	const uint64_t *off; // by vertex, one more than there are; null: there are none
	const void *near;    // edges up to resident: neighbours, or neighbours and weights
	const void *far;     // all of them, in the host's memory
	uint64_t resident;
};

// What all blocks count in a phase. The first 16 bytes are read at once.
struct __align__(16) counts {
	uint32_t blocks; // that are done, and above them what has happened
	uint32_t appended;
	u64 degrees; // of what was appended
	uint32_t rest, pad[3];
};
// A queued vertex with its row.
struct __align__(16) ready_row {
	uint32_t v, edges;
	u64 begin;
};
enum { overflow = 1 << 16, stopped = 1 << 17, left = 1 << 18 };

struct advance_state {
	u64 active, degrees; // the last frontier
	u64 edges, vertices; // looked at, and done
	u64 unseen;
	uint32_t levels, sought, current, barrier;
	u64 widest;
	double limit;
	counts phase[3];
	u64 part[2][2][most_blocks];
	ready_row ready[2][most_ready]; // by queue
};

struct advance_args {
	rows out, in;
	void *values;
	const uint32_t *degree, *din, *dout, *ids; // by place; din and dout null when unused, ids where they are the places
	const void *parameters;
	uint32_t *queue[2], *bits[2], *rest;
	uint64_t *prefix;
	uint32_t *later;  // bits: vertices beyond the limit
	uint32_t *labels; // of filters, zero
	advance_state *state;
	uint32_t *fault;
	int64_t iteration;
	double aggregate, width; // of priorities that are done at once; 0: they are not used
	uint64_t unseen, nanoseconds, small, fraction;
	uint64_t most; // edges of a frontier
	double limit;  // vertices with lower priorities are done first; -INFINITY: it is yet to be found
	uint32_t n, levels, policy, filter, direction, weighted, append, push_share, seek_share, pad;
};

// Doubles as integers of the same order; what is no number comes last.
static __device__ __forceinline__ u64 ordered(double x)
{
	u64 b = __double_as_longlong(x);
	return x != x ? never - 1 : b >> 63 ? ~b : b | 1ull << 63;
}
static __device__ __forceinline__ double unordered(u64 b) { return __longlong_as_double(b >> 63 ? b & ~(1ull << 63) : ~b); }

// What the threads of a block share.
struct shared_memory {
	u64 parts[warps], begins[threads], reached, began;
	uint32_t words, first, end; // of bits: all, and those of this block
	counts was;
	uint32_t scanned[threads], tails[threads], owner;
	uint32_t cells[history_cells];
};

static __device__ __forceinline__ void prefetch(const void *p) { asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(p))); }

// The next place of a list, in one step with the threads that take one now.
static __device__ __forceinline__ uint32_t next_place(uint32_t *length)
{
	uint32_t all = __activemask(), leader = __ffs(all) - 1, base = 0;
	if (lane_id() == leader) base = atomicAdd(length, __popc(all));
	return __shfl_sync(all, base, leader) + __popc(all & (1u << lane_id()) - 1);
}

struct advancer {
	const advance_args &args;
	shared_memory &m;
	advance_state *s;
	// The frontier: the queued vertices of queue[turn], and bits[cur] is empty; or bits[cur].
	uint32_t goal; // of the next barrier
	bool is_queue, measured, ready; // ready: of the queue; measured: active and degrees are those of bits[cur], and part[slot] by block
	uint32_t cur, turn, queued, slot;
	u64 active, degrees, edges, vertices;
	double limit;

	// Where what changes goes.
	bool appends, readies; // readies: with their rows
	uint32_t level, filter;
	uint32_t *marks;
	u64 reached; // degrees of what was appended
	counts *now;

	__device__ __forceinline__ void barrier()
	{
		goal += gridDim.x;
		wait_for_all(&s->barrier, [] {}, [&] { return (int32_t)(load_acquire(&s->barrier) - goal) >= 0; });
	}

	// Sets what is the same for all edges of vertex v.
	__device__ __forceinline__ void vertex(uint32_t v)
	{
		SET("v.id", "r", args.ids ? args.ids[v] : v);
		SET("v.in", "r", args.din ? args.din[v] : 0);
		SET("v.out", "r", args.dout ? args.dout[v] : 0);
	}

	// The other end of edge e; its weight is set.
	__device__ __forceinline__ uint32_t arc(const rows &r, u64 e)
	{
		const void *list = e < r.resident ? r.near : r.far;
		uint2 x;
		if (args.weighted) {
			x = __ldg((const uint2 *)list + e);
		} else {
			x.x = __ldg((const uint32_t *)list + e);
			x.y = 0x3f800000;
		}
		SET("edge.weight", "f", __uint_as_float(x.y));
		edges++;
		return x.x;
	}

	__device__ __forceinline__ bool settled(uint32_t v)
	{
		uint32_t x;
		LOAD("value", args.values, v);
		CALL_IF("Settled", "flag");
		GET("flag", x);
		return x;
	}

	__device__ __forceinline__ double priority()
	{
		double p;
		CALL_IF("Priority", "sum");
		GET_SUM(p);
		return p;
	}

	__device__ __forceinline__ bool near(double p) { return p < limit || limit == INFINITY; }

	// Reports whether a vertex may be appended: one that is in the queue may be found out.
	__device__ __forceinline__ bool passes(uint32_t v)
	{
		volatile uint32_t *cell = &args.labels[v];
		switch (filter) {
		case exact: return atomicMax((uint32_t *)cell, level + 1) <= level;
		case by_bitmask: {
			volatile uint8_t *byte = (uint8_t *)args.labels + (u64)args.n * (turn ^ 1) + v;
			bool is_new = *byte == 0;
			if (is_new) *byte = 1;
			return is_new;
		}
		case by_warp: return __ffs(__match_any_sync(__activemask(), v)) - 1 == lane_id();
		case by_history: return atomicExch(&m.cells[v % history_cells], v) != v;
		case by_label:
			if (*cell == level + 1) return false;
			*cell = level + 1;
		}
		return true;
	}

	// Leaves the row of v for the end of the level: at most once for a place of the queue,
	// or a vertex that looks for others, so that there is room.
	__device__ __forceinline__ void leave_for_later(uint32_t v)
	{
		args.rest[next_place(&now->rest)] = v;
		atomicOr(&now->blocks, left);
	}

	// Vertex v, whose value is new, joins the next frontier: with its row, from begin to
	// end, if rows are queued.
	__device__ __forceinline__ void add(uint32_t v, u64 begin, u64 end)
	{
		if (args.width > 0) {
			MOVE("value", "new");
			if (!near(priority())) {
				if (!has(args.later, v)) put(args.later, v);
				return;
			}
		}
		if (!appends) {
			if (!has(marks, v)) put(marks, v);
		} else if (passes(v)) {
			uint32_t at = next_place(&now->appended);
			if (readies) {
				u64 edges = end - begin;
				reached += edges;
				if (begin < args.out.resident) prefetch((const char *)args.out.near + begin * (args.weighted ? 8 : 4));
				if (at < most_ready) s->ready[turn ^ 1][at] = ready_row{v, (uint32_t)min(edges, (u64)0xffffffff), begin};
			} else {
				reached += args.degree[v];
				prefetch(args.out.off + v);
			}
			if (at < args.n) {
				args.queue[turn ^ 1][at] = v;
			} else {
				put(marks, v);
				atomicOr(&now->blocks, overflow);
				if (filter == by_bitmask) ((uint8_t *)args.labels)[(u64)args.n * (turn ^ 1) + v] = 0; // it is not in the queue
			}
		}
	}

	// Sends the value of u to v.
	__device__ __forceinline__ void push(uint32_t u, uint32_t v)
	{
		uint32_t rises, swapped;
		u64 begin = 0, end = 0;
		LOAD("src", args.values, u);
		CALL("Gather", "acc");
		LOAD("old", args.values, v);
		vertex(v);
		do {
			CALL("Apply", "new");
			CALL("Activate", "flag");
			GET("flag", rises);
			if (!rises) return;
			if (readies) begin = args.out.off[v], end = args.out.off[v + 1]; // on their way while the value is swapped
			SWAP(args.values, v, swapped);
		} while (!swapped);
		add(v, begin, end);
	}

	// Goes along n edges of vertex u from e on, which each of the first threads has of its
	// own: one edge at a time for each thread. Backward, u is where they lead to.
	__device__ __forceinline__ void spread(const rows &r, uint32_t size, uint32_t u, u64 e, uint32_t n, bool backward)
	{
		uint32_t all, below = block_scan(m.parts, n, &all);
		m.scanned[threadIdx.x] = below;
		m.tails[threadIdx.x] = u;
		m.begins[threadIdx.x] = e;
		__syncthreads();
		for (uint32_t i = threadIdx.x; i < all; i += threads) {
			uint32_t k = last_below(m.scanned, size, i), to = m.tails[k];
			if (backward && settled(to)) continue;
			uint32_t from = to;
			uint32_t other = arc(r, m.begins[k] + (i - m.scanned[k]));
			if (backward) from = other; else to = other;
			if (backward && !has(args.bits[cur], from)) continue;
			push(from, to);
		}
		__syncthreads();
	}

	// Goes along the rows [e, end) of each thread's u by one thread, a warp or the block.
	__device__ __forceinline__ void coarse(uint32_t u, u64 &e, u64 end, u64 warp, u64 block, bool rest)
	{
		do {
			uint32_t from = u, step = 1;
			u64 k = 0, to = 0;
			if (__syncthreads_or(end - e >= block)) {
				if (end - e >= block) m.owner = threadIdx.x;
				__syncthreads();
				if (m.owner == threadIdx.x) {
					m.tails[0] = u;
					m.begins[0] = e;
					m.begins[1] = end;
					e = end;
				}
				__syncthreads();
				from = m.tails[0], k = m.begins[0] + threadIdx.x, to = m.begins[1], step = threads;
			} else if (uint32_t those = __ballot_sync(0xffffffff, end - e >= warp)) {
				uint32_t leader = __ffs(those) - 1;
				from = __shfl_sync(0xffffffff, u, leader);
				k = __shfl_sync(0xffffffff, e, leader) + lane_id();
				to = __shfl_sync(0xffffffff, end, leader);
				step = 32;
				if (lane_id() == leader) e = end;
			} else if (rest) {
				k = e, to = end;
				e = end;
			}
			for (; k < to; k += step) push(from, arc(args.out, k));
		} while (__syncthreads_or(rest ? e < end : end - e >= warp));
	}

	// Divides rows of a list of n vertices among blocks by their number: equally many.
	__device__ __forceinline__ bool next_rows(const uint32_t *list, uint32_t n, uint32_t size, u64 &base, uint32_t &u, u64 &e, u64 &to)
	{
		base = base == never ? (u64)blockIdx.x * size : base + (u64)gridDim.x * size;
		if (base >= n) return false;
		e = to = 0;
		if (threadIdx.x < size && base + threadIdx.x < n) {
			u = list[base + threadIdx.x];
			e = args.out.off[u];
			to = args.out.off[u + 1];
		}
		return true;
	}

	// Divides them by their edges, all in all: equally many. The list may be that of all
	// vertices, of which those count that are active.
	__device__ __forceinline__ bool next_edges(const rows &r, const uint32_t *list, const uint64_t *prefix, uint32_t n, u64 all, uint32_t skip,
		u64 &base, uint32_t &u, u64 &e, u64 &to)
	{
		u64 from = share(all, blockIdx.x, args.fraction), until = share(all, blockIdx.x + 1, args.fraction);
		if (from == until) return false;
		base = base == never ? last_below(prefix, n, (uint64_t)from) : base + threads;
		if (base >= n || prefix[base] >= until) return false;
		u64 i = base + threadIdx.x;
		e = to = 0;
		if (i < n && (list || has(args.bits[cur], i))) {
			u64 begin = prefix[i], close = i + 1 < n ? prefix[i + 1] : all;
			u = list ? list[i] : i;
			e = r.off[u] + skip;
			to = e + (max(min(close, until), begin) - begin);
			e += max(min(from, close), begin) - begin;
			to = max(e, to);
		}
		return true;
	}

	// Goes along short rows of a list: so many for a warp at once, whose threads share their
	// edges, with no wait for the other warps of the block.
	__device__ __forceinline__ void go_short(const uint32_t *list, uint32_t n, uint32_t rows)
	{
		for (u64 base = ((u64)threadIdx.x / 32 * gridDim.x + blockIdx.x) * rows; base < n; base += (u64)gridDim.x * warps * rows) {
			u64 i = base + lane_id(), begin = 0, edges = 0;
			uint32_t u = 0;
			if (lane_id() < rows && i < n && ready) {
				uint4 x = __ldcg((const uint4 *)&s->ready[turn][i]);
				u = x.x, edges = x.y, begin = (u64)x.w << 32 | x.z;
			} else if (lane_id() < rows && i < n) {
				u = list[i];
				begin = args.out.off[u];
				edges = args.out.off[u + 1] - begin;
			}
			if (edges >= long_row) {
				leave_for_later(u);
				edges = 0;
			}
			uint32_t sum = (uint32_t)edges; // of this lane and those below
#pragma unroll
			for (uint32_t k = 1; k < 32; k *= 2) {
				uint32_t below = __shfl_up_sync(0xffffffff, sum, k);
				if (lane_id() >= k) sum += below;
			}
			begin -= sum - (uint32_t)edges;
			uint32_t total = __shfl_sync(0xffffffff, sum, 31);
			for (uint32_t e = lane_id(); e - lane_id() < total; e += 32) {
				uint32_t row = 0; // the first one whose sum is above e
#pragma unroll
				for (uint32_t k = 16; k > 0; k /= 2)
					if (__shfl_sync(0xffffffff, sum, row + k - 1) <= e) row += k;
				uint32_t from = __shfl_sync(0xffffffff, u, row);
				u64 at = __shfl_sync(0xffffffff, begin, row) + e;
				if (e < total) push(from, arc(args.out, at));
			}
		}
	}

	// Goes along the rows of a list by a policy.
	__device__ __forceinline__ void go(uint32_t policy, const uint32_t *list, const uint64_t *prefix, uint32_t n, u64 all, bool backward)
	{
		const rows &r = backward ? args.in : args.out;
		uint32_t u = 0;
		u64 base = never, e, to;
		bool by_edges = policy == by_lb || policy == by_all_edges;
		uint32_t size = by_edges ? (uint32_t)threads : min((uint32_t)threads, (n + gridDim.x - 1) / gridDim.x);
		u64 hub = policy == by_lonestar ? (u64)threads * gridDim.x : policy == by_auto ? (u64)long_row : never;
		while (by_edges ? next_edges(r, list, prefix, n, all, backward ? sought : 0, base, u, e, to) : next_rows(list, n, size, base, u, e, to)) {
			if (to - e >= hub && !by_edges) {
				leave_for_later(u);
				e = to;
			}
			if (policy == by_thread) coarse(u, e, to, never, never, true);
			else if (policy == by_twc || policy == by_lonestar) coarse(u, e, to, 32, threads, policy == by_twc);
			if (policy != by_thread && policy != by_twc) spread(r, size, u, e, (uint32_t)(to - e), backward);
		}
	}

	// The sum of what blocks have left, and of those below this one.
	__device__ __forceinline__ u64 total(uint32_t which, u64 *below)
	{
		u64 all = 0, lower = 0;
		for (uint32_t i = threadIdx.x; i < gridDim.x; i += threads) {
			u64 x = __ldcg(&s->part[slot][which][i]);
			all += x;
			if (i < blockIdx.x) lower += x;
		}
		*below = block_sum(m.parts, lower);
		return block_sum(m.parts, all);
	}

	// Leaves a number of this block for the others.
	__device__ __forceinline__ void leave(uint32_t which, u64 x)
	{
		if (threadIdx.x == 0) s->part[slot][which][blockIdx.x] = x;
	}

	// The edges before those of each vertex of a list, into prefix, and of all.
	__device__ __forceinline__ u64 scan(const rows &r, const uint32_t *list, uint32_t n, uint32_t skip)
	{
		uint32_t from = share(n, blockIdx.x, args.fraction), to = share(n, blockIdx.x + 1, args.fraction), all;
		u64 sum = 0, below;
		for (uint32_t i = from + threadIdx.x; i < to; i += threads) sum += r.off[list[i] + 1] - r.off[list[i]] - skip;
		slot ^= 1;
		leave(0, block_sum(m.parts, sum));
		barrier();
		sum = total(0, &below);
		for (; from < to; from += threads) {
			uint32_t i = from + threadIdx.x;
			u64 mine = i < to ? r.off[list[i] + 1] - r.off[list[i]] - skip : 0;
			uint32_t lower = block_scan(m.parts, (uint32_t)mine, &all);
			if (i < to) args.prefix[i] = below + lower;
			below += all;
		}
		barrier();
		return sum;
	}

	// Calls f for the vertices of this block's words of a set, a warp at once: for each
	// word that is not 0, by all its threads. f returns a bit for each vertex; to_word has
	// these of its word.
	template <class F, class G> __device__ __forceinline__ void each_word(const uint32_t *set, F f, G to_word)
	{
		for (uint32_t base = m.first + threadIdx.x / 32 * 32; base < m.end; base += threads) {
			uint32_t w = base + lane_id(), mine = w < m.end ? set[w] : 0, result = 0;
			for (uint32_t those = __ballot_sync(0xffffffff, mine != 0); those; those &= those - 1) {
				uint32_t k = __ffs(those) - 1, word = __shfl_sync(0xffffffff, mine, k);
				uint32_t bits = __ballot_sync(0xffffffff, f((base + k) * 32 + lane_id(), word >> lane_id() & 1));
				if (lane_id() == k) result = bits;
			}
			if (w < m.end) to_word(w, result);
		}
	}

	// Counts the vertices in bits[cur], and their edges.
	__device__ __forceinline__ void measure()
	{
		u64 n = 0, d = 0, below;
		each_word(args.bits[cur], [&](uint32_t v, bool in) {
			if (in) {
				n++;
				d += args.degree[v];
			}
			return in;
		}, [](uint32_t, uint32_t) {});
		slot ^= 1;
		leave(0, block_sum(m.parts, n));
		leave(1, block_sum(m.parts, d));
		barrier();
		degrees = total(1, &below);
		active = total(0, &below);
		measured = true;
	}

	// Makes a queue of bits[cur], which was measured.
	__device__ __forceinline__ void list()
	{
		u64 at;
		total(0, &at);
		for (uint32_t base = m.first; base < m.end; base += threads) {
			uint32_t w = base + threadIdx.x, bits = w < m.end ? args.bits[cur][w] : 0, all;
			u64 to = at + block_scan(m.parts, __popc(bits), &all);
			if (bits) args.bits[cur][w] = 0;
			for (; bits; bits &= bits - 1) args.queue[turn][to++] = w * 32 + __ffs(bits) - 1;
			at += all;
		}
		queued = active;
		is_queue = true;
		ready = false;
		barrier();
	}

	// Makes bits[cur] of the queue.
	__device__ __forceinline__ void mark()
	{
		for (u64 i = (u64)blockIdx.x * threads + threadIdx.x; i < queued; i += (u64)gridDim.x * threads) {
			uint32_t v = args.queue[turn][i];
			if (args.filter == by_bitmask) ((uint8_t *)args.labels)[(u64)args.n * turn + v] = 0;
			put(args.bits[cur], v);
		}
		is_queue = measured = false;
		barrier();
	}

	// Moves the vertices of the lowest priorities from what waits to the frontier. It
	// reports whether there were any.
	__device__ __forceinline__ bool refill()
	{
		u64 least = never;
		each_word(args.later, [&](uint32_t v, bool in) {
			if (in) {
				LOAD("value", args.values, v);
				double p = priority();
				if (!(p < limit)) least = min(least, ordered(p));
			}
			return in;
		}, [](uint32_t, uint32_t) {});
		slot ^= 1;
		leave(0, block_least(m.parts, least));
		barrier();
		least = never;
		for (uint32_t i = threadIdx.x; i < gridDim.x; i += threads) least = min(least, __ldcg(&s->part[slot][0][i]));
		least = block_least(m.parts, least);
		double passed = limit, low = unordered(least);
		limit = low == -INFINITY ? -1.7976931348623157e308 : low + args.width; // from -INFINITY, these alone
		if (!(limit > low)) limit = INFINITY; // all
		cur ^= 1;
		take(passed);
		return least != never;
	}

	// Moves what waits and is within the limit to the frontier. What was passed is done.
	__device__ __forceinline__ void take(double passed)
	{
		each_word(args.later, [&](uint32_t v, bool in) {
			if (!in) return false;
			LOAD("value", args.values, v);
			double p = priority();
			return near(p) && !(p < passed);
		}, [&](uint32_t w, uint32_t bits) { args.bits[cur][w] = bits; });
		__syncthreads();
		each_word(args.later, [&](uint32_t v, bool in) {
			if (!in) return false;
			LOAD("value", args.values, v);
			return !near(priority());
		}, [&](uint32_t w, uint32_t bits) { args.later[w] = bits; });
		is_queue = measured = false;
	}

	// Has vertices that are not settled look for active ones along the first edges; those
	// that have more are left for later.
	__device__ __forceinline__ void seek()
	{
		for (u64 w = ((u64)blockIdx.x * threads + threadIdx.x) / 32; w < m.words; w += (u64)gridDim.x * warps) {
			uint32_t v = w * 32 + lane_id(), rises = 0, full = 0;
			bool any = false;
			u64 e = 0, to = 0;
			if (v < args.n && !settled(v)) {
				e = args.in.off[v];
				to = args.in.off[v + 1];
				vertices++;
			}
			u64 stop = min(to, e + sought);
			CALL("Zero", "acc");
			for (; e < stop && !full; e++) {
				uint32_t u = arc(args.in, e);
				if (!has(args.bits[cur], u)) continue;
				MOVE("a", "acc");
				LOAD("src", args.values, u);
				CALL("Gather", "b");
				CALL("Sum", "acc");
				any = true;
				CALL_IF("Saturated", "flag");
				GET("flag", full);
			}
			if (any) {
				vertex(v);
				LOAD("old", args.values, v);
				CALL("Apply", "new");
				CALL("Activate", "flag");
				GET("flag", rises);
				if (rises) STORE("new", args.values, v);
			}
			if (!full && e < to) leave_for_later(v);
			uint32_t found = __ballot_sync(0xffffffff, rises);
			if (lane_id() == 0) marks[w] = found;
		}
	}

	// Ends a phase. What all blocks have counted in it is known then.
	__device__ __forceinline__ counts finish(uint32_t number)
	{
		uint32_t fault;
		GET("fault", fault);
		if (fault) atomicOr(&now->blocks, stopped);
		if (__any_sync(0xffffffff, reached != 0)) {
#pragma unroll
			for (int k = 16; k > 0; k /= 2) reached += __shfl_down_sync(0xffffffff, reached, k);
			if (lane_id() == 0) atomicAdd(&m.reached, reached);
			reached = 0;
		}
		wait_for_all(&now->blocks, [&] {
			if (m.reached) atomicAdd(&now->degrees, m.reached);
			m.reached = 0;
			if (blockIdx.x != 0) return;
			s->phase[(number + 1) % 3] = counts{};
			u64 time = m.began;
			if (number % 64 == 0) asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
			if (time - m.began > args.nanoseconds) atomicOr(&now->blocks, stopped);
		}, [&] {
			uint32_t a, b, c, d;
			asm volatile("ld.acquire.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(__cvta_generic_to_global(now)) : "memory");
			m.was = counts{a, b, (u64)d << 32 | c};
			return (a & overflow - 1) == gridDim.x;
		});
		counts was = m.was;
		if (was.blocks & left) was.rest = __ldcg(&now->rest);
		now = &s->phase[(number + 1) % 3];
		return was;
	}
};

extern "C" __global__ void __launch_bounds__(threads, 2) garaph_advance(const advance_args args)
{
	__shared__ shared_memory memory;
	advancer a{args, memory, args.state};
	if (threadIdx.x == 0) {
		uint32_t words = memory.words = (args.n + 31) / 32;
		memory.first = share(words, blockIdx.x, args.fraction);
		memory.end = share(words, blockIdx.x + 1, args.fraction);
		memory.reached = 0;
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(memory.began));
	}
	__syncthreads();
	a.cur = a.turn = a.queued = a.slot = a.goal = 0;
	a.is_queue = a.measured = a.ready = a.appends = a.readies = false;
	a.active = a.degrees = a.edges = a.vertices = a.reached = 0;
	a.limit = args.limit;
	a.now = a.s->phase;
	PARAMETERS(args.parameters);
	SET("v.n", "r", args.n);
	SET("step.aggregate", "d", args.aggregate);
	bool orders = args.width > 0, seeking = false, leaving = false, over = false;
	uint32_t phase = 0, sought_levels = 0, stop = 0;
	u64 before = 0, unseen = args.unseen, widest = 0;
	if (orders) { // all wait, and the first are taken
		for (uint32_t w = memory.first + threadIdx.x; w < memory.end; w += threads) args.later[w] = args.bits[0][w];
		__syncthreads();
		a.measured = true;
		if (a.limit > -INFINITY) a.take(-INFINITY);
	}
	for (a.level = 0;;) {
		SET("step.iteration", "l", args.iteration + a.level);
		if (a.is_queue && (over || leaving || args.policy == by_all_edges)) {
			a.mark();
			over = false;
		}
		if (leaving && orders) {
			for (uint32_t w = memory.first + threadIdx.x; w < memory.end; w += threads) args.bits[a.cur][w] |= args.later[w];
			__syncthreads();
		}
		if (!a.is_queue && !a.measured) a.measure();
		if (leaving) break;
		if (a.active == 0) {
			if (orders && a.refill()) continue;
			break;
		}
		bool ends = a.level == args.levels || stop;
		if (!ends) widest = max(widest, a.degrees);
		if (ends || a.degrees > args.most) {
			leaving = true;
			a.measured = false;
			continue;
		}
		unseen -= min(unseen, a.degrees);
		bool sought_before = seeking;
		if (args.in.off && args.direction != pushes) {
			seeking = args.direction == seeks || (sought_before ? a.active >= before || a.active * args.seek_share > args.n
				: a.degrees > args.small && a.degrees * args.push_share > unseen);
		}
		before = a.active;
		if (seeking && a.is_queue) a.mark();
		bool little = args.policy == by_auto && a.degrees <= args.small;
		uint32_t policy = args.policy != by_auto || little ? args.policy : a.degrees < few_edges * a.active ? by_lonestar : by_lb;
		a.filter = little ? no_filter : args.filter;
		a.appends = !seeking && (args.append || little);
		a.readies = little && !seeking;
		uint32_t rows = 0; // for a warp at once, where all are short
		if (little && !seeking && a.degrees <= short_rows * a.active) rows = a.degrees <= a.active ? 32 : 32 * (uint32_t)a.active / (uint32_t)a.degrees;
		const uint32_t *list = args.queue[a.turn];
		const uint64_t *prefix = args.prefix;
		uint32_t n = 0;
		u64 all = 0;
		a.marks = args.bits[a.cur];
		if (seeking || policy == by_all_edges) {
			a.marks = args.bits[a.cur ^ 1];
		} else if (!a.is_queue) {
			a.list();
		}
		if (policy == by_all_edges && !seeking) {
			for (uint32_t w = memory.first + threadIdx.x; w < memory.end; w += threads) a.marks[w] = 0;
			list = 0, prefix = args.out.off, n = args.n, all = args.out.off[n];
			a.barrier();
		} else if (!seeking) {
			n = a.queued;
			if (args.filter == by_bitmask)
				for (u64 i = (u64)blockIdx.x * threads + threadIdx.x; i < n; i += (u64)gridDim.x * threads)
					((uint8_t *)args.labels)[(u64)args.n * a.turn + list[i]] = 0;
			if (policy == by_lb) all = a.scan(args.out, list, n, 0);
		}
		if (a.filter == by_history) {
			for (uint32_t i = threadIdx.x; i < history_cells; i += threads) memory.cells[i] = 0xffffffff;
			__syncthreads();
		}
		if (threadIdx.x == 0 && blockIdx.x == 0 && !seeking) a.vertices += a.active;
		a.active = a.degrees = 0;
		for (bool looks = seeking;; looks = false) {
			if (looks) a.seek();
			else if (rows) a.go_short(list, n, rows);
			else a.go(policy, list, prefix, n, all, seeking);
			counts was = a.finish(phase++);
			stop |= was.blocks & stopped;
			over |= (was.blocks & overflow) != 0;
			a.active = was.appended;
			a.degrees += was.degrees;
			if (!(was.blocks & left)) break;
			if (threadIdx.x == 0 && blockIdx.x == 0) a.now->appended = was.appended; // which goes on
			rows = 0, policy = by_lb, list = args.rest, prefix = args.prefix, n = was.rest;
			all = a.scan(seeking ? args.in : args.out, list, n, seeking ? sought : 0);
		}
		if (seeking || args.policy == by_all_edges) a.cur ^= 1;
		a.is_queue = a.appends;
		a.measured = false;
		if (a.appends) {
			a.turn ^= 1;
			a.active = a.queued = min(a.active, (u64)args.n);
			a.ready = a.readies && a.queued <= most_ready;
		}
		sought_levels += seeking;
		a.level++;
	}
	a.edges = block_sum(memory.parts, a.edges);
	a.vertices = block_sum(memory.parts, a.vertices);
	if (threadIdx.x == 0) {
		atomicAdd(&a.s->edges, a.edges);
		atomicAdd(&a.s->vertices, a.vertices);
		if (blockIdx.x == 0) {
			a.s->active = a.active;
			a.s->degrees = a.degrees;
			a.s->unseen = unseen;
			a.s->levels = a.level;
			a.s->sought = sought_levels;
			a.s->current = a.cur;
			a.s->widest = widest;
			a.s->limit = a.limit;
		}
	}
	REPORT(args.fault);
}
