// expand: dst[e] = the vertex of the window whose offsets enclose edge e. The
// link carries offsets, which are fewer bytes; kernels read destinations. One
// block per chunk, each thread finds the first of 16 consecutive edges by halving
// and goes on from there.

#include "garaph.cuh"

struct expand_range {
	const uint32_t *off; // of the window's vertices, count + 1 of them
	uint32_t edge;       // number of the chunk's first edge in its shard
	uint32_t pad;
};

struct expand_args {
	const chunk *chunks;
	const expand_range *ranges;
};

extern "C" __global__ void garaph_expand(const expand_args args)
{
	chunk c = args.chunks[blockIdx.x];
	expand_range r = args.ranges[blockIdx.x];
	uint16_t *dst = const_cast<uint16_t *>(c.dst);
	for (uint32_t from = threadIdx.x * 16; from < c.edges; from += blockDim.x * 16) {
		uint32_t e = r.edge + from, end = r.edge + min(from + 16, c.edges);
		uint32_t v = 0, above = c.count; // off[v] <= e < off[above]
		while (above - v > 1) {
			uint32_t m = (v + above) / 2;
			if (r.off[m] <= e) v = m; else above = m;
		}
		for (uint32_t next = r.off[v + 1]; e < end; e++) {
			while (e >= next) next = r.off[++v + 1];
			dst[e - r.edge] = v;
		}
	}
}
