package programs

import (
	"math"

	"github.com/garaph/garaph/gas"
)

// Which programs are gas.Nullable: those that begin at a source. What they have not
// reached has no result.

// Null reports that no path leads to the vertex.
func (BFS) Null(_ gas.Vertex, value uint32) bool { return value == unreached }

// Null reports that no path leads to the vertex.
func (SSSP[F]) Null(_ gas.Vertex, value F) bool { return math.IsInf(float64(value), 1) }

// Null reports that no path leads to the vertex.
func (SSWP[F]) Null(_ gas.Vertex, value F) bool { return math.IsInf(float64(value), -1) }
