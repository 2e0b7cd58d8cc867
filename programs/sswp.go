package programs

import (
	"math"

	"github.com/garaph/garaph/gas"
)

// SSWP gives the width of the widest path from Source along edge direction: the
// largest w such that the edges of some path all have weights ≥ w. It is SSSP
// with (max, min) in the place of (min, +): a width is one of the weights, so
// nothing is rounded, and single precision is exact. Unreached is -Inf.
type SSWP struct {
	Source uint32   // dense id
	More   []uint32 // more sources beside it, ascending: a path begins at any
}

// Init lets anything through at the source, and less than nothing elsewhere.
func (p SSWP) Init(v gas.Vertex) (float32, bool) {
	if v.ID == p.Source || among(p.More, v.ID) {
		return float32(math.Inf(1)), true
	}
	return float32(math.Inf(-1)), false
}

// Zero is unreached.
func (p SSWP) Zero() float32 { return float32(math.Inf(-1)) }

// Gather is what gets to the source of the edge and through the edge.
func (p SSWP) Gather(src float32, e gas.Edge, _ float32) float32 { return min(src, float32(e.Weight)) }

// Sum is the maximum.
func (p SSWP) Sum(a, b float32) float32 { return max(a, b) }

// Apply keeps the widest.
func (p SSWP) Apply(_ gas.Vertex, old, acc float32, _ gas.Step) float32 { return max(old, acc) }

// Priority is the width: what is wide is done first.
func (p SSWP) Priority(value float32) float64 { return -float64(value) }

// Activate reports any change.
func (p SSWP) Activate(_ gas.Vertex, old, new float32) bool { return old != new }
