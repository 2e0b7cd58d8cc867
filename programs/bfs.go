package programs

import (
	"math"

	"github.com/garaph/garaph/gas"
)

// BFS gives the number of hops from Source along edge direction. A vertex
// reached by the end of iteration t has at most t+1 hops, in sync and in async
// mode, so that a value ≤ t is final, and no unsettled vertex has a neighbour
// nearer than t: the bottom-up step of Beamer et al. (SC 2012) follows from
// Settled and Saturated.
type BFS struct {
	Source uint32   // dense id
	More   []uint32 // more sources beside it, ascending: hops are from the nearest
}

const unreached = math.MaxUint32

// Init reaches the source.
func (b BFS) Init(v gas.Vertex) (uint32, bool) {
	if v.ID == b.Source || among(b.More, v.ID) {
		return 0, true
	}
	return unreached, false
}

// Zero is unreached.
func (b BFS) Zero() uint32 { return unreached }

// Gather is where the source of the edge is.
func (b BFS) Gather(src uint32, _ gas.Edge, _ uint32) uint32 { return src }

// Sum is the minimum.
func (b BFS) Sum(a, c uint32) uint32 { return min(a, c) }

// Apply goes one hop further, once for a vertex instead of once for each edge.
func (b BFS) Apply(_ gas.Vertex, old, acc uint32, _ gas.Step) uint32 {
	if acc == unreached {
		return old
	}
	return min(old, acc+1)
}

// Activate reports any change.
func (b BFS) Activate(_ gas.Vertex, old, new uint32) bool { return old != new }

// Saturated stops at the first parent in the frontier.
func (b BFS) Saturated(acc uint32, s gas.Step) bool { return uint64(acc) <= uint64(s.Iteration) }

// Settled skips what has been reached.
func (b BFS) Settled(value uint32, s gas.Step) bool { return uint64(value) <= uint64(s.Iteration) }

// Result is the number of hops.
func (b BFS) Result(_ gas.Vertex, value uint32) int64 {
	if value == unreached {
		return gas.Unreached
	}
	return int64(value)
}
