package gpuengine

import (
	"math"
	"sort"

	"github.com/garaph/garaph/kernels"
)

// grain: chunks begin at multiples of grain edges of their side, so that
// kernels can load 16 bytes at a time. Only where a window would become too
// large they may not.
const grain = 16

// limits bound a chunk.
type limits struct {
	edges  int // a multiple of grain
	window int // vertices
	packed packedLimits
}

// cutting is the position of a chunk in a side of a shard.
type cutting struct {
	from, to   uint32 // edges [from, to) of the side
	begin, end int    // local vertices [begin, end)
	head, tail bool   // the first, the last vertex has edges beyond
}

// cut returns the next chunk of a side from edge at on, which is not its end.
func (l limits) cut(off []uint32, at uint32) cutting {
	n := len(off) - 1
	begin := sort.Search(n, func(v int) bool { return off[v+1] > at })
	to := at + uint32(min(int64(l.edges), int64(off[n]-at)))
	if limit := begin + l.window; limit < n && off[limit] < to {
		to = off[limit]
	}
	if whole := to &^ (grain - 1); to < off[n] && whole > at {
		to = whole
	}
	end := begin + sort.Search(n-begin, func(v int) bool { return off[begin+v+1] >= to }) + 1
	return cutting{from: at, to: to, begin: begin, end: end, head: off[begin] < at, tail: off[end] > to}
}

// most returns the most chunks of a side of a shard: a cut at the limit of edges loses fewer than
// grain of them, and two chunks cut at the limit of vertices cover at least a whole window.
func (l limits) most(vertices int, edges uint32) int64 {
	if edges == 0 {
		return 0
	}
	return int64(edges)/int64(l.edges-grain) + 2*(int64(vertices)/int64(l.window)) + 2
}

// copies returns log2 of the number R of copies of each accumulator: R = 2^min(⌈log2(|E|/|V|) −
// 0.5⌉, 5) (Garaph), lowered until they fit.
func copies(edges uint32, vertices, accumulator, shared int) uint32 {
	c := math.Ceil(math.Log2(float64(edges)/float64(vertices)) - 0.5)
	r := uint32(max(0, min(c, 5)))
	for r > 0 && vertices*accumulator<<r > shared {
		r--
	}
	return r
}

// way returns the index of the kernel of g.
func (g Gather) way() int {
	if g == GatherReplicated {
		return kernels.Replicated
	}
	return kernels.Segmented
}

// pad rounds up to the alignment of wide loads.
func pad(n int64) int64 { return (n + 15) &^ 15 }
