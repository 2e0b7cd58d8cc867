package programs

import (
	"math"

	"github.com/garaph/garaph/gas"
)

// Circuit gives the voltage of every node of a network of resistors, of which
// Source is held at Volts and Ground at 0. Edge weights are conductances; the
// graph is to be an undirected one. By Kirchhoff's law the currents at the other
// nodes sum up to nothing, so that each has the mean of its neighbours'
// voltages,
//
//	V(v) = Σ g·V(u) / Σ g
//
// which is solved with the iteration of Gauss and Jacobi. It begins at 0 and
// rises to the solution without overshooting, in async mode in fewer iterations
// (Gauss and Seidel). Nodes that nothing connects to Source stay at 0. Voltages are in double
// precision: along a path of n nodes, a rounding adds up n² times.
type Circuit struct {
	Source, Ground uint32 // dense ids
	Volts          float64
	Tolerance      float64 // change of a voltage, as part of Volts, that counts as none
}

// Node is the value of a vertex.
type Node struct {
	Volts float64
	Held  bool // Source and Ground
}

// Branch is what a node sees of its edges.
type Branch struct {
	Current     float64 // Σ g·V(u)
	Conductance float64 // Σ g
}

// Init holds the source at its voltage.
func (p Circuit) Init(v gas.Vertex) (Node, bool) {
	if v.ID == p.Source {
		return Node{Volts: p.Volts, Held: true}, true
	}
	return Node{Held: v.ID == p.Ground}, false
}

// Zero is no edge.
func (p Circuit) Zero() Branch { return Branch{} }

// Gather is one summand of each sum.
func (p Circuit) Gather(src Node, e gas.Edge, _ Node) Branch {
	return Branch{e.Weight * src.Volts, e.Weight}
}

// Sum adds.
func (p Circuit) Sum(a, b Branch) Branch {
	return Branch{a.Current + b.Current, a.Conductance + b.Conductance}
}

// Apply is the formula above.
func (p Circuit) Apply(_ gas.Vertex, old Node, acc Branch, _ gas.Step) Node {
	if old.Held || acc.Conductance == 0 {
		return old
	}
	return Node{Volts: acc.Current / acc.Conductance}
}

// Activate reports a change above Tolerance.
func (p Circuit) Activate(_ gas.Vertex, old, new Node) bool {
	return math.Abs(new.Volts-old.Volts) > p.Tolerance*math.Abs(p.Volts)
}

// Overflowed reports a voltage that is not finite.
func (p Circuit) Overflowed(value Node) bool { return value.Volts-value.Volts != 0 }

// Result is the voltage.
func (p Circuit) Result(_ gas.Vertex, value Node) float64 { return value.Volts }
