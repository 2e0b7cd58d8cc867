// truss: the largest k of a k-truss that each vertex is in, of a whole graph as an undirected simple
// one. It goes through stages; the last block of a launch chooses the next one, so that launches are
// queued one behind the other. MERGE makes ascending rows of neighbours, NUMBER numbers edges, COUNT
// counts the triangles of each edge. SCAN finds the edges of the least support, the first frontier of
// a level. MARK and EXPAND are a round, as in PKT (Kabir and Madduri, HiPC 2017): edges leave with
// the triangles that they are in, and those whose support falls to the level are the next frontier.
// COMPACT takes edges that have left out of the rows. A triangle of an edge is found by a search for
// each neighbour of the end that has fewer in the row of the other one; few edges are shared out to
// several warps each.

#include "rows.cuh"

struct truss_state {
	u64 next;              // unit of the stage
	uint32_t units, edges; // in all
	uint32_t stage, parts; // parts of an edge that EXPAND shares out
	uint32_t level, least; // the support of the frontier, and the least one above
	uint32_t peeled, from, to, end; // of list: before them are edges marked PEELED, the frontier, the next one
	uint32_t live;    // edges in the rows
	uint32_t arrived; // blocks
};

struct truss_args {
	const uint64_t *in_off; // n + 1 of them
	uint32_t *in;
	const uint64_t *out_off; // nullptr: in has both directions of every edge
	uint32_t *out;
	uint32_t *nbr;  // the rows: that of v is where its edges would begin in both of in and out
	uint32_t *edge; // the edge, by place in nbr
	uint32_t *size; // of a row
	uint2 *ends;    // of an edge
	uint32_t *support; // of an edge: the triangles that it is in
	uint32_t *list;    // of edges: the frontiers, one behind the other
	u64 *best;         // by vertex, 0
	truss_state *state;
	uint32_t n, milliseconds; // after which a launch ends, to be continued by another one
};

enum { MERGE, NUMBER, COUNT, SCAN, MARK, EXPAND, COMPACT, DONE };

static const uint32_t WARPS = 8;             // of a block
static const uint32_t PEELED = 0xffffffff;   // a support: the edge has left
static const uint32_t CURRENT = 0xfffffffe;  // it is in the frontier
static const uint32_t PARTS = 64;            // of an edge, at most

static __device__ __forceinline__ u64 begin_of(const truss_args &a, uint32_t v)
{
	return a.in_off[v] + (a.out_off != nullptr ? a.out_off[v] : 0);
}

// The number of elements below x of an ascending row.
static __device__ __forceinline__ uint32_t below(const uint32_t *row, uint32_t n, uint32_t x)
{
	uint32_t from = 0;
	while (from < n) {
		uint32_t middle = from + (n - from) / 2;
		if (row[middle] < x) from = middle + 1; else n = middle;
	}
	return from;
}

// Calls f(i) for units of the stage, until it has all or the time is over: by a warp, or with WIDE 32 by
// each lane with another one, which may be behind the last.
template <uint32_t WIDE, class F> static __device__ __forceinline__ void each_unit(const truss_args &a, F f)
{
	u64 end = now() + (u64)a.milliseconds * 1000000;
	uint32_t units = a.state->units, taken = WIDE * max(1, min(16, units / (8 * WIDE * WARPS * gridDim.x)));
	for (;;) {
		u64 first = units;
		if (lane_id() == 0 && now() < end) first = atomicAdd(&a.state->next, taken);
		first = __shfl_sync(ALL, first, 0);
		if (first >= units) return;
		for (u64 i = first; i < min(first + taken, (u64)units); i += WIDE) f(WIDE == 1 ? i : i + lane_id());
	}
}

