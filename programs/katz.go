package programs

import (
	_ "embed"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/pflag"

	"github.com/garaph/garaph/gas"
	"github.com/garaph/garaph/internal/flags"
	"github.com/garaph/garaph/internal/registry"
)

// Katz gives the centrality of Katz (1953): the number of walks that end at a
// vertex, one of k edges weighing Alpha to the k-th, all times Beta:
//
//	x(v) = Alpha·Σ_{u→v} x(u) + Beta
//
// It is what NetworkX computes, before NetworkX scales it. The sum is finite
// when Alpha is below 1/λ, λ being the largest eigenvalue of the graph, for
// which 1 / the largest in-degree is always enough. Otherwise values grow until
// they overflow.
type Katz[F float32 | float64] struct {
	Alpha, Beta float64
	Tolerance   float64 // relative change of a value below which it counts as none
	Most        float64 // if it is not 0, Overflowed reports larger values
}

// Init counts the walk of no edge.
func (p Katz[F]) Init(gas.Vertex) (F, bool) { return F(p.Beta), true }

// Zero returns 0.
func (p Katz[F]) Zero() float64 { return 0 }

// Gather returns the number of walks over the source of the edge.
func (p Katz[F]) Gather(src F, _ gas.Edge, _ F) float64 { return float64(src) }

// Sum adds, in double precision, as in [PageRank].
func (p Katz[F]) Sum(a, b float64) float64 { return a + b }

// Apply computes the formula above.
func (p Katz[F]) Apply(_ gas.Vertex, _ F, acc float64, _ gas.Step) F {
	return F(p.Alpha*acc + p.Beta)
}

// Activate reports a relative change above Tolerance; there is none from +Inf.
func (p Katz[F]) Activate(_ gas.Vertex, old, new F) bool {
	return math.Abs(float64(new)-float64(old)) > p.Tolerance*math.Abs(float64(old))
}

// Overflowed reports +Inf, and NaN, to which that leads with an Alpha of 0.
func (p Katz[F]) Overflowed(value F) bool {
	return !finite(value) || p.Most > 0 && float64(value) > p.Most
}

// ColumnName returns "katz".
func (Katz[F]) ColumnName() string { return "katz" }

// Idempotent reports that a value follows from the neighbours' values alone.
func (Katz[F]) Idempotent() bool { return true }

// Check refuses the zero value, with which all values are 0.
func (p Katz[F]) Check(uint32) error {
	if p.Alpha == 0 && p.Beta == 0 {
		return errors.New("the Alpha and the Beta are 0: expected an Alpha below 1 / the largest in-degree, and " +
			"a Beta of 1 as a rule")
	}
	return checkTolerance(p.Tolerance)
}

//go:embed katz.go
var katzSource string

// SourceText returns the text of this program.
func (Katz[F]) SourceText() string { return programText(katzSource) }

// KatzCommand describes garaph run katz.
var KatzCommand = registry.Command{
	Name: "katz", Value: Katz[float32]{}, Short: "Katz centrality of every vertex, not scaled",
	Long: `The value of a vertex is beta + alpha · sum of the values of the vertices that
lead to it; weights are ignored. Values are finite where --alpha is below
1 / the largest eigenvalue of the graph, and always where it is below 1 / the
largest in-degree: the default, 1 / (the largest in-degree + 1), is NetworKit's.`,
	Example:    `  garaph run katz web.graph --alpha 0.001 --top 20`,
	Overflow:   "without --alpha they are at most --beta · (the largest in-degree + 1)",
	Iterations: 1000,
	Setup:      setupKatz,
}

func setupKatz(fs *pflag.FlagSet) registry.Make {
	alpha := flags.Number(fs, "alpha", 0, 0, "weight of an edge, 0 or more (default 1 / (the largest in-degree + 1))")
	beta := flags.Number(fs, "beta", 1, 0, "value of a vertex by itself, 0 or more")
	tolerance := flags.Number(fs, "tolerance", 1e-6, 0, "relative change of a value in an iteration that counts "+
		"as none")
	precision := registry.PrecisionFlag(fs)
	return func(e registry.Env) (any, error) {
		single := Katz[float32]{Alpha: *alpha, Beta: *beta, Tolerance: *tolerance}
		if !e.Flags.Changed("alpha") {
			degree, err := e.MaxInDegree()
			if err != nil {
				return nil, err
			}
			single.Alpha = 1 / (float64(degree) + 1)
			e.Info(fmt.Sprintf("--alpha is %.6g: 1 / (the largest in-degree + 1)", single.Alpha))
		}
		double := Katz[float64](single)
		if precision() == registry.Auto { // the rounding of a value is in other values up to the largest value / beta times
			single.Most = 16 * *beta
		}
		return precision().Choose(registry.Coarse(*tolerance), single, double), nil
	}
}
