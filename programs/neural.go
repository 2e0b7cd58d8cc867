package programs

import (
	_ "embed"
	"errors"
	"math"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/registry"
)

// Neural propagates activity through a network of neurons, each of which
// answers the weighted sum of what it hears with a tanh:
//
//	x(v) = tanh(Bias + Gain·Σ_{u→v} w·x(u))
//
// The network may be recurrent. Weights are not negative, so with Bias and Gain
// ≥ 0 activity only rises from where it begins, that of neurons that hear
// nothing, and below 1: it converges on every graph, in sync and in async mode
// to the same values, the least that satisfy the formula.
type Neural struct {
	Gain, Bias float64
	Tolerance  float64 // change of a value that counts as none
}

// Init hears nothing.
func (p Neural) Init(gas.Vertex) (float32, bool) { return float32(math.Tanh(p.Bias)), true }

// Zero returns 0.
func (p Neural) Zero() float64 { return 0 }

// Gather returns the source's activity times the weight.
func (p Neural) Gather(src float32, e gas.Edge, _ float32) float64 {
	return float64(src) * e.Weight
}

// Sum adds, in double precision: a neuron may hear millions of others.
func (p Neural) Sum(a, b float64) float64 { return a + b }

// Apply computes the formula above.
func (p Neural) Apply(_ gas.Vertex, _ float32, acc float64, _ gas.Step) float32 {
	return float32(math.Tanh(p.Bias + p.Gain*acc))
}

// Activate reports a change above Tolerance.
func (p Neural) Activate(_ gas.Vertex, old, new float32) bool {
	return math.Abs(float64(new)-float64(old)) > p.Tolerance
}

// ColumnName returns "activity".
func (Neural) ColumnName() string { return "activity" }

// Idempotent reports that activity follows from that of others alone.
func (Neural) Idempotent() bool { return true }

// Check refuses the zero value, with which nothing is ever active.
func (p Neural) Check(uint32) error {
	if p.Gain == 0 && p.Bias == 0 {
		return errors.New("the Gain and the Bias are 0: all activities would be; set one of them, as a rule to 1 " +
			"and 0.1")
	}
	return checkTolerance(p.Tolerance)
}

//go:embed neural.go
var neuralSource string

// SourceText returns the text of this program.
func (Neural) SourceText() string { return programText(neuralSource) }

// NeuralCommand describes garaph run neural.
var NeuralCommand = registry.Command{
	Name: "neural", Value: Neural{}, Short: "activity of every neuron of a network, tanh of the weighted sum",
	Long: `A neuron's activity is tanh(bias + gain · sum of weight · activity of what leads
to it); without weights, each is 1. With a --gain well above 1 / the sum of the
weights that lead to a neuron, activities are near 1 and differ little:
begin with a small one.`,
	Example:    `  garaph run neural synapses.csv --gain 0.2 --bias 0.1`,
	Iterations: 1000,
	Setup:      setupNeural,
}

func setupNeural(fs *pflag.FlagSet) registry.Make {
	gain := flags.Number(fs, "gain", 1, 0, "factor of all weights, 0 or more; large ones drive every activity to 1")
	bias := flags.Number(fs, "bias", 0.1, 0, "constant input of every neuron, 0 or more")
	tolerance := flags.Number(fs, "tolerance", 1e-6, 0, "largest change of an activity in an iteration that is ignored")
	return func(registry.Env) (any, error) {
		return Neural{Gain: *gain, Bias: *bias, Tolerance: *tolerance}, nil
	}
}