static __device__ __forceinline__ void merge(const truss_args &a, uint32_t v)
{
	uint32_t *in = a.in + a.in_off[v], ins = 0, outs = 0;
	each(in, a.in_off[v + 1] - a.in_off[v], v, [&](u64, uint32_t x, bool is) {
		uint32_t at = append(is, ins); // not behind where it was
		if (is) in[at] = x;
	});
	if (a.out_off != nullptr) {
		uint32_t *out = a.out + a.out_off[v], *row = a.nbr + begin_of(a, v);
		__syncwarp();
		each(out, a.out_off[v + 1] - a.out_off[v], v, [&](u64, uint32_t x, bool is) {
			bool keep = is && !row_has(in, ins, x);
			uint32_t at = append(keep, outs);
			if (keep) out[at] = x;
		});
		__syncwarp();
		for (uint32_t i = lane_id(); i < ins; i += 32) row[i + below(out, outs, in[i])] = in[i];
		for (uint32_t i = lane_id(); i < outs; i += 32) row[i + below(in, ins, out[i])] = out[i];
	}
	if (lane_id() == 0) a.size[v] = ins + outs;
}

static __device__ __forceinline__ void number(const truss_args &a, uint32_t v)
{
	u64 begin = begin_of(a, v);
	uint32_t less = below(a.nbr + begin, a.size[v], v), first = 0;
	if (lane_id() == 0) first = atomicAdd(&a.state->edges, less);
	first = __shfl_sync(ALL, first, 0);
	for (uint32_t i = lane_id(); i < less; i += 32) {
		uint32_t u = a.nbr[begin + i];
		u64 of_u = begin_of(a, u);
		a.ends[first + i] = make_uint2(v, u);
		a.edge[begin + i] = first + i;
		a.edge[of_u + below(a.nbr + of_u, a.size[u], v)] = first + i;
	}
}

// Calls f(i, j) with the places of what the rows of both ends have in common, of a part of the shorter one, if is(i).
template <class F, class G> static __device__ __forceinline__ void
common(const truss_args &a, uint2 ends, uint32_t part, uint32_t parts, F is, G f)
{
	uint32_t n = a.size[ends.x], m = a.size[ends.y], from = 0;
	u64 row = begin_of(a, ends.x), other = begin_of(a, ends.y);
	if (n > m) {
		u64 begin = row;
		row = other;
		other = begin;
		uint32_t size = n;
		n = m;
		m = size;
	}
	for (uint32_t i = part * 32 + lane_id(); i < n && from < m; i += parts * 32) {
		if (!is(row + i)) continue;
		uint32_t x = a.nbr[row + i];
		from += below(a.nbr + other + from, m - from, x);
		if (from < m && a.nbr[other + from] == x) f(row + i, other + from);
	}
}

static __device__ __forceinline__ void count(const truss_args &a, uint32_t e)
{
	uint32_t found = 0;
	common(a, a.ends[e], 0, 1, [](u64) { return true; }, [&](u64, u64) { found++; });
	for (int k = 16; k > 0; k /= 2) found += __shfl_xor_sync(ALL, found, k);
	if (lane_id() == 0) a.support[e] = found;
}

// Adds an edge to the next frontier.
static __device__ __forceinline__ void join(const truss_args &a, uint32_t e) { a.list[atomicAdd(&a.state->end, 1)] = e; }

// Takes the triangles of an edge of the frontier. Of several such edges of a triangle, the first takes it.
static __device__ __forceinline__ void expand(const truss_args &a, uint32_t e, uint32_t part)
{
	const volatile uint32_t *support = a.support;
	uint32_t level = a.state->level;
	auto lower = [&](uint32_t f, uint32_t s) {
		if (s != CURRENT && atomicSub(&a.support[f], 1) == level + 1) join(a, f);
	};
	common(a, a.ends[e], part, a.state->parts, [&](u64 i) { return support[a.edge[i]] != PEELED; }, [&](u64 i, u64 j) {
		uint32_t f = a.edge[i], g = a.edge[j], s = support[f], t = support[g];
		if (t == PEELED || s == CURRENT && f < e || t == CURRENT && g < e) return;
		lower(f, s);
		lower(g, t);
	});
}

static __device__ __forceinline__ void compact(const truss_args &a, uint32_t v)
{
	u64 begin = begin_of(a, v);
	uint32_t size = a.size[v], left = 0;
	for (uint32_t i = lane_id(); i - lane_id() < size; i += 32) {
		uint32_t u = 0, e = 0;
		bool is = false;
		if (i < size) {
			u = a.nbr[begin + i];
			e = a.edge[begin + i];
			is = a.support[e] != PEELED;
		}
		uint32_t at = append(is, left); // not behind where it was
		if (is) {
			a.nbr[begin + at] = u;
			a.edge[begin + at] = e;
		}
	}
	if (lane_id() == 0) a.size[v] = left;
}

