package algorithms

import (
	"context"
	"iter"
	"math/bits"
	"sync/atomic"
)

// bitRows holds the edges of n vertices as bits: a row for each vertex, both directions of an edge.
// In a dense graph, neighbours are intersected 64 at a time.
type bitRows struct {
	n, words int // vertices, and words of a row
	bits     []uint64
}

// bitRowsBytes returns what bitRows of n vertices take.
func bitRowsBytes(n int64) int64 { return n * ((n + 63) / 64) * 8 }

// newBitRows makes rows without edges. Its array belongs to the run.
func newBitRows(e *Env, n int) (b *bitRows, err error) {
	b = &bitRows{n: n, words: (n + 63) / 64}
	b.bits, err = Make[uint64](e, b.n*b.words)
	return b, err
}

func (b *bitRows) row(v int) []uint64 { return b.bits[v*b.words:][:b.words] }

// add adds an edge, and reports whether it was not there. Goroutines may add edges at once.
func (b *bitRows) add(u, v int) bool {
	atomic.OrUint64(&b.row(min(u, v))[max(u, v)>>6], 1<<(max(u, v)&63))
	bit := uint64(1) << (min(u, v) & 63)
	return atomic.OrUint64(&b.row(max(u, v))[min(u, v)>>6], bit)&bit == 0
}

// has returns 1 if u and v are adjacent, and 0 otherwise.
func (b *bitRows) has(u, v uint32) uint64 { return b.bits[int(u)*b.words+int(v>>6)] >> (v & 63) & 1 }

// commonBits returns the number of members two sets of the same number of words have in common.
func commonBits(x, y []uint64) (n int) {
	y = y[:len(x)]
	for i, w := range x {
		n += bits.OnesCount64(w & y[i])
	}
	return n
}

// eachBit goes over the members of a set.
func eachBit(set []uint64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, w := range set {
			for ; w != 0; w &= w - 1 {
				if !yield(i<<6 + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

// has returns 1 if bit i is set, and 0 otherwise.
func has(set []uint64, i uint64) uint64 { return set[i>>6] >> (i & 63) & 1 }

// mostCore is the most vertices of a core: its bits take 32 MiB.
const mostCore = 1 << 14

// coreBytes returns what the core of a graph takes at most.
func coreBytes(vertices, edges int64) int64 {
	return min(4*edges+8*min(vertices, mostCore), bitRowsBytes(mostCore))
}

// coreSize returns the number of vertices of the core, those of the largest degrees: as many as have a sixteenth of
// all possible edges, so that bits take 4 bytes an edge at most, and room for bits.
func (g *oriented) coreSize(room int64) int {
	h := min(len(g.rank), mostCore)
	for 32*g.offsets[h] < uint64(h)*uint64(h) || bitRowsBytes(int64(h)) > room {
		h--
	}
	return h
}

// core returns the edges among the first h vertices as bits. If some is not nil, the core has only the edges whose
// positions are in it.
func (g *oriented) core(ctx context.Context, e *Env, h int, windows []uint32, some []uint64) (*bitRows, error) {
	b, err := newBitRows(e, h)
	if err != nil {
		return nil, err
	}
	return b, g.eachPart(ctx, e, windows, 0, g.offsets[h], func(_ int, rows rowSpan, from, to uint64) {
		for v := g.source(from); from < to; from++ {
			for g.offsets[v+1] <= from {
				v++
			}
			if some == nil || has(some, from) != 0 {
				b.add(int(v), int(rows.neighbours[from-rows.begin]))
			}
		}
	})
}
