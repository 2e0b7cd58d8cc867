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
// which stays between the temperatures around for any step, and is the former for small ones, as
// far as which the sum of all heat stays the same. A job ends by itself only when no value changes: its
// iterations are its time. In async mode heat spreads faster than time, to the same end. The graph is to be an
// undirected one; in a directed one heat flows along edge direction only.
type Heat struct {
	Source uint32 // dense id
	Step   float64
}

// Flow is the heat that flows to a vertex from its neighbours.
type Flow struct {
	Heat        float64 // F
	Conductance float64 // C
}

// Endless reports true: a job needs a number of iterations.
func (Heat) Endless() bool { return true }

// Init heats the source.
func (p Heat) Init(v gas.Vertex) (float32, bool) {
	if v.ID == p.Source {
		return 1, true
	}
	return 0, false
}

// Zero returns the sum of no edges.
func (p Heat) Zero() Flow { return Flow{} }

// Gather returns the flow along the edge.
func (p Heat) Gather(src float32, e gas.Edge, dst float32) Flow {
	w := e.Weight
	return Flow{w * (float64(src) - float64(dst)), w}
}

// Sum adds, in double precision: the flows of opposite signs are larger than
// their sum.
func (p Heat) Sum(a, b Flow) Flow { return Flow{a.Heat + b.Heat, a.Conductance + b.Conductance} }

// Apply computes the formula above.
func (p Heat) Apply(_ gas.Vertex, old float32, acc Flow, _ gas.Step) float32 {
	if acc.Conductance == 0 {
		return old
	}
	return float32(float64(old) + (1-math.Exp(-acc.Conductance*p.Step))*(acc.Heat/acc.Conductance))
}

// Activate reports any change: where a vertex and its neighbours rest, it stays as it is.
func (p Heat) Activate(_ gas.Vertex, old, new float32) bool { return old != new }

// ColumnName returns "temperature".
func (Heat) ColumnName() string { return "temperature" }

// Check refuses a step in which no time passes, and a source that is no vertex.
func (p Heat) Check(vertices uint32) error {
	if !(p.Step > 0 && p.Step <= math.MaxFloat64) {
		return fmt.Errorf("the Step is %v: expected a time above 0", p.Step)
	}
	return checkSources(vertices, p.Source)
}

//go:embed heat.go
var heatSource string

// SourceText returns the text of this program.
func (Heat) SourceText() string { return programText(heatSource) }

// HeatCommand describes garaph run heat.
var HeatCommand = registry.Command{
	Name: "heat", Value: Heat{}, Short: "temperature of every vertex after heat has spread from a source",
	Long: `The source begins at temperature 1, the others at 0. Weights are conductances,
without weights each is 1: in a short time t, a vertex comes closer to a neighbour
by weight · t · the difference of their temperatures. --iterations N is a time of
N · --step. The sum of all heat stays the same only as far as a step is short: far
below 1 / the sum of the weights at a vertex. Long steps stay stable, and lose or
make heat at hubs. Nor is it conserved at vertices without in-edges, which keep
their temperature while others take it from them.`,
	Example:    `  garaph run heat --undirected edges.txt --source 42 --step 0.1 --iterations 50`,
	Iterations: 100, Timed: true,
	Setup: setupHeat,
}

func setupHeat(fs *pflag.FlagSet) registry.Make {
	flags.Vertex(fs, "source", "that begins at temperature 1")
	step := flags.Number(fs, "step", 0.1, 0, "time that passes in an iteration, above 0; smaller ones are more "+
		"exact, and none makes temperatures overshoot")
	return func(e registry.Env) (any, error) {
		if *step == 0 {
			return nil, flags.Usagef("--step 0: expected a number above 0")
		}
		v, err := e.Vertex("source")
		if err == nil {
			e.WarnDirected("heat flows")
		}
		return Heat{Source: v, Step: *step}, err
	}
}
