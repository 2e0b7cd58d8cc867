package programs

import (
	"math"

	"github.com/garaph/garaph/gas"
)

// Heat simulates how heat spreads from Source, which begins at temperature 1,
// the others at 0. Heat flows along edges with their weights as conductances:
//
//	dq(v)/dt = Σ_{u→v} w·(q(u) - q(v))
//
// An iteration is a time of Step. The usual q + Step·dq/dt overshoots where the
// conductances of a vertex sum up to more than 1/Step, as those of hubs do.
// Within a step the neighbours are therefore held and the equation is solved
// for the vertex alone:
//
//	q' = q + (1 - e^(-C·Step))·F/C,  C = Σ w,  F = Σ w·(q(u) - q)
//
// which stays between the temperatures around for any step, and is the former
// for small ones, as far as which the sum of all heat stays the same. A job does not end by itself: its iterations are its time.
// In async mode heat spreads faster than time, to the same end. The graph is to
// be an undirected one; in a directed one heat flows along edge direction only.
type Heat struct {
	Source uint32 // dense id
	Step   float64
}

// Flow is what a vertex gets from its neighbours.
type Flow struct {
	Heat        float64 // F
	Conductance float64 // C
}

// Endless says that a job needs a number of iterations.
func (Heat) Endless() bool { return true }

// Init heats the source.
func (p Heat) Init(v gas.Vertex) (float32, bool) {
	if v.ID == p.Source {
		return 1, true
	}
	return 0, true
}

// Zero is no edge.
func (p Heat) Zero() Flow { return Flow{} }

// Gather is the flow along the edge.
func (p Heat) Gather(src float32, e gas.Edge, dst float32) Flow {
	w := e.Weight
	return Flow{w * (float64(src) - float64(dst)), w}
}

// Sum adds, in double precision: the flows of opposite signs are larger than
// their sum.
func (p Heat) Sum(a, b Flow) Flow { return Flow{a.Heat + b.Heat, a.Conductance + b.Conductance} }

// Apply is the formula above.
func (p Heat) Apply(_ gas.Vertex, old float32, acc Flow, _ gas.Step) float32 {
	if acc.Conductance == 0 {
		return old
	}
	return float32(float64(old) + (1-math.Exp(-acc.Conductance*p.Step))*(acc.Heat/acc.Conductance))
}

// Activate goes on: a vertex moves towards its neighbours also when they rest.
func (p Heat) Activate(gas.Vertex, float32, float32) bool { return true }
