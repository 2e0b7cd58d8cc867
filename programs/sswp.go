package programs

import (
	"math"

	"github.com/garaph/garaph/gas"
)

// SSWP gives the width of the widest path from Source along edge direction: the
// largest w such that the edges of some path all have weights ≥ w. It is SSSP
// with (max, min) in the place of (min, +): a width is one of the weights, so
// nothing is rounded in the precision in which the graph stores these. Unreached is -Inf.
type SSWP[F float32 | float64] struct {
	Source uint32   // dense id
	More   []uint32 // more sources beside it, ascending: a path begins at any
}

// Init lets anything through at the source, and less than nothing elsewhere.
func (p SSWP[F]) Init(v gas.Vertex) (F, bool) {
	if v.ID == p.Source || among(p.More, v.ID) {
		return F(math.Inf(1)), true
	}
	return F(math.Inf(-1)), false
}

// Zero is unreached.
func (p SSWP[F]) Zero() F { return F(math.Inf(-1)) }

// Gather is what gets to the source of the edge and through the edge.
func (p SSWP[F]) Gather(src F, e gas.Edge, _ F) F { return min(src, F(e.Weight)) }

// Sum is the maximum.
func (p SSWP[F]) Sum(a, b F) F { return max(a, b) }

// Apply keeps the widest.
func (p SSWP[F]) Apply(_ gas.Vertex, old, acc F, _ gas.Step) F { return max(old, acc) }

// Priority is the width: what is wide is done first.
func (p SSWP[F]) Priority(value F) float64 { return -float64(value) }

// Activate reports any change.
func (p SSWP[F]) Activate(_ gas.Vertex, old, new F) bool { return old != new }