// Finds the edges of the level, and the least support above.
static __device__ __forceinline__ void scan(const truss_args &a)
{
	uint32_t level = a.state->level, least = NONE;
	each_unit<32>(a, [&](u64 e) {
		uint32_t s = e < a.state->units ? a.support[e] : PEELED;
		if (s == level) join(a, e); else least = min(least, s);
	});
	for (int k = 16; k > 0; k /= 2) least = min(least, __shfl_xor_sync(ALL, least, k));
	if (lane_id() == 0 && least != NONE) atomicMin(&a.state->least, least);
}

static __device__ __forceinline__ void mark(const truss_args &a)
{
	uint32_t peeled = a.state->peeled, from = a.state->from, k = a.state->level + 2;
	each_unit<32>(a, [&](u64 i) {
		if (i >= a.state->units) return;
		uint32_t e = a.list[peeled + i];
		a.support[e] = peeled + i < from ? PEELED : CURRENT;
		if (peeled + i < from) return;
		uint2 ends = a.ends[e];
		a.best[ends.x] = k;
		a.best[ends.y] = k;
	});
}

// Chooses the stage behind one that has all its units.
static __device__ void advance(const truss_args &a, volatile truss_state *s)
{
	switch (s->stage) {
	case MERGE:
		s->stage = NUMBER;
		break;
	case NUMBER:
		s->live = s->edges;
		s->stage = s->edges > 0 ? COUNT : DONE;
		break;
	case COUNT:
	case COMPACT:
		s->stage = SCAN;
		break;
	case SCAN:
		if (s->end > s->to) {
			s->to = s->end;
			s->stage = MARK;
		} else {
			s->level = s->least;
		}
		break;
	case MARK:
		s->peeled = s->from;
		if (s->to == s->edges) {
			s->stage = DONE;
		} else if (s->from == s->to) {
			s->level = s->level + 1;
			s->stage = SCAN;
			if (s->edges - s->to < s->live / 4 * 3) {
				s->live = s->edges - s->to;
				s->stage = COMPACT;
			}
		} else if (s->level == 0) { // no support falls
			s->from = s->to;
		} else {
			s->parts = max(1, min(PARTS, gridDim.x * WARPS / (s->to - s->from)));
			s->stage = EXPAND;
		}
		break;
	case EXPAND:
		s->from = s->to;
		s->to = s->end;
		s->stage = MARK;
	}
	s->least = NONE;
	s->next = 0;
	switch (s->stage) {
	case COUNT:
	case SCAN: s->units = s->edges; break;
	case MARK: s->units = s->to - s->peeled; break;
	case EXPAND: s->units = (s->to - s->from) * s->parts; break;
	default: s->units = a.n;
	}
}

extern "C" __global__ void __launch_bounds__(WARPS * 32, 5) garaph_truss(const truss_args args)
{
	truss_state *s = args.state;
	uint32_t from = s->from, parts = s->parts;
	switch (s->stage) {
	case MERGE: each_unit<1>(args, [&](u64 v) { merge(args, v); }); break;
	case NUMBER: each_unit<1>(args, [&](u64 v) { number(args, v); }); break;
	case COUNT: each_unit<1>(args, [&](u64 e) { count(args, e); }); break;
	case SCAN: scan(args); break;
	case MARK: mark(args); break;
	case EXPAND: each_unit<1>(args, [&](uint32_t i) { expand(args, args.list[from + i / parts], i % parts); }); break;
	case COMPACT: each_unit<1>(args, [&](u64 v) { compact(args, v); }); break;
	default: return;
	}
	__syncthreads();
	if (threadIdx.x > 0) return;
	__threadfence();
	if (atomicAdd(&s->arrived, 1) < gridDim.x - 1) return;
	__threadfence();
	volatile truss_state *all = s;
	all->arrived = 0;
	if (all->next >= all->units) advance(args, all);
}
