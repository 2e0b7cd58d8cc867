package programs

import (
	_ "embed"
	"fmt"
	"math"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/registry"
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

// Branch is the accumulator of a node: the sums over its edges.
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

// Zero returns the sum of no edges.
func (p Circuit) Zero() Branch { return Branch{} }

// Gather returns the edge's part of each sum.
func (p Circuit) Gather(src Node, e gas.Edge, _ Node) Branch {
	return Branch{e.Weight * src.Volts, e.Weight}
}

// Sum adds.
func (p Circuit) Sum(a, b Branch) Branch {
	return Branch{a.Current + b.Current, a.Conductance + b.Conductance}
}

// Apply computes the formula above.
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

// Result returns the voltage.
func (p Circuit) Result(_ gas.Vertex, value Node) float64 { return value.Volts }

// ColumnName returns "volts".
func (Circuit) ColumnName() string { return "volts" }

// Idempotent reports that a voltage is held, or follows from the neighbours' alone.
func (Circuit) Idempotent() bool { return true }

// Check refuses a network without a voltage in it, as the zero value is.
func (p Circuit) Check(vertices uint32) error {
	if p.Source == p.Ground {
		return fmt.Errorf("the Source and the Ground are one vertex, %d: expected two", p.Source)
	}
	if err := checkSources(vertices, p.Source, p.Ground); err != nil {
		return err
	}
	return checkTolerance(p.Tolerance)
}

//go:embed circuit.go
var circuitSource string

// SourceText returns the text of this program.
func (Circuit) SourceText() string { return programText(circuitSource) }

// CircuitCommand describes garaph run circuit.
var CircuitCommand = registry.Command{
	Name: "circuit", Value: Circuit{}, Short: "voltage of every node of a network of resistors; weights are " +
		"conductances (1/ohm)",
	Long: `Weights are conductances, in 1/ohm, and not resistances; without weights each is 1.
--tolerance bounds the change of a voltage in an iteration and not its error,
which may be many times larger where the solution is approached slowly.`,
	Example:    `  garaph run circuit --undirected resistors.csv --source 1 --ground 9 --volts 12`,
	Iterations: 1000,
	Setup:      setupCircuit,
}

func setupCircuit(fs *pflag.FlagSet) registry.Make {
	flags.Vertex(fs, "source", "held at --volts")
	flags.Vertex(fs, "ground", "held at 0 volts")
	volts := flags.Number(fs, "volts", 1, 1e38, "voltage of the source against the ground, at least 0 and below 1e38")
	tolerance := flags.Number(fs, "tolerance", 1e-6, 0, "change of a voltage in an iteration, as part of "+
		"--volts, that counts as none; not a bound of the error")
	return func(e registry.Env) (any, error) {
		p := Circuit{Volts: *volts, Tolerance: *tolerance}
		var err error
		if p.Source, err = e.Vertex("source"); err != nil {
			return nil, err
		}
		if p.Ground, err = e.Vertex("ground"); err != nil {
			return nil, err
		}
		if p.Source == p.Ground {
			return nil, flags.Usagef("--source and --ground are the same vertex")
		}
		e.WarnDirected("currents flow")
		return p, nil
	}
}
