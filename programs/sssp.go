package programs

import (
	"math"

	"github.com/garaph/garaph/gas"
)

// SSSP gives the least total weight of a path from Source along edge direction
// (Bellman and Ford, with an active set); weights are not negative.
type SSSP[F float32 | float64] struct {
	Source uint32 // dense id
}

// Init reaches the source.
func (p SSSP[F]) Init(v gas.Vertex) (F, bool) {
	if v.ID == p.Source {
		return 0, true
	}
	return F(math.Inf(1)), false
}

// Zero is unreached.
func (p SSSP[F]) Zero() F { return F(math.Inf(1)) }

// Gather is the way over the source of the edge.
func (p SSSP[F]) Gather(src F, e gas.Edge, _ F) F { return src + F(e.Weight) }

// Sum is the minimum.
func (p SSSP[F]) Sum(a, b F) F { return min(a, b) }

// Apply keeps the least.
func (p SSSP[F]) Apply(_ gas.Vertex, old, acc F, _ gas.Step) F { return min(old, acc) }

// Activate reports any change.
func (p SSSP[F]) Activate(_ gas.Vertex, old, new F) bool { return old != new }
