package main

import (
	"math"

	"github.com/garaph/garaph/gas"
)

//go:generate go run github.com/garaph/garaph/cmd/garaph-compile

// NearestHub gives every vertex the hub from which the shortest path leads to
// it; of several, the first. A hub is a vertex with Edges edges or more. It is
// an example of a value that is a struct, with a part that is computed and a
// part that goes along with it.
type NearestHub struct{ Edges uint32 }

// Place is the position of a vertex.
type Place struct {
	Distance float32
	Hub      uint32
}

// none is farther away than any hub.
const none = math.MaxUint32

// Init begins at the hubs.
func (p NearestHub) Init(v gas.Vertex) (Place, bool) {
	if v.In+v.Out >= p.Edges {
		return Place{0, v.ID}, true
	}
	return p.Zero(), false
}

// Zero is nowhere.
func (NearestHub) Zero() Place { return Place{float32(math.Inf(1)), none} }

// Gather goes along the edge.
func (NearestHub) Gather(src Place, e gas.Edge, _ Place) Place {
	return Place{src.Distance + float32(e.Weight), src.Hub}
}

// Sum takes the nearer one, and of equally near ones the first, so that the
// order in which they come does not matter.
func (NearestHub) Sum(a, b Place) Place {
	if b.Distance < a.Distance || b.Distance == a.Distance && b.Hub < a.Hub {
		return b
	}
	return a
}

// Apply keeps the nearest so far.
func (p NearestHub) Apply(_ gas.Vertex, old, acc Place, _ gas.Step) Place { return p.Sum(old, acc) }

// Activate reports any change.
func (NearestHub) Activate(_ gas.Vertex, old, new Place) bool { return old != new }

// Overflowed reports a hub that is too far for a float32: where none is reached,
// there is no Hub beside the infinite Distance. The job fails then, instead of
// taking hubs at such distances for equally near.
func (NearestHub) Overflowed(p Place) bool {
	return p.Hub != none && math.IsInf(float64(p.Distance), 1)
}

// Idempotent reports that Apply keeps the nearer of two places: a vertex need not
// gather again when only its own value has changed.
func (NearestHub) Idempotent() bool { return true }

// Monotone reports that hubs only get nearer.
func (NearestHub) Monotone() bool { return true }

// Priority is the distance: vertices near a hub are done first.
func (NearestHub) Priority(p Place) float64 { return float64(p.Distance) }

// Result is the hub, under the user's id; a vertex that no hub leads to is by
// itself.
func (NearestHub) Result(v gas.Vertex, p Place) gas.VertexID {
	if p.Hub == none {
		return gas.VertexID(v.ID)
	}
	return gas.VertexID(p.Hub)
}
